import { expect, test } from "vitest";
import { checkHistory } from "./check-history.ts";
import type { History, LogBatch, Recorded } from "./history.ts";

const a2 = { value: "a", revision: 2 };
const b3 = { value: "b", revision: 3 };
const good: History = {
  operations: [
    write([0, 1], { key: "/x", value: "a", ifRevision: 0 }, { type: "done", revision: 2 }),
    write([2, 5], { key: "/y", value: "b", ifRevision: 0 }, { type: "done", revision: 3 }),
    at([3, 4], { type: "read", key: "/y", found: b3 }),
    at([6, 7], {
      type: "list",
      found: new Map([
        ["/x", a2],
        ["/y", b3],
      ]),
      revision: 3,
    }),
    write([8, 9], { key: "/x", value: "c", ifRevision: 0 }, { type: "refused", current: a2 }),
    write([10, Infinity], { key: "/x", value: "d", ifRevision: 2 }, { type: "unknown" }),
    write([11, 12], { key: "/y", value: undefined, ifRevision: 3 }, { type: "done" }),
  ],
  watches: [
    { from: 2, batches: [batch(3, "/y", "b"), { revision: 3, changes: [] }, batch(4, "/y")] },
  ],
  log: {
    from: 1,
    batches: [batch(2, "/x", "a"), batch(3, "/y", "b"), batch(4, "/y"), batch(5, "/x", "d")],
  },
};

const cases: [string, Partial<History>, string[]][] = [
  ["all is as it should be", {}, []],
  [
    "a write that got no answer did not happen",
    { log: { from: 1, batches: good.log.batches.slice(0, 3) } },
    [],
  ],
  [
    "an acknowledged write is lost",
    { log: { from: 1, batches: good.log.batches.toSpliced(1, 1) }, watches: [] },
    [
      "nobody did the deletion of /y at 4",
      "/y=b was acknowledged and is lost",
      "the deletion of /y was acknowledged and is lost",
      "a list at 3 told /x=a@2 /y=b@3, and the log makes it /x=a@2",
    ],
  ],
  [
    "a refused write is there",
    { log: { from: 1, batches: [...good.log.batches, batch(6, "/x", "c")] } },
    ["nobody did /x=c at 6"],
  ],
  [
    "a write is there twice",
    { log: { from: 1, batches: [...good.log.batches, batch(6, "/x", "a")] } },
    ["nobody did /x=a at 6"],
  ],
  [
    "a write that got no answer happened on another revision than it asked for",
    {
      log: {
        from: 1,
        batches: [...good.log.batches.slice(0, 3), batch(5, "/x"), batch(6, "/x", "d")],
      },
    },
    ["nobody did the deletion of /x at 5", "/x=d at 6 was done on 0, not on 2"],
  ],
  [
    "a write is there at another revision",
    {
      log: {
        from: 1,
        batches: good.log.batches.with(3, batch(5, "/x", "d")).with(0, batch(1.5, "/x", "a")),
      },
    },
    [
      "/x=a at 1.5 was acknowledged at 2",
      "/x=d at 5 was done on 1.5, not on 2",
      "a list at 3 told /x=a@2 /y=b@3, and the log makes it /x=a@1.5 /y=b@3",
    ],
  ],
  [
    "a watch goes back",
    { watches: [{ from: 2, batches: [batch(4, "/y"), batch(3, "/y", "b")] }] },
    ["watch 0 went back from 4 to 3", "watch 0 told 4: the deletion of /y where 3: /y=b came next"],
  ],
  [
    "a watch tells the same twice",
    { watches: [{ from: 2, batches: [batch(3, "/y", "b"), batch(3, "/y", "b")] }] },
    ["watch 0 went back from 3 to 3", "watch 0 told 3: /y=b where nothing came next"],
  ],
  [
    "a watch misses an event",
    { watches: [{ from: 1, batches: [batch(2, "/x", "a"), batch(4, "/y")] }] },
    ["watch 0 told 4: the deletion of /y where 3: /y=b came next"],
  ],
  [
    "a watch says that it is further than it is",
    { watches: [{ from: 2, batches: [{ revision: 4, changes: [] }, batch(3, "/y", "b")] }] },
    ["watch 0 went back from 4 to 3"],
  ],
  [
    "a watch says that it is at a revision, and told nothing of what is before",
    { watches: [{ from: 2, batches: [{ revision: 4, changes: [] }] }] },
    ["watch 0 told nothing where 3: /y=b came next"],
  ],
  [
    "a write elsewhere gets a smaller revision than one that was answered before",
    {
      operations: [
        ...good.operations.filter(({ operation }) => operation.type !== "list"),
        write([30, 31], { key: "/z", value: "z", ifRevision: 0 }, { type: "done", revision: 2.5 }),
      ],
      watches: [],
      log: { from: 1, batches: good.log.batches.toSpliced(1, 0, batch(2.5, "/z", "z")) },
    },
    ["a write began after revision 3 was known, and was told 2.5"],
  ],
];

for (const [what, difference, expected] of cases) {
  test(`checkHistory: ${what}`, () => {
    const problems = checkHistory({ ...good, ...difference });
    expect(problems).toEqual(expected);
  });
}

test("checkHistory: a read of an overwritten value is a violation", () => {
  const stale = at([40, 41], { type: "read", key: "/y", found: b3 });
  expect(checkHistory({ ...good, operations: [...good.operations, stale] })).toEqual([
    expect.stringMatching(/^no order explains \/y: after 4 of 5 .* 40.00–41.00 read b@3$/),
  ]);
});

function at(time: [number, number], operation: Recorded["operation"]): Recorded {
  return { client: 0, call: time[0], return: time[1], operation };
}

function write(
  time: [number, number],
  request: { key: string; value: string | undefined; ifRevision: number },
  outcome: Extract<Recorded["operation"], { type: "write" }>["outcome"],
): Recorded {
  return at(time, { type: "write", ...request, outcome });
}

function batch(revision: number, key: string, value?: string): LogBatch {
  return { revision, changes: [{ key, value }] };
}
