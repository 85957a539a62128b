import { expect, test } from "vitest";
import { cpuTimeMs } from "../../../test/cpu-time.ts";
import { checkLinearizable, type Model, type Timed } from "./check-linearizable.ts";

/** A register: `w1` writes 1, `r1` reads 1. */
const register: Model<string, string> = {
  initial: "0",
  step: (state, operation) => {
    if (operation.startsWith("w")) return operation.slice(1);
    return operation.slice(1) === state ? state : undefined;
  },
  key: (state) => state,
};

/** One line per operation, as a diagram: it takes effect at some time between its ends. */
const histories: [string, boolean, string[]][] = [
  ["nothing happened", true, []],
  ["a read of what was written before", true, ["|w1|", "     |r1|"]],
  ["a read of what was there before it was overwritten", false, ["|w1|", "     |r0|"]],
  ["a read beside a write sees the old", true, ["|--w1--|", "  |r0|"]],
  ["a read beside a write sees the new", true, ["|--w1--|", "  |r1|"]],
  ["the new, and then the old, beside one write", false, ["|----w1----|", " |r1|", "      |r0|"]],
  ["the old, and then the new, beside one write", true, ["|----w1----|", " |r0|", "      |r1|"]],
  [
    "two writes beside each other, seen in one order by both",
    true,
    ["|-w1-|", "|-w2-|", "       |r1|", "            |r1|"],
  ],
  [
    "two writes beside each other, seen in both orders",
    false,
    ["|-w1-|", "|-w2-|", "       |r1|", "            |r2|"],
  ],
  ["a write without an answer that happened", true, ["|w1", "     |r1|"]],
  ["a write without an answer that did not happen", true, ["|w1", "     |r0|"]],
  ["a write without an answer that happened late", true, ["|w1", "     |r0|", "           |r1|"]],
  [
    "a write without an answer that happened and was taken back",
    false,
    ["|w1", "     |r1|", "           |r0|"],
  ],
  ["a write without an answer, seen before it was made", false, ["|r1|", "     |w1"]],
  [
    "a write without an answer that happens twice",
    false,
    ["|w1", "     |r1|", "          |w2|", "               |r1|"],
  ],
];

for (const [what, ok, lines] of histories) {
  test(`checkLinearizable: ${what} is ${ok ? "allowed" : "not allowed"}`, () => {
    expect(checkLinearizable(register, lines.map(drawn)).ok).toBe(ok);
  });
}

test("checkLinearizable: returns the order, or the longest one if there is none", () => {
  const shown = (lines: string[]) => {
    const result = checkLinearizable(register, lines.map(drawn));
    const names = (all: readonly Timed<string>[]) =>
      all.map(({ operation }) => operation).join(" ");
    return result.ok
      ? names(result.order)
      : `${names(result.order)}, then none of ${names(result.stuck)}`;
  };
  expect([
    shown(["|---w1---|", "|---w2---|", " |r2|", "      |r1|"]),
    shown(["|---w1---|", "|---w2---|", " |r2|", "      |r3|"]),
  ]).toEqual(["w2 r2 w1 r1", "w1 w2 r2, then none of r3"]);
});

test("checkLinearizable: agrees with brute force on small random histories", () => {
  let state = 7;
  const next = (below: number): number => {
    state = (state * 48271) % 2147483647;
    return state % below;
  };
  const outcomes = { allowed: 0, refused: 0 };
  for (let round = 0; round < 3000; round++) {
    const operations = Array.from({ length: 5 }, (): Timed<string> => {
      const call = next(12);
      const open = next(6) === 0;
      const operation = `${open || next(2) === 0 ? "w" : "r"}${next(3)}`;
      const end = open ? Number.POSITIVE_INFINITY : call + 1 + next(8);
      // No two at the same time: their order would be undefined.
      return { operation, call: call + next(1000) / 1000, return: end + next(1000) / 1000 };
    });
    const expected = someOrder(operations, "0");
    expect(checkLinearizable(register, operations).ok, JSON.stringify(operations)).toBe(expected);
    outcomes[expected ? "allowed" : "refused"]++;
  }
  expect(Math.min(outcomes.allowed, outcomes.refused)).toBeGreaterThan(300);
});

test("checkLinearizable: thousands of operations of many clients are fast", () => {
  const operations: Timed<string>[] = [];
  for (let at = 0; at < 5000; at++) {
    operations.push({ operation: `w${at}`, call: at * 10, return: at * 10 + 25 });
    operations.push({ operation: `r${at}`, call: at * 10 + 1, return: at * 10 + 27 });
  }
  for (let at = 0; at < 10; at++) {
    operations.push({ operation: "w", call: at * 1000, return: Number.POSITIVE_INFINITY });
  }
  const began = cpuTimeMs();
  expect(checkLinearizable(register, operations).ok).toBe(true);
  expect(cpuTimeMs() - began).toBeLessThan(5000);
});

function drawn(line: string): Timed<string> {
  const [operation = ""] = /\w+/.exec(line) ?? [];
  const [call, end] = [line.indexOf("|"), line.lastIndexOf("|")];
  return { operation, call, return: end === call ? Number.POSITIVE_INFINITY : end };
}

/** The definition, by brute force. */
function someOrder(left: readonly Timed<string>[], state: string): boolean {
  if (left.every((each) => each.return === Number.POSITIVE_INFINITY)) return true;
  return left.some((each) => {
    const others = left.filter((other) => other !== each);
    if (others.some((other) => other.return < each.call)) return false;
    const after = register.step(state, each.operation);
    return after !== undefined && someOrder(others, after);
  });
}
