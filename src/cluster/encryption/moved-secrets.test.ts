import { existsSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { send } from "../../apiserver/in-process.test-support.ts";
import { realClock } from "../../platform/real-clock.ts";
import { startEtcdServers } from "../../store/etcd/etcd-server.test-support.ts";
import { openEtcdStore } from "../../store/etcd/etcd-store.ts";
import type { EtcdAccess } from "../opening/open-store.ts";
import { runStore } from "../store/store-command.test-support.ts";
import {
  configuration,
  folder,
  key,
  password,
  rawValue,
  readPassword,
  secret,
  startIn,
} from "./stored-secrets.test-support.ts";

/** A data directory with an encrypted secret, the path of its key, and paths for more. */
async function world() {
  const above = await folder();
  const at = (name: string): string => join(above, name);
  const dir = at("data");
  const server = await startIn(dir, { encryptsSecrets: true });
  expect((await send(server.core, secret("a"))).status).toBe(201);
  await server.close();
  await writeFile(at("passphrase"), "correct horse\n");
  return { at, dir, keyFile: join(dir, "pki", "secrets-encryption.key") };
}

/** Expects that a file has neither the password nor the key that its values are encrypted with. */
async function expectUnreadable(file: string, keyFile: string): Promise<void> {
  const [bytes, keyText] = await Promise.all([readFile(file), readFile(keyFile, "utf8")]);
  expect(bytes.includes("k8s:enc:aesgcm:v1:wherry:")).toBe(true);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  for (const text of [password, Buffer.from(password).toString("base64"), keyText.trim()])
    expect(bytes.includes(text)).toBe(false);
  expect(bytes.includes(Buffer.from(keyText, "base64"))).toBe(false);
}

test("a snapshot holds the key of secrets encrypted or not at all, unless it is asked for", async () => {
  const { at, dir, keyFile } = await world();
  const file = at("snapshot");
  const snapshot = (...args: readonly string[]) =>
    runStore(["snapshot", "--data-dir", dir, file, ...args]);
  expect(await snapshot()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      `the snapshot would hold secrets and, unencrypted, their key ${keyFile}: choose --passphrase-file`,
    ),
  });
  expect(existsSync(file)).toBe(false);
  expect(await snapshot("--plain-keys")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("holds the cluster's private keys unencrypted"),
  });
  expect((await snapshot("--plain-keys", "--without-keys")).code).toBe(2);
  expect(await snapshot("--without-keys")).toMatchObject({
    code: 0,
    stderr: `Note: secrets in ${file} are encrypted with ${keyFile}: keep that file apart from it. "wherry store restore" needs it as --secrets-key-file.\n`,
  });
  await expectUnreadable(file, keyFile);

  expect(await snapshot("--passphrase-file", at("passphrase"))).toMatchObject({ stderr: "" });
  await expectUnreadable(file, keyFile);
  const restore = ["restore", file, "--passphrase-file", at("passphrase")];
  expect((await runStore([...restore, "--data-dir", at("again")])).code).toBe(0);
  const again = await startIn(at("again"), { encryptsSecrets: true });
  expect(await readPassword(again, "a")).toBe(password);
  await again.close();
}, 240_000);

test("a snapshot without keys is restored with the key of its secrets, which get a new one", async () => {
  const { at, dir, keyFile } = await world();
  const [file, restored] = [at("snapshot"), at("restored")];
  await runStore(["snapshot", "--data-dir", dir, file, "--without-keys"]);
  const restore = (...args: readonly string[]) =>
    runStore(["restore", file, "--data-dir", restored, ...args]);
  expect(await restore()).toEqual({
    code: 1,
    stdout: "",
    stderr: `Error: ${key("a")} is encrypted with the key of the data directory that the snapshot was taken from: give the key with --secrets-key-file\n`,
  });
  await writeFile(at("other.key"), `${Buffer.alloc(32, 1).toString("base64")}\n`);
  expect(await restore("--secrets-key-file", at("other.key"))).toMatchObject({
    code: 1,
    stderr: `Error: ${key("a")} cannot be decrypted: the keys that were given are others: [cipher: message authentication failed]\n`,
  });
  expect(existsSync(restored)).toBe(false);
  expect((await restore("--secrets-key-file", keyFile)).code).toBe(0);
  const newKey = join(restored, "pki", "secrets-encryption.key");
  expect(await readFile(newKey, "utf8")).not.toBe(await readFile(keyFile, "utf8"));
  expect((await stat(newKey)).mode & 0o777).toBe(0o600);
  expect(await rawValue(restored, "a")).toMatch(/^k8s:enc:aesgcm:v1:wherry:/);
  expect(await rawValue(restored, "a")).not.toBe(await rawValue(dir, "a"));
  const server = await startIn(restored, { encryptsSecrets: true });
  expect(await readPassword(server, "a")).toBe(password);
  await server.close();
}, 240_000);

