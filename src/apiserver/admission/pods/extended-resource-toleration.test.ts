import { expect, test } from "vitest";
import { admitted } from "../attributes.test-support.ts";
import { extendedResourceToleration } from "./extended-resource-toleration.ts";

const asking = (...names: string[]) => ({
  resources: { requests: Object.fromEntries(names.map((name) => [name, "1"])) },
});
const tolerating = (key: string, more: object = {}) => ({
  key,
  operator: "Exists",
  effect: "NoSchedule",
  ...more,
});

test.each([
  ["nothing special", { containers: [asking("cpu", "x.kubernetes.io/y")] }, undefined],
  [
    "devices of all containers, each once",
    {
      containers: [asking("b.com/gpu", "cpu"), asking("a.com/nic")],
      initContainers: [asking("b.com/gpu", "c.com/x")],
    },
    [tolerating("a.com/nic"), tolerating("b.com/gpu"), tolerating("c.com/x")],
  ],
  [
    "a device beside what is tolerated",
    { containers: [asking("a.com/x")], tolerations: [{ key: "a.com/x", operator: "Exists" }] },
    [{ key: "a.com/x", operator: "Exists" }, tolerating("a.com/x")],
  ],
  [
    "a device that is tolerated",
    { containers: [asking("a.com/x")], tolerations: [tolerating("a.com/x"), { key: "k" }] },
    [tolerating("a.com/x"), { key: "k" }],
  ],
  [
    "a device that is tolerated for a while",
    {
      containers: [asking("a.com/x")],
      tolerations: [tolerating("a.com/x", { tolerationSeconds: 3 }), { key: "k" }],
    },
    [tolerating("a.com/x"), { key: "k" }],
  ],
])("extendedResourceToleration: %s", async (_, spec, tolerations) => {
  expect(await admitted(extendedResourceToleration, { spec })).toEqual({
    ...spec,
    ...(tolerations && { tolerations }),
  });
});
