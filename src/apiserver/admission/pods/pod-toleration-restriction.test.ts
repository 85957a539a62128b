import { expect, test } from "vitest";
import type { Toleration } from "../../../api/core/v1/scheduling/toleration.ts";
import { coreKind, openParts, write } from "../../verbs/verb-parts.test-support.ts";
import { admitted, rejectionBy } from "../attributes.test-support.ts";
import { podTolerationRestriction } from "./pod-toleration-restriction.ts";

const equal = (key: string): Toleration => ({
  key,
  operator: "Equal",
  value: "v",
  effect: "NoSchedule",
});
const exists = (key: string): Toleration => ({ key, operator: "Exists", effect: "NoSchedule" });
const configuration = {
  default: [equal("cluster")],
  whitelist: [exists("cluster"), exists("own")],
};

async function openPlugin(annotations: Readonly<Record<string, string>>) {
  const parts = await openParts();
  const prefixed = Object.entries(annotations).map(([name, value]) => [
    `scheduler.alpha.kubernetes.io/${name}`,
    value,
  ]);
  const metadata = { annotations: Object.fromEntries(prefixed) as object };
  await write(parts, coreKind("Namespace"), "default", { metadata, spec: {}, status: {} });
  return podTolerationRestriction({ ...parts, configuration });
}

const conflict = (scope: string) =>
  `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`;
const list = (...tolerations: Toleration[]) => JSON.stringify(tolerations);
const pressure = exists("node.kubernetes.io/memory-pressure");
const burstable = { containers: [{ resources: { requests: { cpu: "1" } } }] };
const plain = { containers: [{ resources: {} }] };

test.each([
  ["the cluster's defaults", {}, plain, [equal("cluster")]],
  [
    "its own beside them",
    {},
    { ...plain, tolerations: [equal("own")] },
    [equal("own"), equal("cluster")],
  ],
  [
    "more than the cluster allows",
    {},
    { ...plain, tolerations: [exists("x")] },
    conflict("cluster"),
  ],
  ["what its class brings", { tolerationsWhitelist: "" }, burstable, [equal("cluster"), pressure]],
  ["what its class brings, if that is not allowed", {}, burstable, conflict("cluster")],
  ["the namespace's defaults", { defaultTolerations: list(equal("own")) }, plain, [equal("own")]],
  ["no defaults", { defaultTolerations: "" }, plain, undefined],
  [
    "more than the namespace allows",
    { tolerationsWhitelist: list(equal("x")) },
    plain,
    conflict("namespace"),
  ],
  [
    "a list that is none",
    { defaultTolerations: "{}" },
    plain,
    "json: cannot unmarshal object into Go value of type []v1.Toleration",
  ],
  [
    "what is no JSON",
    { defaultTolerations: "[x" },
    plain,
    "invalid character 'x' looking for beginning of value",
  ],
])("podTolerationRestriction: a pod has %s", async (_, annotations, spec, wanted) => {
  const outcome = await admitted(await openPlugin(annotations), { spec });
  const tolerations = (outcome as { tolerations?: unknown }).tolerations;
  expect(typeof wanted === "string" ? outcome : tolerations).toEqual(wanted);
});

test("podTolerationRestriction: an update adds no defaults except those of the QoS class", async () => {
  const plugin = await openPlugin({ tolerationsWhitelist: "" });
  const outcome = await admitted(plugin, { operation: "UPDATE", old: {}, spec: burstable });
  expect(outcome).toEqual({ ...burstable, tolerations: [pressure] });
});

test("podTolerationRestriction: the pod is validated after other plugins", async () => {
  const plugin = await openPlugin({});
  expect(await rejectionBy(plugin, { spec: { tolerations: [exists("x")] } })).toEqual(
    conflict("cluster"),
  );
  expect(await rejectionBy(plugin, { spec: { tolerations: [exists("own")] } })).toEqual(undefined);
});

test("podTolerationRestriction: an invalid configuration is rejected", async () => {
  const parts = await openParts();
  const bad = { default: [{ key: "a", operator: "Exists", effect: "Never" }] } as never;
  const make = () => podTolerationRestriction({ ...parts, configuration: bad });
  expect(make).toThrow(
    'invalid config: [podtolerationrestriction.default[0].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"]',
  );
});
