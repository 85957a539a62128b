import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { directoryBytes } from "./directory-bytes.ts";

test("directoryBytes: adds up what the files take on disk", () => {
  const dir = mkdtempSync(join(tmpdir(), "wherry-bytes-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  expect(directoryBytes(dir)).toEqual(0);
  mkdirSync(join(dir, "below"));
  for (const name of ["a", "b"]) writeFileSync(join(dir, name), Buffer.alloc(100_000, 1));
  expect(directoryBytes(dir)).toBeGreaterThanOrEqual(200_000);
  expect(directoryBytes(dir)).toBeLessThan(400_000);
});
