import { expect, test } from "vitest";
import { type LogFile, readLog } from "./read-log.ts";

const log = [
  "2026-01-02T03:04:05Z stdout F a\n",
  "2026-01-02T03:04:06Z stderr P b1\n",
  "2026-01-02T03:04:07Z stderr F b2\n",
  "2026-01-02T03:04:08Z stdout F c\n",
  "2026-01-02T03:04:09Z stdout P d",
  "1\n",
];
const file: LogFile = {
  async tail(count, endsLine) {
    const records = log.join("").split(/(?<=\n)/);
    const ends = records.flatMap((record, i) =>
      i === records.length - 1 || endsLine(new TextEncoder().encode(record)) ? [i + 1] : [],
    );
    return records.slice(0, ends.at(-1 - count) ?? 0).join("").length;
  },
  async *read({ from }) {
    let skip = from;
    for (const bytes of log.map((text) => new TextEncoder().encode(text))) {
      yield bytes.subarray(skip);
      skip = Math.max(0, skip - bytes.length);
    }
  },
};

const at = (seconds: number): number => Date.UTC(2026, 0, 2, 3, 4, seconds);

test.each([
  [{}, ["a\n", "b1b2\n", "c\n", "d1"]],
  [{ tailLines: 2 }, ["c\n", "d1"]],
  [{ tailLines: 3 }, ["b1b2\n", "c\n", "d1"]],
  [{ since: at(6) }, ["b1b2\n", "c\n", "d1"]],
  [{ since: at(7) }, ["c\n", "d1"]],
  [{ since: at(8), tailLines: 2 }, ["c\n", "d1"]],
  [{ since: at(9), tailLines: 2 }, ["d1"]],
])("readLog: %j", async (options, expected) => {
  const { signal } = new AbortController();
  const texts: string[] = [];
  for await (const { bytes } of readLog(file, { follow: false, signal, ...options }, signal))
    texts.push(new TextDecoder().decode(bytes));
  expect(texts).toEqual(expected);
});
