import { mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { chooseRanges } from "./choose-ranges.ts";
import { reserveRanges } from "./reserve-ranges.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "wherry-ranges-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const choose = async (ranges: readonly string[]) =>
  chooseRanges({ routes: [], addresses: [], ranges });

test("reserveRanges: clusters that start at the same time get different ranges", async () => {
  const folder = newFolder();
  const all = await Promise.all(Array.from({ length: 5 }, () => reserveRanges(choose, folder)));
  const nodes = all.map((one) => one?.ranges.nodes).sort();
  expect(nodes).toEqual([0, 1, 2, 3, 4].map((n) => `10.199.${n}.0/24`));
  const services = all.map((one) => one?.ranges.services).sort();
  expect(services).toEqual([0, 1, 2, 3, 4].map((n) => `10.0.${n}.0/24`));
  for (const one of all) await one?.release();
  expect(readdirSync(folder)).toEqual([]);
  expect((await reserveRanges(choose, folder))?.ranges.nodes).toBe("10.199.0.0/24");
});

test("reserveRanges: a reservation ends with its process", async () => {
  const folder = newFolder();
  symlinkSync("1 long ago", join(folder, "10.199.0.0_24+10.200.0.0_16"));
  expect((await reserveRanges(choose, folder))?.ranges.nodes).toBe("10.199.0.0/24");
});

test("reserveRanges: undefined if nothing is free", async () => {
  expect(await reserveRanges(async () => undefined, newFolder())).toBeUndefined();
});