const accessTo = (servers: readonly string[]): EtcdAccess => ({
  ...{ servers, prefix: "/other" },
  ...{ compactionIntervalMs: 0, sizeIntervalMs: 0, leaseReuseSeconds: 60 },
});

testWith(requires("etcd"))(
  "a cluster moves to etcd, where its secrets are encrypted as the configuration says",
  async () => {
    const { at, dir, keyFile } = await world();
    const [file, path] = [at("snapshot"), at("encryption.yaml")];
    await writeFile(path, configuration(1), { mode: 0o600 });
    await runStore(["snapshot", "--data-dir", dir, file, "--without-keys"]);
    const etcd = await startEtcdServers();
    onTestFinished(() => etcd.stop());
    const restore = (...args: readonly string[]) =>
      runStore([
        ...["restore", file, "--etcd-servers", etcd.endpoints.join(",")],
        ...["--etcd-prefix", "/other", ...args],
      ]);
    const values = async (): Promise<string> => {
      const store = await openEtcdStore({
        ...{ endpoints: etcd.endpoints, prefix: "/other", clock: realClock },
      });
      const { entries } = await store.list("");
      await store.close();
      return entries.map(({ value }) => Buffer.from(value).toString("latin1")).join("\n");
    };
    const missing = await restore("--encryption-provider-config", path);
    expect([missing.code, missing.stderr]).toEqual([
      1,
      expect.stringContaining("give the key with --secrets-key-file"),
    ]);
    expect(await values()).toBe("");
    const keys = ["--secrets-key-file", keyFile, "--encryption-provider-config", path];
    expect(await restore(...keys)).toMatchObject({ code: 0, stderr: "" });
    expect(await values()).toContain("k8s:enc:secretbox:v1:key1:");

    const encryption = { path, reloads: false };
    const server = await startIn(dir, { etcd: accessTo(etcd.endpoints), encryption });
    expect(await readPassword(server, "a")).toBe(password);
    expect((await send(server.core, secret("b"))).status).toBe(201);
    await server.close();
    expect(await values()).not.toContain(password);
    expect(await values()).not.toContain("k8s:enc:aesgcm:v1:wherry:");
  },
  240_000,
);

testWith(requires("etcd"))(
  "without a configuration, secrets are moved to etcd as they are, with a warning",
  async () => {
    const { at, dir } = await world();
    const file = at("snapshot");
    const passphrase = ["--passphrase-file", at("passphrase")];
    await runStore(["snapshot", "--data-dir", dir, file, ...passphrase]);
    const etcd = await startEtcdServers();
    onTestFinished(() => etcd.stop());
    const into = ["--etcd-servers", etcd.endpoints.join(","), "--etcd-prefix", "/other"];
    expect((await runStore(["restore", file, ...into])).code).toBe(1);
    expect(await runStore(["restore", file, ...into, ...passphrase])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /^Warning: 1 secret in etcd is not encrypted. Name keys with --encryption-provider-config/,
      ),
    });
    const server = await startIn(dir, { etcd: accessTo(etcd.endpoints), encryptsSecrets: true });
    expect(await readPassword(server, "a")).toBe(password);
    await server.close();
  },
  240_000,
);
