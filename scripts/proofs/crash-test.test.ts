import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { VirtualClock } from "../../src/base/virtual-clock.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import type { Op } from "../../src/store/store.ts";
import { requires, testWith } from "../../test/requires.ts";
import { runScript } from "../project.mjs";
import { CrashChecker } from "./crash-checker.ts";
import type { LogLine } from "./crash-log.ts";

for (const [backend, what, need] of [
  ["lmdb", "LmdbStore: killed 20 times under load, it loses nothing that it acknowledged", []],
  ["etcd", "EtcdStore: with members killed 20 times, it loses nothing either", ["etcd"]],
] as const) {
  testWith(requires(...need))(
    what,
    async () => {
      const program = join(import.meta.dirname, "crash-test.ts");
      const arguments_ = [runScript, program, "--backend", backend, "--rounds", "20"];
      const { stdout } = await promisify(execFile)(process.execPath, arguments_);
      expect(stdout).toMatch(/20 kills, revision \d+: \d+ acknowledged commits are all there/);
    },
    120_000,
  );
}

const [a, b, c] = ["1.a.5", "1.b.5", "1.c.5"];
const good: LogLine[] = [
  ["try", 1, [["put", "/a", a]]],
  ["try", 2, [["put", "/b", b]]],
  ["try", 3, [["put", "/a", c]]],
  ["ack", 1, 2],
  ["watch", 2, [["put", "/a", a]]],
  ["ack", 2, 3],
];
const logs: [string, LogLine[], string][] = [
  ["what was acknowledged is there, and one more commit", good, "2 acknowledged, 1 unheard"],
  [
    "an acknowledged commit is lost",
    [...good, ["try", 4, []], ["ack", 4, 5]],
    "acknowledged commits are lost at 4",
  ],
  [
    "another commit is there",
    good.with(1, ["try", 2, [["put", "/b", "?"]]]),
    "what was acknowledged at 3 is not what is there",
  ],
  [
    "a commit that nobody made is there",
    good.toSpliced(2, 1),
    `nobody made the commit found at 4: [["put","/a","${c}"]]`,
  ],
  ["a revision is given to two", [...good, ["ack", 3, 3]], "revision 3 was given twice"],
  ["a revision goes back", [...good, ["ack", 3, 1]], "revision 1 was given twice"],
  [
    "the watch skips one",
    [...good, ["watch", 4, []]],
    "the writer's own watch has a gap or a duplicate",
  ],
  [
    "the watch told something else",
    good.with(4, ["watch", 2, []]),
    "what was watched at 2 is not what is there",
  ],
  [
    "what was watched is lost",
    [...good, ["watch", 3, [["put", "/b", b]]], ["watch", 4, [["put", "/a", c]]], ["watch", 5, []]],
    "watched commits are lost at 4",
  ],
];
for (const [what, lines, expected] of logs) {
  test(`CrashChecker: ${what}`, async () => {
    const store = new MemoryStore(new VirtualClock());
    for (const op of [put("/a", "1.a."), put("/b", "1.b."), put("/a", "1.c.")])
      await store.commit([op]);
    const outcome = await new CrashChecker().check(store, lines).then(
      ({ acknowledged, unheard }) => `${acknowledged} acknowledged, ${unheard} unheard`,
      (error: Error) => error.message,
    );
    expect(outcome).toBe(expected);
  });
}

test("CrashChecker: a revision that goes down is found, even if no key shows it", async () => {
  const checker = new CrashChecker();
  const lines: LogLine[] = [
    ["try", 1, [["put", "/a", a]]],
    ["ack", 1, 2],
    ["try", 2, [["delete", "/a"]]],
    ["ack", 2, 3],
  ];
  const store = new MemoryStore(new VirtualClock());
  await store.commit([put("/a", "1.a.")]);
  await store.commit([{ type: "delete", key: "/a" }]);
  await checker.check(store, lines);
  const gone = checker.check(new MemoryStore(new VirtualClock()), []);
  await expect(gone).rejects.toThrow("the revision went down from 3 to 1");
});

test("CrashChecker: a deletion that was compacted is known by the log", async () => {
  const checker = new CrashChecker();
  const store = new MemoryStore(new VirtualClock());
  await store.commit([put("/a", "1.a.")]);
  await checker.check(store, [
    ["try", 1, [["put", "/a", a]]],
    ["ack", 1, 2],
  ]);
  await store.commit([{ type: "delete", key: "/a" }]);
  await store.compact(3);
  const unknown = checker.check(store, [["try", 2, [["delete", "/a"]]]]);
  await expect(unknown).rejects.toThrow("revision 3 was compacted before its writer knew of it");
  const known = checker.check(store, [
    ["try", 2, [["delete", "/a"]]],
    ["ack", 2, 3],
  ]);
  expect(await known).toEqual({ revision: 3, acknowledged: 1, unheard: 0 });
});

for (const [what, revision, keys, expected] of [
  ["is right", 3, ["/a", "/b"], undefined],
  ["misses a key", 3, ["/a"], "the snapshot at 3 is wrong"],
  ["is of another revision", 2, ["/a", "/b"], "the snapshot at 2 is wrong"],
  ["is of the future", 9, ["/a", "/b"], "the snapshot is of 9, which nobody can have seen"],
] as const) {
  test(`CrashChecker: a snapshot that ${what}`, async () => {
    const store = new MemoryStore(new VirtualClock());
    for (const op of [put("/a", "1.a."), put("/b", "1.b."), put("/a", "1.c.")])
      await store.commit([op]);
    const { entries } = await store.list("", { revision: 3 });
    const found = entries.filter(({ key }) => keys.some((each) => each === key));
    const outcome = await new CrashChecker().check(store, good, { revision, entries: found }).then(
      () => undefined,
      (error: Error) => error.message,
    );
    expect(outcome).toBe(expected);
  });
}

function put(key: string, value: string): Op {
  return { type: "put", key, value: new TextEncoder().encode(`${value}x`) };
}
