import { expect, test } from "vitest";
import { type AskedNodes, type ChosenNodes, chooseNodes } from "./choose-nodes.ts";

interface Row {
  readonly name: string;
  readonly asked?: AskedNodes;
  readonly before?: { readonly nodes: number; readonly realNodes?: number };
  readonly missing?: string;
  readonly chosen: ChosenNodes;
}

test.each<Row>([
  { name: "a new cluster has one real node", chosen: { nodes: 1, realNodes: 1 } },
  {
    name: "where something is missing, it is simulated, with a notice",
    missing: "you are not root",
    chosen: { nodes: 1, realNodes: 0, notice: "nodes are simulated: you are not root" },
  },
  {
    name: "who asks for simulated nodes gets no notice",
    asked: { isSimulated: true, nodes: 3 },
    missing: "you are not root",
    chosen: { nodes: 3, realNodes: 0 },
  },
  {
    name: "real and simulated nodes",
    asked: { nodes: 2, simulatedNodes: 3 },
    chosen: { nodes: 5, realNodes: 2 },
  },
  {
    name: "a cluster keeps its nodes",
    before: { nodes: 5, realNodes: 2 },
    chosen: { nodes: 5, realNodes: 2 },
  },
  { name: "and their kind", before: { nodes: 4 }, chosen: { nodes: 4, realNodes: 0 } },
  {
    name: "the number of real nodes can be changed",
    asked: { nodes: 1 },
    before: { nodes: 5, realNodes: 2 },
    chosen: { nodes: 4, realNodes: 1 },
  },
  {
    name: "simulated nodes become real ones",
    asked: { isSimulated: false },
    before: { nodes: 2 },
    chosen: { nodes: 2, realNodes: 2 },
  },
  {
    name: "a cluster without nodes gets real ones",
    asked: { nodes: 1 },
    before: { nodes: 0 },
    chosen: { nodes: 1, realNodes: 1 },
  },
])("chooseNodes: $name", ({ asked = {}, before, missing, chosen }) => {
  expect(chooseNodes(asked, before, missing)).toEqual(chosen);
});

test("chooseNodes: real nodes that are asked for, or were there, are not replaced silently", () => {
  const error =
    "nodes that run containers are not possible here: you are not root; with --simulated, nodes are simulated";
  expect(() => chooseNodes({ isSimulated: false }, undefined, "you are not root")).toThrow(error);
  expect(() => chooseNodes({}, { nodes: 1, realNodes: 1 }, "you are not root")).toThrow(error);
});
