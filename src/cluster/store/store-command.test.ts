import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { dataVersion } from "../opening/data-version.ts";
import { version } from "../version.ts";
import { newDataDirectory, newFolder, putText, runStore } from "./store-command.test-support.ts";

const refused = (message: string) => ({ code: 1, stdout: "", stderr: `Error: ${message}\n` });

describe("wherry store", () => {
  test("says what it can do", async () => {
    const { code, stdout } = await runStore([]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Look into the store of a cluster, and look after it/);
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
  test("which store is meant must be said", async () => {
    expect(await runStore(["ls"])).toEqual({
      code: 2,
      stdout: "",
      stderr:
        "Error: --data-dir or --etcd-servers is required: it says where the store is\nSee 'wherry store ls --help' for usage.\n",
    });
  });
  test.each([
    ["ls", "--rev"],
    ["get", "--rev"],
    ["watch", "--from"],
  ])("%s %s takes no negative revision", async (name, flag) => {
    expect(await runStore([name, flag, "-3"])).toEqual({
      code: 2,
      stdout: "",
      stderr: `Error: invalid argument "-3" for "${flag}" flag: a revision is not negative\nSee 'wherry store ${name} --help' for usage.\n`,
    });
  });
  test("a directory that is not there stays so", async () => {
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
  test("a directory that is no data directory is left as it is", async () => {
    const dir = newFolder();
    mkdirSync(join(dir, "store"));
    const message = `${dir} is no data directory of Wherry: there is no store in it`;
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
        `${dir} was written by a newer version of Wherry (99.0.0; this is ${version}), and cannot be read by this one: use that version, or choose another directory with --data-dir`,
      ),
    );
  });
  test("a store that has lost its data says so", async () => {
    const dir = await newDataDirectory([]);
    rmSync(join(dir, "store", "data.mdb"));
    const message = `${dir}/store held a store, but its data.mdb is missing: restore a backup`;
    expect(await runStore(["ls", "--data-dir", dir])).toEqual(refused(message));
    expect(await runStore(["compact", "--data-dir", dir])).toEqual(refused(message));
  });
  test("a file that is no store is not opened", async () => {
    const dir = await newDataDirectory([]);
    const file = join(dir, "store", "data.mdb");
    writeFileSync(file, "x".repeat(10_000));
    expect(await runStore(["ls", "--data-dir", dir])).toEqual(
      refused(`${file} is not a database, or is damaged: restore a backup`),
    );
  });
});
