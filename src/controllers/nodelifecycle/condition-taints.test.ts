import { expect, test } from "vitest";
import type { Node } from "../../api/core/v1/node/node.ts";
import type { Taint } from "../../api/core/v1/scheduling/taint.ts";
import { conditionTaintChanges } from "./condition-taints.ts";

const taint = (name: string, effect: Taint["effect"] = "NoSchedule"): Taint => ({
  key: `node.kubernetes.io/${name}`,
  effect,
});
interface Row {
  readonly name: string;
  readonly conditions?: Record<string, string>;
  readonly unschedulable?: boolean;
  readonly taints?: readonly Taint[];
  readonly add?: readonly Taint[];
  readonly remove?: readonly Taint[];
}

test.each<Row>([
  {
    name: "a healthy node needs no taints",
    conditions: {
      Ready: "True",
      MemoryPressure: "False",
      DiskPressure: "False",
      PIDPressure: "False",
      NetworkUnavailable: "False",
    },
  },
  { name: "not ready", conditions: { Ready: "False" }, add: [taint("not-ready")] },
  { name: "unreachable", conditions: { Ready: "Unknown" }, add: [taint("unreachable")] },
  { name: "memory", conditions: { MemoryPressure: "True" }, add: [taint("memory-pressure")] },
  { name: "disk", conditions: { DiskPressure: "True" }, add: [taint("disk-pressure")] },
  { name: "processes", conditions: { PIDPressure: "True" }, add: [taint("pid-pressure")] },
  {
    name: "network",
    conditions: { NetworkUnavailable: "True" },
    add: [taint("network-unavailable")],
  },
  {
    name: "unknown conditions other than Ready cause no taint",
    conditions: { MemoryPressure: "Unknown", NetworkUnavailable: "Unknown" },
  },
  { name: "spec.unschedulable is set", unschedulable: true, add: [taint("unschedulable")] },
  {
    name: "several, in the order of the conditions",
    conditions: { DiskPressure: "True", Ready: "False" },
    unschedulable: true,
    add: [taint("disk-pressure"), taint("not-ready"), taint("unschedulable")],
  },
  {
    name: "existing taints are not added",
    conditions: { Ready: "False" },
    taints: [taint("not-ready")],
  },
  {
    name: "the same key with another effect is another taint",
    conditions: { Ready: "False" },
    taints: [taint("not-ready", "NoExecute")],
    add: [taint("not-ready")],
  },
  {
    name: "taints that no longer apply are removed",
    conditions: { Ready: "Unknown", MemoryPressure: "False" },
    taints: [taint("not-ready"), taint("memory-pressure"), taint("unschedulable")],
    add: [taint("unreachable")],
    remove: [taint("not-ready"), taint("memory-pressure"), taint("unschedulable")],
  },
  {
    name: "taints with other keys or effects are kept",
    conditions: { Ready: "True" },
    taints: [
      { key: "theirs", effect: "NoSchedule" },
      taint("not-ready", "NoExecute"),
      taint("out-of-service"),
      { key: "node.cloudprovider.kubernetes.io/uninitialized", effect: "NoSchedule" },
    ],
  },
])("conditionTaintChanges: $name", ({ conditions = {}, unschedulable, taints, add, remove }) => {
  const node = {
    spec: { ...(unschedulable && { unschedulable }), ...(taints && { taints }) },
    status: {
      conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })),
    },
  } as unknown as Node;
  expect(conditionTaintChanges(node)).toEqual({ add: add ?? [], remove: remove ?? [] });
});
