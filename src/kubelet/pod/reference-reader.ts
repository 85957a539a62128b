import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import { decodeBase64 } from "../../base/base64.ts";
import type { Client } from "../../client/client.ts";
import { ignoreNotFound } from "../../client/ignore-not-found.ts";
import type { ObjectKey } from "../../client/resource-kind.ts";
import type { PullSecret } from "./container/pull-secrets.ts";

/** The data of a config map or a secret, as text. */
export type Data = Readonly<Record<string, string>>;

/** The data of a config map or a secret, as it was written. */
export type BinaryData = Readonly<Record<string, Uint8Array>>;

/** Reads the config maps and secrets that pods refer to: as text for variables, as bytes for files. */
export interface ReferenceReader {
  /** Undefined where there is none. Binary data is left out: it cannot be a variable. */
  configMap(key: ObjectKey): Promise<Data | undefined>;
  secret(key: ObjectKey): Promise<Data | undefined>;
  /** A secret with its type, which says in what form it holds credentials of registries. */
  pullSecret(key: ObjectKey): Promise<PullSecret | undefined>;
  configMapBytes(key: ObjectKey): Promise<BinaryData | undefined>;
  secretBytes(key: ObjectKey): Promise<BinaryData | undefined>;
}

/** The objects that a reader reads. */
export interface ReferenceObjects {
  /** Undefined where there is none. */
  configMap(key: ObjectKey): Promise<ConfigMap | undefined>;
  secret(key: ObjectKey): Promise<Secret | undefined>;
}

/** Reads through a client without a cache, because a missing object may be created at any time. */
export const referenceReader = (client: Client): ReferenceReader =>
  readerOf({
    configMap: (key) => ignoreNotFound(client.get(ConfigMap, key)),
    secret: (key) => ignoreNotFound(client.get(Secret, key)),
  });

/** Reads the data of objects. */
export const readerOf = (objects: ReferenceObjects): ReferenceReader => ({
  async configMap(key) {
    const map = await objects.configMap(key);
    return map && (map.data ?? {});
  },
  async secret(key) {
    const secret = await objects.secret(key);
    return secret && textOf(secret);
  },
  async pullSecret(key) {
    const secret = await objects.secret(key);
    if (!secret) return undefined;
    const { uid = "", namespace = "", name = "" } = secret.metadata;
    return { type: secret.type ?? "", data: textOf(secret), uid, namespace, name };
  },
  async configMapBytes(key) {
    const map = await objects.configMap(key);
    const encoder = new TextEncoder();
    return (
      map && {
        ...decoded(map.binaryData),
        ...mapped(map.data ?? {}, (text) => encoder.encode(text)),
      }
    );
  },
  async secretBytes(key) {
    const secret = await objects.secret(key);
    return secret && decoded(secret.data);
  },
});

const textOf = ({ data }: Secret): Data =>
  mapped(decoded(data), (bytes) => new TextDecoder().decode(bytes));

const decoded = (data: Readonly<Record<string, string>> = {}): BinaryData =>
  mapped(data, decodeBase64);

const mapped = <V, W>(
  data: Readonly<Record<string, V>>,
  change: (value: V) => W,
): Readonly<Record<string, W>> =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, change(value)]));
