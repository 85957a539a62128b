import { expect, test } from "vitest";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { aPod, aPodInfo } from "../framework/framework.test-support.ts";
import { Nominator } from "./nominator.ts";

const nominated = (node: string) => aPodInfo("p", { status: { nominatedNodeName: node } });

function nominatorOf(pod: Pod | undefined = aPod("p")) {
  const nominator = new Nominator((key) => (key === "default/p" ? pod : undefined));
  const on = (node: string) => [...nominator.on(node).values()];
  return { nominator, on };
}

test("Nominator: a pod is nominated for one node: the given one, or that of its status", () => {
  const { nominator, on } = nominatorOf();
  nominator.add(nominated("a"));
  expect(on("a")).toEqual(["default/p"]);
  nominator.add(nominated("a"), "b");
  expect([on("a"), on("b")]).toEqual([[], ["default/p"]]);
  nominator.add(nominated("a"), "");
  expect(nominator.size).toBe(0);
});

test("Nominator: a deleted or bound pod has no nomination", () => {
  for (const pod of [undefined, aPod("p", { spec: { nodeName: "x" } })]) {
    const nominator = new Nominator(() => pod);
    nominator.add(nominated("a"));
    expect(nominator.size).toBe(0);
  }
});

test("Nominator: a nomination of this scheduler survives updates without a nominated node", () => {
  const { nominator, on } = nominatorOf();
  nominator.add(aPodInfo("p"), "a");
  nominator.update(aPod("p"), aPodInfo("p", { labels: { x: "y" } }));
  expect(on("a")).toEqual(["default/p"]);
  nominator.update(aPod("p"), nominated("b"));
  expect([on("a"), on("b")]).toEqual([[], ["default/p"]]);
  nominator.update(nominated("b").pod, aPodInfo("p"));
  expect(nominator.size).toBe(0);
});
