import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { type RuleFacts, ruleCondition } from "./rule-condition.ts";

const none = { generation: 1, pods: 0, namespaces: 0, published: 0, allocated: 0, evicted: 0 };

each<[string, Partial<RuleFacts>, readonly [status: string, reason: string, message: string]]>([
  ["nothing to evict", { effect: "NoExecute" }, ["False", "NotStarted", ""]],
  [
    "pods to evict",
    { effect: "NoExecute", pods: 1, namespaces: 1 },
    ["True", "PodsPendingEviction", "1 pod needs to be evicted in 1 namespace."],
  ],
  [
    "some are evicted",
    { effect: "NoExecute", pods: 3, namespaces: 2, evicted: 1 },
    [
      "True",
      "PodsPendingEviction",
      "3 pods need to be evicted in 2 different namespaces. 1 pod evicted since starting the controller.",
    ],
  ],
  [
    "all are evicted",
    { effect: "NoExecute", evicted: 2 },
    ["False", "Completed", "2 pods evicted since starting the controller."],
  ],
  [
    "what would happen",
    { effect: "None", pods: 2, namespaces: 1, published: 1, allocated: 3 },
    [
      "False",
      "NoEffect",
      "1 published device selected. 3 allocated devices selected. 2 pods would be evicted in 1 namespace if the effect was NoExecute. This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.",
    ],
  ],
  [
    "another effect",
    { effect: "NoSchedule" },
    ["False", "OtherEffect", "Eviction only happens for the NoExecute effect."],
  ],
])("ruleCondition: %s", (_, facts, wanted) => {
  const { status, reason, message, ...rest } = ruleCondition({ effect: "", ...none, ...facts });
  expect([status, reason, message]).toEqual(wanted);
  expect(rest).toEqual({ type: "EvictionInProgress", observedGeneration: 1 });
});
