import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { imagePatternProblem } from "./image-pattern.ts";

each<[pattern: string, problem: string | undefined]>([
  ["busybox", undefined],
  ["registry.test:5000/team/app", undefined],
  ["registry.test/*", undefined],
  [" busybox", "leading/trailing spaces are not allowed:  busybox"],
  ["", "the supplied pattern is too short: "],
  ["*", "not a valid wildcard pattern, only patterns ending with '/*' are allowed: *"],
  ["a*/*", "not a valid wildcard pattern, only patterns ending with '/*' are allowed: a*/*"],
  ["/*", "at least registry hostname is required"],
  ["a//b", "failed to parse as an image name: invalid reference format"],
  ["a/B", "failed to parse as an image name: repository name must be lowercase"],
  [
    `a/${"b".repeat(256)}`,
    "failed to parse as an image name: repository name must not be more than 255 characters",
  ],
  ["a:1", "neither tag nor digest is accepted in an image reference: a:1"],
  [
    `a@sha256:${"0".repeat(64)}`,
    `neither tag nor digest is accepted in an image reference: a@sha256:${"0".repeat(64)}`,
  ],
])("imagePatternProblem: %j", (pattern, problem) => {
  expect(imagePatternProblem(pattern)).toBe(problem);
});
