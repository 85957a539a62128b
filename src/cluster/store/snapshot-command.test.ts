import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ensurePki } from "../../platform/pki/pki.ts";
import { configMap, newDataDirectory, put, runStore } from "./store-command.test-support.ts";

const map = "/registry/configmaps/default/m";
const names = { dnsNames: [], ipAddresses: ["127.0.0.1"] };

/** A data directory with an object, certificates and keys, and paths beside it. */
async function world(): Promise<{ dir: string; file: string; restored: string; secret: string }> {
  const dir = await newDataDirectory([
    [put(map, configMap({ a: "1" }))],
    [put(map, configMap({ a: "2" }))],
  ]);
  await ensurePki(join(dir, "pki"), { ...names, now: new Date() });
  const secret = join(dir, "passphrase");
  writeFileSync(secret, "correct horse\n");
  const beside = (name: string) => join(dir, "..", name);
  return { dir, file: beside("backup"), restored: beside("restored"), secret };
}

const bytesOf = (file: string) => statSync(file).size;
const refused = (message: string) => ({ code: 1, stdout: "", stderr: `Error: ${message}\n` });

describe("wherry store snapshot and restore", () => {
  test("move a cluster with its certificates and keys", async () => {
    const { dir, file, restored } = await world();
    const taken = await runStore(["snapshot", "--data-dir", dir, file]);
    const [, files] = /(\d+) files/.exec(taken.stdout) ?? [];
    expect(Number(files)).toBeGreaterThan(5);
    expect(taken).toEqual({
      code: 0,
      stdout: `${file}: revision 3, 1 key, ${files} files of certificates and keys, ${bytesOf(file)} bytes\n`,
      stderr: `Warning: ${file} holds the cluster's private keys unencrypted: every reader of it has full access to the cluster. Encrypt them with --passphrase-file, or omit them with --without-keys.\n`,
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await runStore(["restore", file, "--data-dir", restored])).toEqual({
      code: 0,
      stdout: `${restored}: revision 1000000003, 1 key, ${files} files of certificates and keys\n`,
      stderr: "",
    });
    const get = (data: string) => runStore(["get", "--data-dir", data, map]);
    expect(await get(restored)).toEqual(await get(dir));
    const key = (data: string) => readFileSync(join(data, "pki", "ca.key"), "utf8");
    expect(key(restored)).toBe(key(dir));
    expect((await runStore(["verify", "--data-dir", restored])).code).toBe(0);
  });
  test("encrypt certificates and keys with --passphrase-file", async () => {
    const { dir, file, restored, secret } = await world();
    const taken = await runStore([
      "snapshot",
      "--data-dir",
      dir,
      file,
      "--passphrase-file",
      secret,
    ]);
    expect(taken).toMatchObject({ code: 0, stderr: "" });
    expect(taken.stdout).toMatch(/files of certificates and keys, encrypted, \d+ bytes\n$/);
    expect(readFileSync(file, "latin1")).not.toContain("PRIVATE KEY");
    const restore = (...args: readonly string[]) =>
      runStore(["restore", file, "--data-dir", restored, ...args]);
    expect(await restore()).toEqual(
      refused(
        "the snapshot's certificates and keys are encrypted: give the passphrase with --passphrase-file",
      ),
    );
    writeFileSync(`${secret}2`, "wrong");
    expect((await restore("--passphrase-file", `${secret}2`)).code).toBe(1);
    expect(existsSync(restored)).toBe(false);
    expect((await restore("--passphrase-file", secret)).code).toBe(0);
  });
  test("omit certificates and keys with --without-keys", async () => {
    const { dir, file, restored } = await world();
    expect(await runStore(["snapshot", "--data-dir", dir, file, "--without-keys"])).toEqual({
      code: 0,
      stdout: `${file}: revision 3, 1 key, no certificates and keys, ${bytesOf(file)} bytes\n`,
      stderr: "",
    });
    expect((await runStore(["restore", file, "--data-dir", restored])).stdout).toBe(
      `${restored}: revision 1000000003, 1 key, no certificates and keys\n`,
    );
    expect(existsSync(join(restored, "pki"))).toBe(false);
  });
  test("restore only into an empty directory, and only an undamaged snapshot", async () => {
    const { dir, file, restored } = await world();
    await runStore(["snapshot", "--data-dir", dir, file, "--without-keys"]);
    const full = await runStore(["restore", file, "--data-dir", dir]);
    expect(full.code).toBe(1);
    expect(full.stderr).toMatch(/^Error: .* is not empty \(.*\): choose another directory\n$/);
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.subarray(0, bytes.length - 1));
    const damaged = await runStore(["restore", file, "--data-dir", restored]);
    expect([damaged.code, damaged.stderr.startsWith(`Error: ${file}: `)]).toEqual([1, true]);
    expect(existsSync(restored)).toBe(false);
    expect(await runStore(["restore", `${file}2`, "--data-dir", restored])).toEqual(
      refused(`${file}2: there is no such file`),
    );
  });
  test("report what is wrong with a passphrase", async () => {
    const { dir, file, secret } = await world();
    const snapshot = (...args: readonly string[]) =>
      runStore(["snapshot", "--data-dir", dir, file, ...args]);
    writeFileSync(secret, "two\nlines\n");
    expect(await snapshot("--passphrase-file", secret)).toEqual(
      refused(`${secret}, given by --passphrase-file, must hold the passphrase in a single line`),
    );
    expect(await snapshot("--passphrase-file", secret, "--without-keys")).toEqual({
      code: 2,
      stdout: "",
      stderr:
        "Error: --without-keys and --passphrase-file exclude each other: only keys are encrypted\nSee 'wherry store snapshot --help' for usage.\n",
    });
    expect(existsSync(file)).toBe(false);
  });
});
