import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { decodeBase64, encodeBase64 } from "../../base/base64.ts";
import { checkPrivate, ensurePrivateDir, writePrivateFile } from "../../platform/files.ts";
import type { Store } from "../../store/store.ts";
import { everyEntry } from "../store/every-entry.ts";
import type { EncryptionConfiguration } from "./encryption-configuration.ts";

/** The name of the key, which is stored with each value. */
const name = "wherry";
const ownPrefix = `k8s:enc:aesgcm:v1:${name}:`;

/** The path of the key in a data directory and in a snapshot. */
export const ownKeyName = "pki/secrets-encryption.key";

/** The key with which a data directory's server encrypts secrets: not in the folder of the store, but with the other keys. */
export const ownKeyPath = (dir: string): string => join(dir, ownKeyName);

const keyBytes = 32;

/** Reads the key; undefined if there is none. Throws if others may read it. */
export async function readOwnKey(dir: string): Promise<Uint8Array | undefined> {
  const path = ownKeyPath(dir);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  await checkPrivate(path);
  return parseOwnKey(path, text);
}

/** The key in the text of its file. */
export function parseOwnKey(path: string, text: string): Uint8Array {
  const key = decodeBase64(text.trim());
  if (key.length === keyBytes) return key;
  throw new Error(`${path} holds no key of ${keyBytes} bytes: restore it from a backup`);
}

/** Whether a stored value was encrypted with the key of a data directory, of this one or of another. */
export const isUnderOwnKey = (value: Uint8Array): boolean =>
  ownPrefixBytes.every((byte, i) => value[i] === byte);

const ownPrefixBytes = new TextEncoder().encode(ownPrefix);

/** Makes a key, unless values of the store were encrypted with one that is gone. */
export async function makeOwnKey(dir: string, store: Store): Promise<Uint8Array> {
  const path = ownKeyPath(dir);
  for await (const { key, value } of everyEntry(store, "/registry/secrets/"))
    if (isUnderOwnKey(value))
      throw new Error(
        `${path} is missing, and ${key} was encrypted with it: restore the file from a backup`,
      );
  return writeNewKey(dir);
}

/** Makes the key of a data directory whose store holds nothing that was encrypted with another one. */
export async function writeNewKey(dir: string): Promise<Uint8Array> {
  const made = randomBytes(keyBytes);
  await ensurePrivateDir(join(dir, "pki"));
  await writePrivateFile(ownKeyPath(dir), `${encodeBase64(made)}\n`);
  return made;
}

/** Secrets are encrypted with the key; those from before it can be read. */
export const ownConfiguration = (key: Uint8Array): EncryptionConfiguration => ({
  resources: [
    {
      resources: ["secrets"],
      providers: [{ aesgcm: { keys: [{ name, secret: encodeBase64(key) }] } }, { identity: {} }],
    },
  ],
});
