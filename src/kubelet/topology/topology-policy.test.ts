import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { topologyPolicy } from "./topology-policy.ts";

const base = { policy: "restricted", scope: "pod", options: {}, nodes: 2 };

test("topologyPolicy: the options of a policy", () => {
  expect(topologyPolicy(base)).toEqual({ name: "restricted", scope: "pod", preferClosest: false });
  const options = { "prefer-closest-numa-nodes": "T", "max-allowable-numa-nodes": "16" };
  expect(topologyPolicy({ ...base, options, nodes: 12 })).toMatchObject({ preferClosest: true });
});

test("topologyPolicy: without a policy, options and the number of nodes do not matter", () => {
  expect(topologyPolicy({ ...base, policy: "none", options: { odd: "" }, nodes: 99 }).name).toBe(
    "none",
  );
});

each<[options: Record<string, string>, problem: string]>([
  [{ odd: "" }, 'unknown Topology Manager Policy option: "odd"'],
  [
    { "prefer-closest-numa-nodes": "yes" },
    'bad value for option "prefer-closest-numa-nodes": strconv.ParseBool: parsing "yes": invalid syntax',
  ],
  [
    { "max-allowable-numa-nodes": "x" },
    'unable to convert policy option to integer "max-allowable-numa-nodes": strconv.Atoi: parsing "x": invalid syntax',
  ],
  [
    { "max-allowable-numa-nodes": "7" },
    'the minimum value of "max-allowable-numa-nodes" should not be less than 8',
  ],
  [{}, "unsupported on machines with more than 8 NUMA Nodes"],
])("topologyPolicy: %j is refused", (options, problem) => {
  expect(() => topologyPolicy({ ...base, options, nodes: 9 })).toThrow(problem);
});
