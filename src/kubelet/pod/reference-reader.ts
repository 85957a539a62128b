import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import { decodeBase64 } from "../../base/base64.ts";
import type { Client } from "../../client/client.ts";
import { ignoreNotFound } from "../../client/ignore-not-found.ts";
import type { ObjectKey } from "../../client/resource-kind.ts";
import type { PullSecret } from "./container/pull-secrets.ts";

/** The data of a config map or a secret, as text. */
export type Data = Readonly<Record<string, string>>;

/** Reads the config maps and secrets that pods refer to. */
export interface ReferenceReader {
  /** Undefined where there is none. */
  configMap(key: ObjectKey): Promise<Data | undefined>;
  secret(key: ObjectKey): Promise<Data | undefined>;
  /** A secret with its type, which says in what form it holds credentials of registries. */
  pullSecret(key: ObjectKey): Promise<PullSecret | undefined>;
}

/** Reads through a client without a cache, because a missing object may be created at any time. */
export function referenceReader(client: Client): ReferenceReader {
  return {
    async configMap(key) {
      const map = await ignoreNotFound(client.get(ConfigMap, key));
      return map && { ...decoded(map.binaryData), ...map.data };
    },
    async secret(key) {
      const secret = await ignoreNotFound(client.get(Secret, key));
      return secret && decoded(secret.data);
    },
    async pullSecret(key) {
      const secret = await ignoreNotFound(client.get(Secret, key));
      return secret && { type: secret.type ?? "", data: decoded(secret.data) };
    },
  };
}

const decoded = (data: Readonly<Record<string, string>> = {}): Data =>
  Object.fromEntries(
    Object.entries(data).map(([key, text]) => [key, new TextDecoder().decode(decodeBase64(text))]),
  );
