import { expect, test } from "vitest";
import { coreKind, openParts, write } from "../../verbs/verb-parts.test-support.ts";
import { admissionChain } from "../admission.ts";
import { attributes, type TestAttributes } from "../attributes.test-support.ts";
import { limitRanger } from "./limit-ranger.ts";

/** A pod or claim after admission with these ranges, or the reason of its rejection. */
async function limited(ranges: readonly object[], given: TestAttributes): Promise<unknown> {
  const parts = await openParts();
  for (const [i, item] of ranges.entries())
    await write(parts, coreKind("LimitRange"), `l${i}`, { spec: { limits: [item].flat() } });
  const plugin = limitRanger(parts);
  const request = attributes(given);
  try {
    await admissionChain([plugin]).admit(request);
    await admissionChain([plugin]).validate(request as never);
    const { metadata, spec } = request.object;
    return { ...(spec as object), set: metadata.annotations?.["kubernetes.io/limit-ranger"] };
  } catch (error) {
    return (error as Error).message;
  }
}

const defaults = {
  type: "Container",
  default: { cpu: "1", memory: "1Gi" },
  defaultRequest: { cpu: "500m" },
};
const uses = (cpu: string, more: object = {}) => ({
  name: "c",
  resources: { requests: { cpu }, limits: { cpu } },
  ...more,
});

test("limitRanger: containers get default resources, which an annotation of the pod lists", async () => {
  const spec = {
    containers: [{ name: "a" }, { name: "b", resources: { limits: { cpu: "2", memory: "2Gi" } } }],
    initContainers: [{ name: "i", resources: { requests: { cpu: "1" } } }],
  };
  const limits = { cpu: "1", memory: "1Gi" };
  expect(await limited([defaults], { spec })).toEqual({
    containers: [
      { name: "a", resources: { limits, requests: { cpu: "500m" } } },
      {
        name: "b",
        resources: { limits: { cpu: "2", memory: "2Gi" }, requests: { cpu: "500m" } },
      },
    ],
    initContainers: [{ name: "i", resources: { limits, requests: { cpu: "1" } } }],
    set: "LimitRanger plugin set: cpu request for container a; cpu, memory limit for container a; cpu request for container b; cpu, memory limit for init container i",
  });
});

test("limitRanger: the default of the first range that has one is used", async () => {
  const second = { type: "Container", default: { cpu: "3", x: "1" } };
  const spec = { containers: [{ name: "a" }] };
  expect(await limited([defaults, second], { spec })).toMatchObject({
    containers: [
      { resources: { limits: { cpu: "1", memory: "1Gi", x: "1" }, requests: { cpu: "500m" } } },
    ],
    set: "LimitRanger plugin set: x limit for container a",
  });
});

test.each([
  [
    "a container that uses too much",
    { type: "Container", max: { cpu: "2" } },
    { containers: [uses("1"), uses("3")] },
    "maximum cpu usage per Container is 2, but limit is 3",
  ],
  [
    "two that use too much in the same way",
    { type: "Container", max: { cpu: "2" } },
    { containers: [uses("3"), uses("3")] },
    "maximum cpu usage per Container is 2, but limit is 3",
  ],
  [
    "several problems",
    [
      { type: "Container", min: { cpu: "1" }, max: { cpu: "2" } },
      { type: "Pod", max: { cpu: "3" } },
    ],
    { containers: [uses("1"), uses("3")], initContainers: [uses("500m")] },
    "[maximum cpu usage per Container is 2, but limit is 3, minimum cpu usage per Container is 1, but request is 500m, maximum cpu usage per Pod is 3, but limit is 4]",
  ],
  [
    "an init container beside a sidecar",
    { type: "Pod", max: { cpu: "5" } },
    {
      containers: [uses("2")],
      initContainers: [uses("1", { restartPolicy: "Always" }), uses("5")],
    },
    "maximum cpu usage per Pod is 5, but limit is 6",
  ],
  [
    "a pod that says itself what it uses",
    { type: "Pod", max: { cpu: "5" } },
    { containers: [uses("1")], resources: { limits: { cpu: "6" }, requests: { cpu: "1" } } },
    "maximum cpu usage per Pod is 5, but limit is 6",
  ],
])("limitRanger: refuses %s", async (_, item, spec, why) => {
  expect(await limited([item], { spec })).toEqual(`pods "a" is forbidden: ${why}`);
});

const small = { type: "Container", max: { cpu: "1" }, default: { cpu: "1" } };
const claim = { resources: { requests: { storage: "5Gi" } } };
const storage = { type: "PersistentVolumeClaim", max: { storage: "4Gi" } };
const ofClaim = { kind: "PersistentVolumeClaim", spec: claim };
const noClaim =
  'persistentvolumeclaims "a" is forbidden: maximum storage usage per PersistentVolumeClaim is 4Gi, but request is 5Gi';

test.each([
  ["an update of a pod", small, { operation: "UPDATE", old: { metadata: {} } }, undefined],
  ["a pod's status", small, { operation: "UPDATE", subresource: "status" }, undefined],
  [
    "a resize",
    small,
    { operation: "UPDATE", subresource: "resize", old: { metadata: {} } },
    'pods "a" is forbidden: maximum cpu usage per Container is 1, but limit is 2',
  ],
  [
    "a resize of what is being deleted",
    small,
    { operation: "UPDATE", subresource: "resize", old: { metadata: { deletionTimestamp: "t" } } },
    undefined,
  ],
  ["a new claim", storage, ofClaim, noClaim],
  ["a changed claim", storage, { ...ofClaim, operation: "UPDATE" }, noClaim],
  [
    "a claim's status",
    storage,
    { ...ofClaim, operation: "UPDATE", subresource: "status" },
    undefined,
  ],
  ["a claim among limits of containers", small, ofClaim, undefined],
] as const)("limitRanger: %s", async (_, item, given, rejection) => {
  const spec = { containers: [uses("2")] };
  const outcome = await limited([item], { spec, ...given });
  expect(typeof outcome === "string" ? outcome : undefined).toEqual(rejection);
});

test("limitRanger: the limits of another namespace do not count", async () => {
  const address = { namespace: "other" };
  const spec = { containers: [uses("2")] };
  expect(await limited([small], { spec, address })).toEqual({ ...spec, set: undefined });
});
