import { expect, test } from "vitest";
import { commandGroups } from "../commands/command-tree.ts";
import { suggestedNames } from "./suggested-names.ts";

const commands = commandGroups.flatMap(({ commands }) => commands);

test("names that are near, that begin so, and that other programs have", () => {
  expect(suggestedNames("descr", commands)).toEqual(["describe"]);
  expect(suggestedNames("logz", commands)).toEqual(["logs"]);
  expect(suggestedNames("INSPECT", commands)).toEqual(["describe"]);
  expect(suggestedNames("list", commands)).toEqual(["get"]);
  expect(suggestedNames("nonsense", commands)).toEqual([]);
});
