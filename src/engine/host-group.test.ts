import { expect, test } from "vitest";
import { hostGroup } from "./host-group.ts";

test.each<readonly [string, number | undefined]>([
  ["root", 0],
  ["4321", 4321],
  ["no-such-group", undefined],
  ["", undefined],
  ["--help", undefined],
])("hostGroup: %j", async (name, gid) => {
  expect(await hostGroup(name)).toBe(gid);
});
