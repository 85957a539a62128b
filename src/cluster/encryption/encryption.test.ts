import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { send } from "../../apiserver/in-process.test-support.ts";
import { realClock } from "../../platform/real-clock.ts";
import { openLmdbStore } from "../../store/lmdb/lmdb-store.ts";
import { type RunningServer, type StartOptions, start } from "../commands/apiserver/apiserver.ts";
import { runStore } from "../store/store-command.test-support.ts";

async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "encryption-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

const startIn = (dir: string, options: Partial<StartOptions> = {}): Promise<RunningServer> =>
  start({ dir, host: "127.0.0.1", port: 0, ...options });

/** A text that is found wherever it is written down. */
const password = "correct-horse-battery-staple";
const secret = (name: string) => ({
  method: "POST",
  path: "/api/v1/namespaces/default/secrets",
  body: { metadata: { name }, stringData: { password } },
});
const key = (name: string): string => `/registry/secrets/default/${name}`;

const readPassword = async ({ core }: RunningServer, name: string): Promise<string> => {
  const { text } = await send(core, { path: `/api/v1/namespaces/default/secrets/${name}` });
  const { data } = JSON.parse(text) as { data?: { password: string } };
  return data ? Buffer.from(data.password, "base64").toString() : text;
};

async function contents(dir: string): Promise<string> {
  const names = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile());
  const texts = files.map(({ parentPath, name }) => readFile(join(parentPath, name), "latin1"));
  return (await Promise.all(texts)).join("");
}

async function rawValue(dir: string, name: string): Promise<string> {
  const store = await openLmdbStore({ path: join(dir, "store"), clock: realClock, readOnly: true });
  const entry = await store.get(key(name));
  await store.close();
  return Buffer.from(entry?.value ?? "").toString("latin1");
}

test("secrets are encrypted with a key of the data directory, and tools read through it", async () => {
  const dir = join(await folder(), "data");
  const first = await startIn(dir, { encryptsSecrets: true });
  expect((await send(first.core, secret("a"))).status).toBe(201);
  await first.close();
  expect(await contents(join(dir, "store"))).not.toContain(password);
  expect(await rawValue(dir, "a")).toMatch(/^k8s:enc:aesgcm:v1:wherry:/);
  expect((await stat(join(dir, "pki", "secrets-encryption.key"))).mode & 0o777).toBe(0o600);

  const again = await startIn(dir, { encryptsSecrets: true });
  expect(await readPassword(again, "a")).toBe(password);
  await again.close();

  const shown = await runStore(["get", "--data-dir", dir, key("a"), "--show-secrets"]);
  expect(shown.stdout).toContain(Buffer.from(password).toString("base64"));
  expect((await runStore(["verify", "--data-dir", dir])).code).toBe(0);
  expect((await runStore(["history", "--data-dir", dir, key("a")])).stdout).toContain("created");
  const file = join(dir, "..", "snapshot");
  expect((await runStore(["snapshot", "--data-dir", dir, file])).code).toBe(0);
  expect(await readFile(file, "latin1")).not.toContain(password);
});

test("secrets from before are encrypted at the first start; a key that is lost is not replaced", async () => {
  const dir = join(await folder(), "data");
  const before = await startIn(dir);
  await send(before.core, secret("a"));
  await before.close();
  expect(await rawValue(dir, "a")).toContain(password);
  const after = await startIn(dir, { encryptsSecrets: true });
  await after.close();
  expect(await rawValue(dir, "a")).toMatch(/^k8s:enc:aesgcm:v1:wherry:/);
  const path = join(dir, "pki", "secrets-encryption.key");
  await rename(path, `${path}.away`);
  await expect(startIn(dir, { encryptsSecrets: true })).rejects.toThrow(
    `${path} is missing, and ${key("a")} was encrypted with it: restore the file from a backup`,
  );
});

const secretOf = (seed: number): string => Buffer.alloc(32, seed).toString("base64");
const configuration = (...keys: readonly number[]): string =>
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

test("keys rotate while clients write, and reencrypt writes what is left", async () => {
  const above = await folder();
  const dir = join(above, "data");
  const path = join(above, "encryption.yaml");
  await writeFile(path, configuration(1), { mode: 0o600 });
  const server = await startIn(dir, { encryption: { path, reloads: true } });
  const metric = async (line: string): Promise<boolean> =>
    (await send(server.core, { path: "/metrics" })).text.includes(line);
  const statuses = new Set<number>();
  let isDone = false;
  let count = 0;
  const writer = async (): Promise<void> => {
    while (!isDone && count < 300) {
      const { status } = await send(server.core, secret(`s${count++}`));
      statuses.add(status);
    }
  };
  const writers = [writer(), writer(), writer()];
  await writeFile(`${path}.new`, configuration(2, 1), { mode: 0o600 });
  await rename(`${path}.new`, path);
  await eventually(async () => {
    if (!(await metric('automatic_reloads_total{status="success"} 1')))
      throw new Error("not reloaded");
  });
  expect((await send(server.core, secret("last"))).status).toBe(201);
  isDone = true;
  await Promise.all(writers);
  expect([...statuses]).toEqual([201]);
  // A file that is half written is not taken.
  await writeFile(path, configuration(3).slice(0, 100), { mode: 0o600 });
  await eventually(async () => {
    if (!(await metric('automatic_reloads_total{status="failure"}'))) throw new Error("no failure");
  });
  for (const name of ["s0", "last"]) expect(await readPassword(server, name)).toBe(password);
  expect((await send(server.core, { path: "/healthz/kms-providers" })).status).toBe(200);
  // An update that changes nothing writes a value again that is under an older key.
  const s0 = "/api/v1/namespaces/default/secrets/s0";
  const { text } = await send(server.core, { path: s0 });
  await send(server.core, { method: "PUT", path: s0, body: text });
  await server.close();
  expect(await contents(join(dir, "store"))).not.toContain(password);
  expect(await rawValue(dir, "s0")).toMatch(/^k8s:enc:secretbox:v1:key2:/);
  expect(await rawValue(dir, "s1")).toMatch(/^k8s:enc:secretbox:v1:key1:/);
  await writeFile(path, configuration(2, 1), { mode: 0o600 });
  const store = (name: string) =>
    runStore([name, "--data-dir", dir, "--encryption-provider-config", path]);
  expect(await store("reencrypt")).toMatchObject({ code: 0 });
  expect(await rawValue(dir, "s1")).toMatch(/^k8s:enc:secretbox:v1:key2:/);
  expect((await store("reencrypt")).stdout).toMatch(/ values read, 0 values written\n$/);
}, 60_000);
