import { expect, test } from "vitest";
import type { AnyEvaluator, QuotaWrite } from "./evaluator.ts";
import { podQuota } from "./pods.ts";
import { serviceQuota } from "./services.ts";
import { volumeClaimQuota } from "./volume-claims.ts";

const pods = podQuota(() => 0) as AnyEvaluator;
const volumes = volumeClaimQuota as AnyEvaluator;
const pod = (spec: object, status: object = {}) => ({
  metadata: {},
  spec: { containers: [], ...spec },
  status,
});
const asks = { containers: [{ name: "c", resources: { requests: { cpu: "1" } } }] };
const term = { topologyKey: "zone", labelSelector: {} };

test.each<[string, object, string, boolean]>([
  ["a deadline", pod({ activeDeadlineSeconds: 0 }), "Terminating", true],
  ["a deadline", pod({ activeDeadlineSeconds: 0 }), "NotTerminating", false],
  ["none", pod({}), "NotTerminating", true],
  ["nothing to ask for", pod({}), "BestEffort", true],
  ["something to ask for", pod(asks), "NotBestEffort", true],
  ["a class that its status tells", pod(asks, { qosClass: "BestEffort" }), "BestEffort", true],
  ["a priority", pod({ priorityClassName: "high" }), "PriorityClass", true],
  ["none", pod({}), "PriorityClass", false],
  [
    "an eye on its own namespace",
    pod({ affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } }),
    "CrossNamespacePodAffinity",
    false,
  ],
  [
    "an eye on other namespaces",
    pod({
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, podAffinityTerm: { ...term, namespaceSelector: {} } },
          ],
        },
      },
    }),
    "CrossNamespacePodAffinity",
    true,
  ],
  ["attributes of volumes", pod({}), "VolumeAttributesClass", false],
])("a pod with %s: whether it is in the scope: %j %s %s", (_, object, scopeName, isIn) => {
  expect(pods.isInScope?.(object, { scopeName, operator: "Exists" })).toBe(isIn);
});

test.each<[string | undefined, string, string[], boolean]>([
  ["high", "In", ["high", "low"], true],
  ["mid", "In", ["high", "low"], false],
  [undefined, "In", ["high"], false],
  ["high", "NotIn", ["high"], false],
  ["mid", "NotIn", ["high"], true],
  [undefined, "NotIn", ["high"], true],
  ["high", "DoesNotExist", [], false],
  [undefined, "DoesNotExist", [], true],
])("a pod of priority %s: %s %j is %s", (priorityClassName, operator, values, isIn) => {
  const requirement = { scopeName: "PriorityClass", operator, values };
  expect(pods.isInScope?.(pod({ priorityClassName }), requirement)).toBe(isIn);
});

test("a scope that is no selector is an error, in upstream's words", () => {
  const selects = (operator: string, values: string[]) => () =>
    pods.isInScope?.(pod({}), { scopeName: "PriorityClass", operator, values });
  expect(selects("Like", [])).toThrow('"Like" is not a valid scope selector operator');
  expect(selects("In", [])).toThrow("for 'in', 'notin' operators, values set can't be empty");
});

test("a claim is in the scope of every class of attributes that it has, had or is to have", () => {
  const claim = {
    metadata: {},
    spec: { volumeAttributesClassName: "a" },
    status: {
      currentVolumeAttributesClassName: "b",
      modifyVolumeStatus: { targetVolumeAttributesClassName: "c" },
    },
  };
  const isIn = (object: object, operator: string, ...values: string[]) =>
    volumes.isInScope?.(object, { scopeName: "VolumeAttributesClass", operator, values });
  for (const name of ["a", "b", "c"]) expect(isIn(claim, "In", name)).toBe(true);
  expect(isIn(claim, "In", "d")).toBe(false);
  expect(isIn(claim, "Exists")).toBe(true);
  const none = { metadata: {}, spec: {}, status: {} };
  expect(isIn(none, "Exists")).toBe(false);
  expect(isIn(none, "DoesNotExist")).toBe(true);
});

const write = (more: object): QuotaWrite<object> => ({
  operation: "CREATE",
  subresource: "",
  object: pod({}),
  old: undefined,
  ...more,
});

test.each<[string, AnyEvaluator, object, boolean]>([
  ["a new pod", pods, {}, true],
  ["a pod that is bound", pods, { subresource: "binding" }, false],
  ["a pod that is updated", pods, { operation: "UPDATE", old: pod({}) }, false],
  [
    "a pod that is given a deadline",
    pods,
    { operation: "UPDATE", object: pod({ activeDeadlineSeconds: 5 }), old: pod({}) },
    true,
  ],
  [
    "a pod that is resized",
    pods,
    { operation: "UPDATE", subresource: "resize", old: pod({}) },
    true,
  ],
  [
    "the status of a pod",
    pods,
    { operation: "UPDATE", subresource: "status", old: pod({}) },
    false,
  ],
  ["a service that is updated", serviceQuota as AnyEvaluator, { operation: "UPDATE" }, true],
  [
    "the status of a service",
    serviceQuota as AnyEvaluator,
    { operation: "UPDATE", subresource: "status" },
    false,
  ],
  ["the status of a claim", volumes, { operation: "UPDATE", subresource: "status" }, true],
])("%s can use more: %#", (_, evaluator, more, isCharged) => {
  expect(evaluator.charges(write(more))).toBe(isCharged);
});

test("a pod must say of each container what is limited, unless it says it of itself as a whole", () => {
  const lacks = (spec: object, ...names: string[]) => pods.lacks?.(pod(spec), names);
  const spec = {
    containers: [{ name: "b", resources: { requests: { cpu: "1" } } }, { name: "c" }],
    initContainers: [{ name: "a" }],
  };
  expect(lacks(spec, "memory", "limits.cpu", "requests.cpu", "pods", "ephemeral-storage")).toBe(
    "must specify limits.cpu for: a,b,c; memory for: a,b,c; requests.cpu for: a,c",
  );
  expect(lacks(spec, "pods")).toBe(undefined);
  expect(lacks({ ...spec, resources: { limits: { cpu: "1" } } }, "memory")).toBe(undefined);
});
