import type { Secret } from "../../api/core/v1/secret.ts";
import type { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { legacyClaims } from "../../api/core/v1/service-account-token-secret.ts";
import { encodeBase64 } from "../../base/base64.ts";
import type { SigningKey } from "../../base/cryptography/token-key.ts";
import { writeJwt } from "../../schema/values/jwt.ts";

const nameKey = "kubernetes.io/service-account.name";
const uidKey = "kubernetes.io/service-account.uid";

/** The account of a token secret; its uid is empty if the secret does not name it. */
export function accountOf({ metadata: { annotations = {} } }: Secret): {
  readonly name: string;
  readonly uid: string;
} {
  return { name: annotations[nameKey] ?? "", uid: annotations[uidKey] ?? "" };
}

/** Whether a secret is for a token of an account. */
export function isOfAccount(
  secret: Secret,
  account: { readonly name: string; readonly uid: string },
): boolean {
  const { name, uid } = accountOf(secret);
  return name === account.name && (uid === "" || uid === account.uid);
}

/** A secret with its missing data; undefined if nothing is missing. */
export function filledSecret(
  secret: Secret,
  account: ServiceAccount,
  { signer, rootCa }: { readonly signer: SigningKey; readonly rootCa: string },
): Secret | undefined {
  const { data = {}, metadata } = secret;
  const ca = encoded(rootCa);
  const lacksCa = rootCa !== "" && data["ca.crt"] !== ca;
  const lacksNamespace = !data.namespace;
  const lacksToken = !data.token;
  if (!lacksCa && !lacksNamespace && !lacksToken) return undefined;
  const { name = "", uid = "" } = account.metadata;
  return {
    ...secret,
    metadata: {
      ...metadata,
      annotations: { ...metadata.annotations, [nameKey]: name, [uidKey]: uid },
    },
    data: {
      ...data,
      ...(lacksCa && { "ca.crt": ca }),
      ...(lacksNamespace && { namespace: encoded(metadata.namespace ?? "") }),
      ...(lacksToken && {
        token: encoded(writeJwt(signer, legacyClaims(account, metadata.name ?? ""))),
      }),
    },
  };
}

/** An account without a secret in its list; undefined if it does not list it. */
export function withoutSecret(account: ServiceAccount, name: string): ServiceAccount | undefined {
  const { secrets = [] } = account;
  const left = secrets.filter((one) => one.name !== name);
  return left.length === secrets.length ? undefined : { ...account, secrets: left };
}

const encoded = (text: string): string => encodeBase64(new TextEncoder().encode(text));
