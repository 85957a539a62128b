import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadBundle } from "./code-cache.ts";

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "wherry-code-"));
  file = join(dir, "bundle.cjs");
  writeFileSync(file, 'exports.name = require("node:path").basename(__filename);');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));
const cacheFiles = () => readdirSync(dir).filter((name) => name !== "bundle.cjs");

test("loadBundle: compiled code is used from the second start on", () => {
  const first = loadBundle(file);
  expect([first.exports.name, first.wasCached, cacheFiles().length]).toEqual([
    "bundle.cjs",
    false,
    0,
  ]);
  first.keep();
  const second = loadBundle(file);
  expect([second.exports.name, second.wasCached, cacheFiles().length]).toEqual([
    "bundle.cjs",
    true,
    1,
  ]);
});

test("loadBundle: code compiled from another source is not used", () => {
  loadBundle(file).keep();
  writeFileSync(file, 'exports.name = "another, and of another length";');
  const changed = loadBundle(file);
  expect([changed.exports.name, changed.wasCached]).toEqual([
    "another, and of another length",
    false,
  ]);
});

test("loadBundle: damaged code is not used", () => {
  // Another source: this process has compiled the first one already and would not read the file.
  writeFileSync(file, 'exports.name = "never compiled before";');
  writeFileSync(`${file}.${process.arch}-${process.versions.v8}`, "not code");
  const { exports, wasCached } = loadBundle(file);
  expect([exports.name, wasCached]).toEqual(["never compiled before", false]);
});

test("loadBundle: runs in a directory that cannot be written to", () => {
  const bundle = loadBundle(file);
  rmSync(dir, { recursive: true });
  bundle.keep();
  expect(bundle.exports.name).toBe("bundle.cjs");
});
