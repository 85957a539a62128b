import { rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { send } from "../../apiserver/in-process.test-support.ts";
import { runStore } from "../store/store-command.test-support.ts";
import {
  configuration,
  contents,
  folder,
  key,
  password,
  rawValue,
  readPassword,
  secret,
  startIn,
} from "./stored-secrets.test-support.ts";

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

test("keys rotate while clients write, and reencrypt writes what is left", async () => {
  const above = await folder();
  const dir = join(above, "data");
  const path = join(above, "encryption.yaml");
  await writeFile(path, configuration(1), { mode: 0o600 });
  const server = await startIn(dir, { encryption: { path, reloads: true } });
  const metric = async (line: RegExp): Promise<boolean> =>
    line.test((await send(server.core, { path: "/metrics" })).text);
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
    if (
      !(await metric(
        /automatic_reloads_total\{apiserver_id_hash="sha256:\w{64}",status="success"\} 1/,
      ))
    )
      throw new Error("not reloaded");
  });
  expect((await send(server.core, secret("last"))).status).toBe(201);
  isDone = true;
  await Promise.all(writers);
  expect([...statuses]).toEqual([201]);
  // A file that is half written is not taken.
  await writeFile(path, configuration(3).slice(0, 100), { mode: 0o600 });
  await eventually(async () => {
    if (!(await metric(/automatic_reloads_total\{.*status="failure"\}/)))
      throw new Error("no failure");
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
}, 240_000);

test("reencrypt: names the values that no key decrypts, and fails", async () => {
  const above = await folder();
  const dir = join(above, "data");
  const path = join(above, "encryption.yaml");
  for (const [name, seed] of [
    ["old", 1],
    ["new", 2],
  ] as const) {
    await writeFile(path, configuration(seed), { mode: 0o600 });
    const server = await startIn(dir, { encryption: { path, reloads: false } });
    expect((await send(server.core, secret(name))).status).toBe(201);
    await server.close();
  }
  const store = () =>
    runStore(["reencrypt", "--data-dir", dir, "--encryption-provider-config", path]);
  await writeFile(path, configuration(3, 2), { mode: 0o600 });
  const failed = await store();
  expect(failed.code).toBe(1);
  expect(failed.stderr).toBe(
    `${key("old")}: no key decrypts it\nError: 1 value could not be decrypted: keep older keys, and add those that are missing\n`,
  );
  expect(failed.stdout).toMatch(/ values read, 1 value written\n$/);
  expect(await rawValue(dir, "new")).toMatch(/^k8s:enc:secretbox:v1:key3:/);
  await writeFile(path, configuration(3, 2, 1), { mode: 0o600 });
  expect((await store()).code).toBe(0);
  expect(await rawValue(dir, "old")).toMatch(/^k8s:enc:secretbox:v1:key3:/);
}, 240_000);
