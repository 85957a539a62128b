import { noLog } from "../../base/log.ts";
import type { Encryption } from "../../store/encryption/encrypted-store.ts";
import { isEncrypted } from "../../store/encryption/transformer.ts";
import { SnapshotError } from "../../store/snapshot/snapshot-format.ts";
import type { SnapshotEntry } from "../../store/snapshot/snapshot-source.ts";
import { type OpenEncryption, openEncryption } from "../encryption/open-encryption.ts";
import { isUnderOwnKey } from "../encryption/own-key.ts";

/** What decrypts the values of a snapshot, and encrypts them again where they are restored. */
export interface ResealingOptions {
  /** The key of the data directory that the snapshot was taken from. */
  readonly sourceKey: Uint8Array | undefined;
  /** The key of the data directory that is restored; undefined in etcd. */
  readonly targetKey: Uint8Array | undefined;
  /** The file with an EncryptionConfiguration, of both. */
  readonly configuration: string | undefined;
  /** The prefix of the keys where they are restored, which is authenticated with each value. */
  readonly keyPrefix: string;
}

/** Values of a snapshot become those of the store that it is restored to. */
export interface Resealing {
  reseal(entry: SnapshotEntry): Promise<SnapshotEntry>;
  close(): void;
}

/** The snapshot was taken without the key that its values are encrypted with, and the key was not given. */
export class MissingKeyError extends SnapshotError {}

/** Opens what `reseal` needs. Values of a configuration that is not given stay as they are. */
export async function openResealing(options: ResealingOptions): Promise<Resealing> {
  const { sourceKey, targetKey, configuration, keyPrefix } = options;
  const file = configuration === undefined ? undefined : { path: configuration, reloads: false };
  const common = { file, waits: false, log: noLog };
  const source = await openEncryption({ ...common, own: sourceKey, keyPrefix: "/registry" });
  const target = await openEncryption({ ...common, own: targetKey, keyPrefix });
  return {
    async reseal(entry) {
      const value = await openedValue(entry, source?.encryption, options);
      return value === undefined
        ? entry
        : { ...entry, value: sealedValue(entry.key, value, target) };
    },
    close() {
      source?.close();
      target?.close();
    },
  };
}

/** The value in the clear; undefined if it stays as it is. */
async function openedValue(
  { key, value }: SnapshotEntry,
  source: Encryption | undefined,
  { sourceKey, configuration }: ResealingOptions,
): Promise<Uint8Array | undefined> {
  if (!isEncrypted(value)) return value;
  const isOwn = isUnderOwnKey(value);
  let cause: unknown;
  try {
    const transformer = source?.transformerOf(key);
    if (source && transformer) return (await transformer.open(value, source.pathOf(key))).value;
  } catch (error) {
    cause = error;
  }
  if (isOwn && !sourceKey)
    throw new MissingKeyError(
      `${key} is encrypted with the key of the data directory that the snapshot was taken from`,
    );
  if (!isOwn && configuration === undefined) return undefined;
  throw new SnapshotError(`${key} cannot be decrypted: the keys that were given are others`, {
    cause,
  });
}

function sealedValue(
  key: string,
  value: Uint8Array,
  target: OpenEncryption | undefined,
): Uint8Array {
  const transformer = target?.encryption.transformerOf(key);
  return target && transformer ? transformer.seal(value, target.encryption.pathOf(key)) : value;
}
