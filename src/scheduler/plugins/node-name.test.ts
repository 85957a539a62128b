import { expect, test } from "vitest";
import { aNodeInfo, aPodInfo, filtered, pluginOf } from "../framework/framework.test-support.ts";
import { nodeName } from "./node-name.ts";

test("NodeName: only the named node fits", () => {
  const plugin = pluginOf(nodeName);
  const nodes = [aNodeInfo("a"), aNodeInfo("b")];
  expect(filtered(plugin, aPodInfo("p"), nodes)).toBe("Skip");
  expect(filtered(plugin, aPodInfo("p", { spec: { nodeName: "b" } }), nodes)).toEqual([
    "node(s) didn't match the requested node name",
    "",
  ]);
});
