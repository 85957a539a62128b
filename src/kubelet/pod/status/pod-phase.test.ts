import { expect, test } from "vitest";
import type { ContainerStatus } from "../../../api/core/v1/container/container-status.ts";
import { type PhaseInput, podPhase } from "./pod-phase.ts";

/** A container by a word for its state: `0` and `1` have ended, `(1)` will be restarted. */
const statusOf = (name: string, word: string): ContainerStatus[] => {
  const ended = (code: string) => ({ terminated: { exitCode: Number(code) } });
  const state: Record<string, object> = {
    running: { state: { running: {} }, started: true },
    starting: { state: { running: {} }, started: false },
    waiting: { state: { waiting: {} } },
  };
  if (word === "unknown") return [];
  const again = /^\((\d+)\)$/.exec(word)?.[1];
  const rest =
    state[word] ??
    (again === undefined
      ? { state: ended(word) }
      : { state: { waiting: {} }, lastState: ended(again) });
  return [{ name, ...rest } as unknown as ContainerStatus];
};

type Policy = "Always" | "OnFailure" | "Never";

/** Containers; init containers, of which sidecars begin with a plus. */
function phase(policy: Policy, main: string, init = "", more: Partial<PhaseInput> = {}) {
  const words = (text: string) => (text === "" ? [] : text.split(" "));
  const containers = words(main).map((word, i) => ({ name: `c${i}`, word }));
  const initContainers = words(init).map((word, i) => ({
    name: `i${i}`,
    word: word.replace("+", ""),
    ...(word.startsWith("+") && { restartPolicy: "Always" }),
  }));
  return podPhase({
    spec: { restartPolicy: policy, containers, initContainers } as never,
    statuses: [...containers, ...initContainers].flatMap(({ name, word }) => statusOf(name, word)),
    isTerminal: false,
    isInitialized: false,
    ...more,
  });
}

const cases: readonly [Policy, string, string, string, Partial<PhaseInput>?][] = [
  ["Always", "waiting", "", "Pending"],
  ["Always", "unknown", "", "Pending"],
  ["Always", "running", "", "Running"],
  ["Always", "running waiting", "", "Pending"],
  ["Always", "running 1", "", "Running"],
  ["Always", "0", "", "Running"],
  ["Always", "(1)", "", "Running"],
  ["OnFailure", "0 0", "", "Succeeded"],
  ["OnFailure", "0 1", "", "Running"],
  ["Never", "0 0", "", "Succeeded"],
  ["Never", "0 1", "", "Failed"],
  ["Never", "1 running", "", "Running"],
  ["Always", "0 0", "", "Succeeded", { isTerminal: true }],
  ["Always", "0 1", "", "Failed", { isTerminal: true }],
  ["Always", "(0)", "", "Failed", { isTerminal: true }],
  ["Always", "waiting", "running", "Pending"],
  ["Always", "waiting", "1", "Pending"],
  ["Never", "waiting", "1", "Failed"],
  ["Never", "waiting", "0 1", "Failed"],
  ["Always", "running", "0", "Running"],
  ["Always", "waiting", "+starting", "Pending"],
  ["Always", "running", "+starting", "Pending"],
  ["Always", "running", "+starting", "Running", { isInitialized: true }],
  ["Never", "0", "+running", "Running"],
  ["Never", "0", "+0", "Succeeded"],
  ["Never", "1", "+0", "Failed"],
];

for (const [policy, main, init, expected, more] of cases)
  test(`podPhase: ${policy}, ${main}${init && ` after ${init}`}${more ? `, ${Object.keys(more)}` : ""} is ${expected}`, () => {
    expect(phase(policy, main, init, more)).toBe(expected);
  });
