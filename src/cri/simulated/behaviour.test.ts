import { expect, test } from "vitest";
import { behaviourOf } from "./behaviour.ts";
import { parseDurationRange, pickFrom } from "./duration-range.ts";
import { programOf } from "./program.ts";
import { isWithin, nextChange, parseWindows } from "./windows.ts";

const behaviour = (annotations: Record<string, string>, command: string[] = []) =>
  behaviourOf(
    { annotations },
    { metadata: { name: "web", attempt: 0 }, command, args: [], kind: "container" },
  );

test("behaviourOf: annotations for one container override those for all", () => {
  const annotations = { "wherry.dev/exit-code": "1", "web.wherry.dev/exit-code": "2" };
  expect(behaviour(annotations).exitCode).toBe(2);
  expect(behaviour({ "other.wherry.dev/exit-code": "2" }).exitCode).toBeUndefined();
});

test("behaviourOf: annotations about the end override the command", () => {
  expect(behaviour({}, ["true"]).program?.exit).toEqual({ ms: 0, code: 0 });
  expect(behaviour({ "wherry.dev/exit-after": "5s" }, ["true"]).program).toBeUndefined();
});

test("behaviourOf: ignores invalid values", () => {
  const odd = behaviour({
    "wherry.dev/start-delay": "soon",
    "wherry.dev/exit-code": "-1",
    "wherry.dev/readiness-fails": "5s",
    "wherry.dev/exec": "{",
  });
  expect([odd.startDelay, odd.exitCode, odd.readinessFails, odd.exec]).toEqual([
    undefined,
    undefined,
    [],
    {},
  ]);
});

test("behaviourOf: the response of a command is a text or an object", () => {
  const { exec } = behaviour({
    "wherry.dev/exec": '{"date": "today", "bad": {"stderr": "no", "exitCode": 2}}',
  });
  expect(exec).toEqual({ date: { stdout: "today" }, bad: { stderr: "no", exitCode: 2 } });
});

const programs: readonly [readonly string[], string | undefined][] = [
  [["true"], "exit 0 at 0"],
  [["/bin/false"], "exit 1 at 0"],
  [["sleep", "1.5"], "exit 0 at 1500"],
  [["sleep", "2m"], "exit 0 at 120000"],
  [["sleep", "infinity"], "runs"],
  [["echo", "a", "b"], "a b\n exit 0 at 0"],
  [["sh", "-c", "echo hi; sleep 2; echo bye; exit 7"], "hi\nbye\n exit 7 at 2000"],
  [["sh", "-c", "false && echo no; echo yes"], "yes\n exit 0 at 0"],
  [["sh", "-c", "false || echo yes"], "yes\n exit 0 at 0"],
  [["sh", "-c", "true && exit 3 && echo no"], "exit 3 at 0"],
  [["sh", "-ec", "false; echo no"], "exit 1 at 0"],
  [["/bin/bash", "-c", "echo 'a  b' \"c\"d"], "a  b cd\n exit 0 at 0"],
  [["sh", "-c", "echo one\necho two"], "one\ntwo\n exit 0 at 0"],
  [["sh", "-c", "echo $HOME"], undefined],
  [["sh", "-c", "while true; do sleep 1; done"], undefined],
  [["sh", "-c", "cat < file"], undefined],
  [["sh", "-c", "sleep 1 &"], undefined],
  [["sh"], undefined],
  [["nginx", "-g", "daemon off;"], undefined],
  [["sleep"], undefined],
  [["exit"], undefined],
  [[], undefined],
];

for (const [words, expected] of programs)
  test(`programOf: ${JSON.stringify(words)}`, () => {
    const program = programOf(words);
    const text = program?.lines.map((line) => line.text).join("") ?? "";
    const end = program?.exit ? `exit ${program.exit.code} at ${program.exit.ms}` : "runs";
    expect(program && (text === "" ? end : `${text} ${end}`)).toBe(expected);
  });

test("parseDurationRange: durations with and without a random part", () => {
  expect(parseDurationRange("1m30s")).toEqual({ ms: 90_000, spread: 0 });
  expect(parseDurationRange("2s±500ms")).toEqual({ ms: 2000, spread: 500 });
  expect(parseDurationRange("2s +- 1s")).toEqual({ ms: 2000, spread: 1000 });
  for (const odd of ["", "2", "2s±", "2s±1s±1s", "-1s"])
    expect(parseDurationRange(odd), odd).toBeUndefined();
  expect([0, 0.5, 0.999].map((chance) => pickFrom({ ms: 2000, spread: 500 }, chance))).toEqual([
    1500, 2000, 2499,
  ]);
  expect(pickFrom({ ms: 100, spread: 500 }, 0)).toBe(0);
});

test("parseWindows: windows with and without an end", () => {
  const windows = parseWindows("10s-20s, 1m-") ?? [];
  expect([0, 10_000, 19_999, 20_000, 60_000, 9e9].map((ms) => isWithin(windows, ms))).toEqual([
    false,
    true,
    true,
    false,
    true,
    true,
  ]);
  expect([0, 10_000, 30_000, 60_000].map((ms) => nextChange(windows, ms))).toEqual([
    10_000,
    20_000,
    60_000,
    Number.POSITIVE_INFINITY,
  ]);
  expect(parseWindows("always")).toEqual([[0, Number.POSITIVE_INFINITY]]);
  for (const odd of ["", "5s", "a-b", "1s-2s-3s"]) expect(parseWindows(odd), odd).toBeUndefined();
});
