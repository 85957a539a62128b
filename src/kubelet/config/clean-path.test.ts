import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { cleanPath } from "./clean-path.ts";

each<[path: string, clean: string]>([
  ["", "."],
  ["/", "/"],
  ["a//b/./c/", "a/b/c"],
  ["/a/../../b", "/b"],
  ["../a/../..", "../.."],
])("cleanPath: %j", (path, clean) => {
  expect(cleanPath(path)).toBe(clean);
});
