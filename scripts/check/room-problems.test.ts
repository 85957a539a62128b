import { expect, test } from "vitest";
import { maxProductFiles, maxReadmeLines, roomProblems } from "./room-problems.mjs";

const problems = (files: Readonly<Record<string, string>>): readonly string[] =>
  roomProblems(Object.keys(files), (path) => files[path] ?? "");

const many = (folder: string, count: number, ending: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${folder}/f${n}${ending}`, ""]));

test("roomProblems: a layer with a README that names its rooms is in order", () => {
  expect(
    problems({
      "src/store/README.md": "# store\n\n`lmdb/` is the store on disk.\n",
      "src/store/store.ts": "",
      "src/store/lmdb/lmdb-store.ts": "",
      "src/api/README.md": "# api\n",
      "src/api/apps/v1/deployment.ts": "",
      "src/api/resource/v1beta2/device.ts": "",
    }),
  ).toEqual([]);
});

test("roomProblems: tests, suites and generated files do not count as product files", () => {
  const readme = { "src/x/README.md": "# x\n" };
  expect(problems({ ...readme, ...many("src/x", maxProductFiles, ".ts") })).toEqual([]);
  expect(
    problems({
      ...readme,
      ...many("src/x", maxProductFiles, ".ts"),
      ...many("src/x", 5, ".test.ts"),
      ...many("src/x", 5, ".test-support.ts"),
      ...many("src/x", 5, "-suite.ts"),
      ...many("src/x", 5, ".generated.ts"),
    }),
  ).toEqual([]);
  expect(problems({ ...readme, ...many("src/x", maxProductFiles + 1, ".ts") })).toEqual([
    "src/x: has 31 product files side by side, 30 at most",
  ]);
});

test("roomProblems: a layer without a README is reported", () => {
  expect(problems({ "src/x/a.ts": "" })).toEqual(["src/x: its layer has no README.md"]);
});

test("roomProblems: a room must be named by the nearest README above it, as a whole word", () => {
  const files = { "src/x/README.md": "# x\n\n`wide-room` and rooms\n", "src/x/room/a.ts": "" };
  expect(problems(files)).toEqual(["src/x/room: src/x/README.md does not name it"]);
  expect(problems({ ...files, "src/x/room/README.md": "# room\n" })).toEqual([]);
});

test("roomProblems: rooms below a version of the API must be named", () => {
  const files = { "src/api/README.md": "# api\n", "src/api/core/v1/pod/pod.ts": "" };
  expect(problems(files)).toEqual(["src/api/core/v1/pod: src/api/README.md does not name it"]);
});

test("roomProblems: a README that is too long is reported", () => {
  const text = "line\n".repeat(maxReadmeLines + 1);
  expect(problems({ "src/x/README.md": text, "src/x/a.ts": "" })).toEqual([
    "src/x/README.md: has 41 lines, 40 at most",
  ]);
});
