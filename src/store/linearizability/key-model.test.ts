import { expect, test } from "vitest";
import type { Read, Write, WriteOutcome } from "./history.ts";
import { keyModel } from "./key-model.ts";

const created = put("a", 0, done(2));
const cases: [string, (Read | Write)[], boolean][] = [
  ["a key is absent at first", [read()], true],
  ["what was created is read", [created, read("a", 2)], true],
  ["what was created is not read with another revision", [created, read("a", 3)], false],
  ["what was created is not absent", [created, read()], false],
  ["a creation of what is there is not done", [created, put("b", 0, done(3))], false],
  ["a creation of what is there is refused", [created, put("b", 0, refused("a", 2))], true],
  ["a creation is not refused by what is not there", [put("b", 0, refused("a", 2))], false],
  ["a creation of what is absent is not refused", [put("b", 0, { type: "refused" })], false],
  ["an update at its revision is done", [created, put("b", 2, done(5)), read("b", 5)], true],
  ["an update at another revision is not done", [created, put("b", 3, done(5))], false],
  ["an update at its revision is not refused", [created, put("b", 2, refused("a", 2))], false],
  ["a revision does not go down", [created, put("b", undefined, done(1))], false],
  ["a revision is not given twice", [created, put("b", undefined, done(2))], false],
  ["what was deleted is absent", [created, remove(2, done(3)), read()], true],
  ["what was deleted is not there", [created, remove(2, done(3)), read("a", 2)], false],
  ["revisions go on after a deletion", [created, remove(2, done(4)), put("b", 0, done(3))], false],
  [
    "a deletion of what is absent is refused",
    [remove(2, { type: "refused", current: "absent" })],
    true,
  ],
  ["a write without an answer is read", [put("a", 0, { type: "unknown" }), read("a", 7)], true],
  [
    "a write without an answer has one revision",
    [put("a", 0, { type: "unknown" }), read("a", 7), read("a", 8)],
    false,
  ],
  [
    "a write without an answer has a greater revision than those before",
    [created, put("b", 2, { type: "unknown" }), read("b", 2)],
    false,
  ],
  [
    "a write without an answer keeps its condition",
    [created, put("b", 0, { type: "unknown" })],
    false,
  ],
  [
    "a write without an answer is updated at the revision that it got",
    [put("a", 0, { type: "unknown" }), put("b", 4, done(6)), read("b", 6)],
    true,
  ],
  [
    "a deletion that did not tell its revision is one",
    [created, remove(2, { type: "done" }), put("b", 0, done(4))],
    true,
  ],
];

for (const [what, operations, allowed] of cases) {
  test(`keyModel: ${what}`, () => {
    let state: typeof keyModel.initial | undefined = keyModel.initial;
    for (const operation of operations) state = state && keyModel.step(state, operation);
    expect(state !== undefined).toBe(allowed);
  });
}

function read(value?: string, revision = 0): Read {
  return { type: "read", key: "/k", found: value === undefined ? undefined : { value, revision } };
}

function put(value: string, ifRevision: number | undefined, outcome: WriteOutcome): Write {
  return { type: "write", key: "/k", value, ifRevision, outcome };
}

function remove(ifRevision: number, outcome: WriteOutcome): Write {
  return { type: "write", key: "/k", value: undefined, ifRevision, outcome };
}

function done(revision: number): WriteOutcome {
  return { type: "done", revision };
}

function refused(value: string, revision: number): WriteOutcome {
  return { type: "refused", current: { value, revision } };
}
