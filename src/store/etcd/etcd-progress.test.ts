import { expect, test } from "vitest";
import { tellsProgress } from "./etcd-progress.ts";

test.each([
  ["3.3.27", false],
  ["3.4.0", false],
  ["3.4.23", false],
  ["3.4.30", false],
  ["3.4.31-rc.0", false],
  ["3.4.31", true],
  ["3.4.40", true],
  ["3.5.0", false],
  ["3.5.12", false],
  ["3.5.13-alpha.1", false],
  ["3.5.13", true],
  ["3.5.14-rc.0", true],
  ["v3.5.21", true],
  ["3.6.0-rc.1", true],
  ["3.6.0", true],
  ["3.10.0", true],
  ["4.0.0", true],
  ["2.3.8", false],
  ["", false],
  ["not decided", false],
])("tellsProgress: %s: %s", (version, wanted) => {
  expect(tellsProgress(version)).toBe(wanted);
});
