import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { RotatingFile, type RotatingFileOptions } from "./rotating-file.ts";

async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "rotating-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

const day = 86_400_000;
const start = Date.UTC(2026, 0, 10);

const options = (dir: string, some: Partial<RotatingFileOptions> = {}): RotatingFileOptions => ({
  path: join(dir, "logs", "audit.log"),
  maxBytes: 10,
  maxBackups: 0,
  maxAgeDays: 0,
  compress: false,
  now: () => start,
  onFault(error) {
    throw error;
  },
  ...some,
});

const list = async (dir: string): Promise<string[]> => (await readdir(join(dir, "logs"))).sort();

test("RotatingFile: a private file that goes on where it was, and rotates before it is too large", async () => {
  const dir = await folder();
  for (const text of ["aaaa\n", "bbbb\n"]) {
    const file = await RotatingFile.open(options(dir));
    await file.write(text);
    await file.close();
  }
  expect(await readFile(join(dir, "logs", "audit.log"), "utf8")).toBe("aaaa\nbbbb\n");
  const file = await RotatingFile.open(options(dir));
  await file.write("c\n");
  await file.close();
  expect(await list(dir)).toEqual(["audit-2026-01-10T00-00-00.000.log", "audit.log"]);
  expect(await readFile(join(dir, "logs", "audit.log"), "utf8")).toBe("c\n");
  expect((await stat(join(dir, "logs", "audit.log"))).mode & 0o777).toBe(0o600);
});

test("RotatingFile: no line is torn or lost when many are written at once", async () => {
  const dir = await folder();
  const file = await RotatingFile.open(options(dir, { maxBytes: 40 }));
  const lines = Array.from({ length: 50 }, (_, i) => `line ${i}\n`);
  await Promise.all(lines.map((line) => file.write(line)));
  await file.close();
  const names = await list(dir);
  const texts = await Promise.all(names.map((name) => readFile(join(dir, "logs", name), "utf8")));
  expect(texts.join("").split("\n").filter(Boolean).sort()).toEqual(
    lines.map((line) => line.trim()).sort(),
  );
  expect(texts.every((text) => text.length <= 40)).toBe(true);
});

test("RotatingFile: a text that no file may hold is rejected", async () => {
  const file = await RotatingFile.open(options(await folder()));
  await expect(file.write("x".repeat(11))).rejects.toThrow(
    "write length 11 exceeds maximum file size 10",
  );
  await file.close();
});

test("RotatingFile: old files are compressed, and removed by number and age", async () => {
  const dir = await folder();
  const first = await RotatingFile.open(options(dir));
  await first.close();
  const old = (time: number, end = "log") =>
    `audit-${new Date(time).toISOString().slice(0, -1).replaceAll(":", "-")}.${end}`;
  const names = [
    old(start - day),
    old(start - 2 * day, "log.gz"),
    old(start - 3 * day),
    old(start - 40 * day),
    "audit-other.log",
  ];
  for (const name of names) await writeFile(join(dir, "logs", name), name);
  const tidy = { maxBackups: 2, maxAgeDays: 30, compress: true };
  const file = await RotatingFile.open(options(dir, tidy));
  await file.close();
  expect(await list(dir)).toEqual(
    [
      old(start - 2 * day, "log.gz"),
      old(start - day, "log.gz"),
      "audit-other.log",
      "audit.log",
    ].sort(),
  );
  const bytes = await readFile(join(dir, "logs", old(start - day, "log.gz")));
  expect(gunzipSync(bytes).toString()).toBe(old(start - day));
});
