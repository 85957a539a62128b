import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { version } from "./version.ts";

test("version: is the one in package.json", () => {
  const file = join(import.meta.dirname, "..", "..", "package.json");
  expect(version).toBe(JSON.parse(readFileSync(file, "utf8")).version);
});
