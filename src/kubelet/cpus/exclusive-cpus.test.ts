import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { guaranteedPod } from "./cpus.test-support.ts";
import { exclusivePodCpus } from "./exclusive-cpus.ts";

const amounts = { cpu: "2", memory: "1Gi" };

each<[containers: string, more: object, count: number]>([
  ["app=2", {}, 2],
  ["app=2000m", {}, 2],
  ["app=2500m", {}, 0],
  ["app=1 other=1500m", {}, 1],
  ["init=1 app=2", {}, 2],
  ["init=3 app=2", {}, 3],
  ["init=3 init2=4 app=1 other=1", {}, 4],
  ["sidecar=1 app=2", {}, 3],
  ["sidecar=1 init=3 sidecar2=2 app=1", {}, 4],
  ["sidecar=1 sidecar2=2 init=3 app=1", {}, 6],
  ["app=2", { containers: [{ name: "app", resources: { requests: amounts } }] }, 0],
  ["app=2", { resources: { requests: amounts, limits: amounts } }, 0],
])("exclusivePodCpus: %s with %j: %d", (containers, more, count) => {
  expect(exclusivePodCpus(guaranteedPod("p", containers, more))).toBe(count);
});
