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

/** The key with which a data directory's server encrypts secrets: beside the store, with the other keys. */
const ownKeyPath = (dir: string): string => join(dir, "pki", "secrets-encryption.key");

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
  const key = decodeBase64(text.trim());
  if (key.length !== keyBytes)
    throw new Error(`${path} holds no key of ${keyBytes} bytes: restore it from a backup`);
  return key;
}

/** Makes a key, unless values of the store were encrypted with one that is gone. */
export async function makeOwnKey(dir: string, store: Store): Promise<Uint8Array> {
  const path = ownKeyPath(dir);
  const encrypted = new TextEncoder().encode(ownPrefix);
  for await (const { key, value } of everyEntry(store, "/registry/secrets/"))
    if (encrypted.every((byte, i) => value[i] === byte))
      throw new Error(
        `${path} is missing, and ${key} was encrypted with it: restore the file from a backup`,
      );
  const made = randomBytes(keyBytes);
  await ensurePrivateDir(join(dir, "pki"));
  await writePrivateFile(path, `${encodeBase64(made)}\n`);
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
