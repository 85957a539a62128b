import { appendFile, mkdtemp, rename, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../../test/eventually.ts";
import { logFile } from "./log-file.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "log-file-"));
  path = join(folder, "0.log");
});
afterEach(() => rm(folder, { recursive: true }));

/** Collects what is read, until the log has ended. */
function reading(follow: boolean, from = 0) {
  const ended = new AbortController();
  const reader = new AbortController();
  let text = "";
  const read = async (): Promise<string> => {
    const options = { from, follow, ended: ended.signal, signal: reader.signal };
    for await (const bytes of logFile(path).read(options)) text += Buffer.from(bytes).toString();
    return text;
  };
  const has = (expected: string) => eventually(() => expect(text).toBe(expected));
  return { all: read(), has, end: () => ended.abort(), leave: () => reader.abort() };
}

test("logFile: reads a file from an offset to its end", async () => {
  await writeFile(path, `${"x".repeat(100_000)}end`);
  expect((await reading(false).all).length).toBe(100_003);
  expect(await reading(false, 100_000).all).toBe("end");
});

test("logFile: a missing file is empty", async () => {
  expect(await reading(false).all).toBe("");
});

test("logFile: follows a file from before it exists until its end", async () => {
  const log = reading(true);
  await writeFile(path, "a");
  await log.has("a");
  await appendFile(path, "b");
  await log.has("ab");
  await appendFile(path, "c");
  log.end();
  expect(await log.all).toBe("abc");
});

test("logFile: follows a file that ended before", async () => {
  await writeFile(path, "a");
  const log = reading(true);
  log.end();
  expect(await log.all).toBe("a");
});

test("logFile: follows a renamed file to its end, then the new one", async () => {
  await writeFile(path, "a");
  const log = reading(true);
  await log.has("a");
  await rename(path, `${path}.1`);
  await appendFile(`${path}.1`, "b");
  await log.has("ab");
  await appendFile(`${path}.1`, "c");
  await writeFile(path, "d");
  await log.has("abcd");
  log.end();
  expect(await log.all).toBe("abcd");
});

test("logFile: begins again when a file was cut", async () => {
  await writeFile(path, "long");
  const log = reading(true);
  await log.has("long");
  await truncate(path);
  await appendFile(path, "er");
  await log.has("longer");
  log.end();
  await log.all;
});

test("logFile: stops when nobody reads", async () => {
  await writeFile(path, "a");
  const log = reading(true);
  await log.has("a");
  log.leave();
  expect(await log.all).toBe("a");
});

const endsLine = (record: Uint8Array): boolean =>
  !Buffer.from(record).toString().startsWith("part");

test.each<[string, number, number]>([
  ["a\nb\nc\n", 1, 4],
  ["a\nb\nc\n", 2, 2],
  ["a\nb\nc\n", 3, 0],
  ["a\nb\nc\n", 9, 0],
  ["a\nb\nc\n", 0, 6],
  ["", 1, 0],
  ["a\nb\nunfinished", 1, 2],
  ["a\npart\npart\nb\npart\nc\n", 2, 2],
  ["a\nb\npart\npart\n", 1, 4],
  ["a\nb\npart\npart\n", 2, 2],
  ["part\n", 1, 0],
  [`a\n${"b".repeat(200_000)}\nc\n`, 2, 2],
  [`a\n${"b".repeat(200_000)}`, 1, 0],
  [`${"a\n".repeat(100_000)}`, 50_000, 100_000],
])("logFile: the offset of the last lines (%#)", async (text, count, offset) => {
  await writeFile(path, text);
  expect(await logFile(path).tail(count, endsLine)).toBe(offset);
});

test("logFile: a missing file has no last lines", async () => {
  expect(await logFile(path).tail(3, endsLine)).toBe(0);
});
