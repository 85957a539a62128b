import { describe, expect, test } from "vitest";
import { newDataDirectory, putText, runStore } from "./store-command.test-support.ts";

const directory = () =>
  newDataDirectory([
    [putText("/registry/pods/default/web", "12345")],
    [putText("/registry/pods/default/web", "123456")],
    [putText("/registry/pods/kube-system/dns", "1"), putText("/registry/podtemplates/x/y", "")],
    [putText("/registry/minions/a", "1234"), putText("/registry/pods", "own")],
    [putText("compact_rev_key", "7")],
  ]);

const ls = async (...args: readonly string[]) =>
  runStore(["ls", "--data-dir", await directory(), ...args]);
const printed = (stdout: string) => ({ code: 0, stdout, stderr: "" });

describe("wherry store ls", () => {
  test("shows one level at a time", async () => {
    expect(await ls()).toEqual(printed("/registry/\ncompact_rev_key\n"));
    expect(await ls("/registry")).toEqual(
      printed("/registry/minions/\n/registry/pods\n/registry/pods/\n/registry/podtemplates/\n"),
    );
    expect(await ls("/registry/pods/default/")).toEqual(printed("/registry/pods/default/web\n"));
  });
  test("shows a key that is also a folder together with the keys below it", async () => {
    expect(await ls("/registry/pods")).toEqual(
      printed("/registry/pods\n/registry/pods/default/\n/registry/pods/kube-system/\n"),
    );
  });
  test("-r shows all keys below a folder, not other keys with the same prefix", async () => {
    expect(await ls("-r", "/registry/pods")).toEqual(
      printed("/registry/pods\n/registry/pods/default/web\n/registry/pods/kube-system/dns\n"),
    );
  });
  test("-l prints revision, version and size, separated by tabs", async () => {
    expect(await ls("-l", "/registry/pods")).toEqual(
      printed(
        "5\t1\t3\t/registry/pods\n-\t-\t1 key\t/registry/pods/default/\n-\t-\t1 key\t/registry/pods/kube-system/\n",
      ),
    );
    expect(await ls("-rl", "/registry/pods/default")).toEqual(
      printed("3\t2\t6\t/registry/pods/default/web\n"),
    );
  });
  test("-l prints a table on a terminal", async () => {
    const dir = await directory();
    const { stdout } = await runStore(["ls", "--data-dir", dir, "-l"], { columns: 80 });
    expect(stdout).toBe(
      "REVISION   VERSION   SIZE     KEY\n-          -         5 keys   /registry/\n6          1         1        compact_rev_key\n",
    );
  });
  test("--rev lists keys as of a revision", async () => {
    expect(await ls("-rl", "--rev", "2")).toEqual(printed("2\t1\t5\t/registry/pods/default/web\n"));
  });
  test("-o json prints JSON", async () => {
    const { stdout } = await ls("-o", "json");
    expect(JSON.parse(stdout)).toEqual([
      { folder: "/registry/", keys: 5 },
      { key: "compact_rev_key", createRevision: 6, modRevision: 6, version: 1, size: 1 },
    ]);
  });
  test("a folder that does not exist exits with code 1", async () => {
    expect(await ls("/registry/po")).toEqual({
      code: 1,
      stdout: "",
      stderr: "Error: there is no key below /registry/po\n",
    });
  });
  test("control characters in keys are quoted on a terminal", async () => {
    const dir = await newDataDirectory([[putText("a\u001b[31m", ""), putText("ä/\u{10ffff}", "")]]);
    const on = (columns?: number) =>
      runStore(["ls", "--data-dir", dir, "-r"], columns === undefined ? {} : { columns });
    expect(await on(80)).toEqual(printed('"a\\x1b[31m"\n"ä/\\U0010ffff"\n'));
    expect(await on()).toEqual(printed("a\u001b[31m\nä/\u{10ffff}\n"));
  });
  test("lists more keys than fit into a page", async () => {
    const keys = Array.from({ length: 1300 }, (_, i) => `/registry/pods/n/${1000 + i}`);
    const dir = await newDataDirectory([keys.map((key) => putText(key, "x"))]);
    const all = keys.map((key) => `${key}\n`).join("");
    expect(await runStore(["ls", "--data-dir", dir, "-r"])).toEqual(printed(all));
    expect(await runStore(["ls", "--data-dir", dir, "/registry/pods/n"])).toEqual(printed(all));
  });
  test("folders are listed once, also if their keys have the highest code point", async () => {
    const dir = await newDataDirectory([
      [putText("a/\u{10ffff}x", ""), putText("a/b", ""), putText("b", ""), putText("a/b/c", "")],
    ]);
    expect(await runStore(["ls", "--data-dir", dir])).toEqual(printed("a/\nb\n"));
  });
});
