import type { VerifyingKey } from "../../base/cryptography/token-key.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { MessageOf } from "../../base/protobuf-message.ts";
import { namedVerifyingKey } from "../../platform/pki/token-keys.ts";
import { quote } from "../../schema/values/quote.ts";
import type { signerMethods } from "./signer-methods.ts";

type Response = MessageOf<(typeof signerMethods)["fetchKeys"]["response"]>;

/** The keys of a signer, and after how many seconds to fetch them again. */
export interface FetchedKeys {
  readonly keys: readonly VerifyingKey[];
  readonly refreshSeconds: number;
}

const longestId = 1024;

/** Why a response with keys cannot be used, in upstream's words. */
export function keysFault(response: Response): string | undefined {
  const { keys, refresh_hint_seconds: hint, data_timestamp: time } = response;
  if (hint <= 0) return `found invalid refresh hint (${hint}s)`;
  if (keys.length === 0) return "found no keys";
  if (!time) return "invalid data timestamp: proto: invalid nil Timestamp";
  for (const { key_id: id, key } of keys) {
    if (id === "" || id.length > longestId) return `found invalid public key id ${quote(id)}`;
    if (key.length === 0) return "found empty public key";
    try {
      if (!namedVerifyingKey(id, key)) return `the public key ${quote(id)} is of an unknown kind`;
    } catch (error) {
      return `while parsing external public keys: ${errorMessage(error)}`;
    }
  }
  return undefined;
}

/** The keys of a response without fault. */
export const readKeys = (response: Response): FetchedKeys => ({
  refreshSeconds: response.refresh_hint_seconds,
  keys: response.keys.flatMap(({ key_id, key, exclude_from_oidc_discovery: isUnpublished }) => {
    const read = namedVerifyingKey(key_id, key);
    return read ? [isUnpublished ? { ...read, isUnpublished } : read] : [];
  }),
});
