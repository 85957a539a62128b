import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { dataVersion } from "../opening/data-version.ts";
import { version } from "../version.ts";
import { newDataDirectory, newFolder, putText, runStore } from "./store-command.test-support.ts";

const refused = (message: string) => ({ code: 1, stdout: "", stderr: `Error: ${message}\n` });

describe("wherry store", () => {
  test("lists its commands", async () => {
    const { code, stdout } = await runStore([]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Inspect and maintain the store of a cluster/);
  });
  test.each(["ls", "get", "history", "watch", "compact", "snapshot", "restore", "verify", "serve"])(
    "%s --help has examples and exit codes",
    async (name) => {
      const { code, stdout } = await runStore([name, "--help"]);
      expect(code).toBe(0);
      expect(stdout).toContain(`Examples:\n`);
      expect(stdout).toMatch(new RegExp(`^ {2,}wherry store ${name} .*--data-dir ./`, "m"));
      expect(stdout).toContain("Exit codes: 0");
      expect(stdout).toContain("--data-dir DIR");
    },
  );
  test("a flag that names the store is required", async () => {
    expect(await runStore(["ls"])).toEqual({
      code: 2,
      stdout: "",
      stderr:
        "Error: --data-dir or --etcd-servers is required to find the store\nSee 'wherry store ls --help' for usage.\n",
    });
  });
  test.each([
    ["ls", "--rev"],
    ["get", "--rev"],
    ["watch", "--from"],
  ])("%s %s rejects a negative revision", async (name, flag) => {
    expect(await runStore([name, flag, "-3"])).toEqual({
      code: 2,
      stdout: "",
      stderr: `Error: invalid argument "-3" for "${flag}" flag: a revision must not be negative\nSee 'wherry store ${name} --help' for usage.\n`,
    });
  });
  test("a directory that does not exist is not created", async () => {
    const dir = join(newFolder(), "none");
    expect(await runStore(["ls", "--data-dir", dir])).toEqual(
      refused(`${dir}: there is no such directory`),
    );
    expect(existsSync(dir)).toBe(false);
    writeFileSync(dir, "a file");
    expect(await runStore(["ls", "--data-dir", dir])).toEqual(
      refused(`${dir}: there is no such directory`),
    );
  });
  test("a directory that is not a data directory is not changed", async () => {
    const dir = newFolder();
    mkdirSync(join(dir, "store"));
    const message = `${dir} is not a data directory of Wherry: it contains no store`;
    expect(await runStore(["ls", "--data-dir", dir])).toEqual(refused(message));
    expect(await runStore(["compact", "--data-dir", dir])).toEqual(refused(message));
    expect(readdirSync(join(dir, "store"))).toEqual([]);
  });
  test("a directory of a newer version is not opened", async () => {
    const dir = await newDataDirectory([[putText("key", "x")]]);
    const stamp = { dataVersion: dataVersion + 1, wherry: "99.0.0" };
    writeFileSync(join(dir, "wherry.json"), JSON.stringify(stamp));
    expect(await runStore(["get", "--data-dir", dir, "key"])).toEqual(
      refused(
        `${dir} was written by a newer version of Wherry (99.0.0; this is ${version}) and cannot be read by this one: use that version, or choose another directory with --data-dir`,
      ),
    );
  });
  test("a store without its data file is an error", async () => {
    const dir = await newDataDirectory([]);
    rmSync(join(dir, "store", "data.mdb"));
    const message = `${dir}/store held a store, but its data.mdb is missing: restore a backup`;
    expect(await runStore(["ls", "--data-dir", dir])).toEqual(refused(message));
    expect(await runStore(["compact", "--data-dir", dir])).toEqual(refused(message));
  });
  test("a file that is not a store is not opened", async () => {
    const dir = await newDataDirectory([]);
    const file = join(dir, "store", "data.mdb");
    writeFileSync(file, "x".repeat(10_000));
    expect(await runStore(["ls", "--data-dir", dir])).toEqual(
      refused(`${file} is not a database, or is damaged: restore a backup`),
    );
  });
});
