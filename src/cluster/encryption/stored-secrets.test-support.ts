import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { send } from "../../apiserver/in-process.test-support.ts";
import { realClock } from "../../platform/real-clock.ts";
import { openLmdbStore } from "../../store/lmdb/lmdb-store.ts";
import { type RunningServer, type StartOptions, start } from "../commands/apiserver/apiserver.ts";

/** A folder that is removed after the test. */
export async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "encryption-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

/** Starts the API server on a data directory. */
export const startIn = (dir: string, options: Partial<StartOptions> = {}): Promise<RunningServer> =>
  start({ dir, host: "127.0.0.1", port: 0, ...options });

/** A text that is found wherever it is written down. */
export const password = "correct-horse-battery-staple";
/** A request that creates a secret with the password. */
export const secret = (name: string) => ({
  method: "POST",
  path: "/api/v1/namespaces/default/secrets",
  body: { metadata: { name }, stringData: { password } },
});
/** Where a secret is stored. */
export const key = (name: string): string => `/registry/secrets/default/${name}`;

/** The password in a secret as the server gives it; its error if it does not. */
export const readPassword = async ({ core }: RunningServer, name: string): Promise<string> => {
  const { text } = await send(core, { path: `/api/v1/namespaces/default/secrets/${name}` });
  const { data } = JSON.parse(text) as { data?: { password: string } };
  return data ? Buffer.from(data.password, "base64").toString() : text;
};

/** All bytes of the files in a folder. */
export async function contents(dir: string): Promise<string> {
  const names = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile());
  const texts = files.map(({ parentPath, name }) => readFile(join(parentPath, name), "latin1"));
  return (await Promise.all(texts)).join("");
}

/** A secret as it is stored. */
export async function rawValue(dir: string, name: string): Promise<string> {
  const store = await openLmdbStore({ path: join(dir, "store"), clock: realClock, readOnly: true });
  const entry = await store.get(key(name));
  await store.close();
  return Buffer.from(entry?.value ?? "").toString("latin1");
}

const secretOf = (seed: number): string => Buffer.alloc(32, seed).toString("base64");
/** Encrypts secrets with the first of these keys, and decrypts them with all. */
export const configuration = (...keys: readonly number[]): string =>
  JSON.stringify({
    kind: "EncryptionConfiguration",
    apiVersion: "apiserver.config.k8s.io/v1",
    resources: [
      {
        resources: ["secrets"],
        providers: [
          ...keys.map((seed) => ({
            secretbox: { keys: [{ name: `key${seed}`, secret: secretOf(seed) }] },
          })),
          { identity: {} },
        ],
      },
    ],
  });
