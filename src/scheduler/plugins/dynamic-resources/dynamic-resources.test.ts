import { expect, test } from "vitest";
import { CycleState } from "../framework/cycle-state.ts";
import { aNodeInfo, aPodInfo, pluginOf } from "../framework/framework.test-support.ts";
import type { Status } from "../framework/status.ts";
import { dynamicResources } from "./dynamic-resources.ts";

const pod = aPodInfo("p", {
  spec: { resourceClaims: [{ name: "gpu", resourceClaimName: "gpu" }] },
});
const onOther = {
  nodeSelectorTerms: [
    {
      matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: ["other"] }],
    },
  ],
};

test.each<[string, object, string]>([
  ["devices that nobody gives are not freed if others go", {}, "cannot allocate all claims"],
  [
    "devices that are elsewhere do not come if others go",
    { allocation: { nodeSelector: onOther } },
    "resourceclaim not available on the node",
  ],
])("DynamicResources: %s", (_, status, reason) => {
  const claim = { metadata: { name: "gpu", namespace: "default" }, spec: {}, status };
  const node = aNodeInfo("n");
  const plugin = pluginOf(dynamicResources, [node], { known: { ResourceClaim: [claim] } });
  const state = new CycleState();
  expect(plugin.preFilter?.(state, pod, [node])).toBeUndefined();
  expect(plugin.filter?.(state, pod, node)).toMatchObject({
    code: "UnschedulableAndUnresolvable",
    reasons: [reason],
  } satisfies Partial<Status>);
});
