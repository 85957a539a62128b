import { expect, test } from "vitest";
import { endsLine, LogLines } from "./log-lines.ts";
import type { LogPiece } from "./streams.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const shown = ({ stream, at, nanos, bytes }: LogPiece) => [
  stream,
  new Date(at).toISOString(),
  nanos,
  new TextDecoder().decode(bytes),
];
const read = (log: string, size = log.length || 1) => {
  const lines = new LogLines();
  const all = bytes(log);
  const pieces: LogPiece[] = [];
  for (let i = 0; i < all.length; i += size) pieces.push(...lines.add(all.subarray(i, i + size)));
  return [...pieces, ...lines.end()].map(shown);
};

const time = "2026-01-02T03:04:05.123456789Z";
const iso = "2026-01-02T03:04:05.123Z";

test.each<[string, string, unknown[]]>([
  ["a line", `${time} stdout F a b\n`, [["stdout", iso, 456789, "a b\n"]]],
  ["an empty line", `${time} stderr F \n`, [["stderr", iso, 456789, "\n"]]],
  ["an empty line without a space", `${time} stderr F\n`, [["stderr", iso, 456789, "\n"]]],
  ["further tags", `${time} stdout F:x a\n`, [["stdout", iso, 456789, "a\n"]]],
  [
    "another zone and few digits",
    "2026-01-02T05:04:05.1+02:00 stdout F a\n",
    [["stdout", "2026-01-02T03:04:05.100Z", 0, "a\n"]],
  ],
  [
    "no fraction",
    "2026-01-02T03:04:05Z stdout F a\n",
    [["stdout", "2026-01-02T03:04:05.000Z", 0, "a\n"]],
  ],
  [
    "parts have the time of the first",
    `${time} stdout P ab\n2026-01-02T03:04:06Z stdout F cd\n`,
    [["stdout", iso, 456789, "abcd\n"]],
  ],
  [
    "parts of two streams are kept apart",
    `${time} stdout P a\n${time} stderr P 1\n${time} stdout F b\n${time} stderr F 2\n`,
    [
      ["stdout", iso, 456789, "ab\n"],
      ["stderr", iso, 456789, "12\n"],
    ],
  ],
  ["a line without an end", `${time} stdout P ab\n`, [["stdout", iso, 456789, "ab"]]],
  ["a record without an end", `${time} stdout F ab`, []],
  [
    "other forms are skipped",
    `nonsense\n\n${time} stdin F a\n${time} stdout X a\nyesterday stdout F a\n${time} stdout F b\n`,
    [["stdout", iso, 456789, "b\n"]],
  ],
])("LogLines: %s", (_, log, expected) => {
  for (const size of [log.length, 1, 7]) expect(read(log, size)).toEqual(expected);
});

test("LogLines: content need not be text", () => {
  const raw = Uint8Array.of(0xff, 0x00, 0x20, 0x0d, 0x0a);
  const [piece] = new LogLines().add(Uint8Array.from([...bytes(`${time} stdout F `), ...raw]));
  expect(piece?.bytes).toEqual(raw);
});

test("LogLines: an endless line is returned in parts", () => {
  const lines = new LogLines();
  const part = bytes(`${time} stdout P ${"x".repeat(8192)}\n`);
  const pieces = Array.from({ length: 100 }, () => lines.add(part)).flat();
  expect(pieces.map(({ bytes }) => bytes.length)).toEqual([262_144, 262_144, 262_144]);
  const [last] = lines.add(bytes(`${time} stdout F y\n`));
  expect(last?.bytes.length).toBe(4 * 8192 + 2);
});

test("endsLine: the last part of a line", () => {
  expect([`${time} stdout F a\n`, `${time} stdout P a\n`, "x\n"].map(bytes).map(endsLine)).toEqual([
    true,
    false,
    false,
  ]);
});
