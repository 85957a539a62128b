import { describe, expect, test } from "vitest";
import {
  configMap,
  newDataDirectory,
  put,
  putText,
  runStore,
} from "./store-command.test-support.ts";

const map = "/registry/configmaps/default/m";
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const aged = (minutes: number) =>
  put(map, configMap({ m: String(minutes) }, { time: ago(minutes) }));
const commits = [[aged(90)], [aged(30)], [putText("undated", "x")], [aged(5)]];

const compact = (dir: string, ...args: readonly string[]) =>
  runStore(["compact", "--data-dir", dir, ...args]);
const printed = (stdout: string) => ({ code: 0, stdout: `${stdout}\n`, stderr: "" });
/** The revisions that the history still shows. */
const kept = async (dir: string): Promise<string[]> =>
  (await runStore(["history", "--data-dir", dir, map])).stdout.match(/(?<=revision )\d+/g) ?? [];

describe("wherry store compact", () => {
  test("removes versions superseded before a revision", async () => {
    const dir = await newDataDirectory(commits);
    expect(await kept(dir)).toEqual(["2", "3", "5"]);
    expect(await compact(dir, "3")).toEqual(
      printed("compacted: the oldest revision is now 3; the current one is 5"),
    );
    expect(await kept(dir)).toEqual(["3", "5"]);
  });
  test("without a revision, removes all history", async () => {
    const dir = await newDataDirectory(commits);
    expect(await compact(dir)).toEqual(
      printed("compacted: the oldest revision is now 5; the current one is 5"),
    );
    expect(await kept(dir)).toEqual(["5"]);
    expect(await compact(dir)).toEqual(
      printed("nothing to compact: the oldest revision is 5 already"),
    );
  });
  test("--keep removes older history, by the times in the objects", async () => {
    const dir = await newDataDirectory(commits);
    expect(await compact(dir, "--keep", "2h")).toEqual(
      printed("nothing to compact: no revision is known to be older than 2h0m0s"),
    );
    expect(await compact(dir, "--keep", "10m")).toEqual(
      printed("compacted: the oldest revision is now 3; the current one is 5"),
    );
    expect(await kept(dir)).toEqual(["3", "5"]);
  });
  test.each([
    [["x"], 'a revision is a number above 0, not "x"'],
    [["0"], 'a revision is a number above 0, not "0"'],
    [["3", "--keep", "1h"], "REVISION and --keep exclude each other"],
    [["--keep", "-1h"], "--keep must not be negative"],
  ])("%j is a usage error", async (args, problem) => {
    expect(await compact(await newDataDirectory(commits), ...args)).toEqual({
      code: 2,
      stdout: "",
      stderr: `Error: ${problem}\nSee 'wherry store compact --help' for usage.\n`,
    });
  });
  test.each([
    ["9", "revision 9 is in the future; the current one is 5"],
    ["2", "revision 2 has been compacted; the oldest kept is 4"],
  ])("a revision that is not kept exits with code 1: %s", async (revision, problem) => {
    expect(await compact(await newDataDirectory(commits, 4), revision)).toEqual({
      code: 1,
      stdout: "",
      stderr: `Error: ${problem}\n`,
    });
  });
});
