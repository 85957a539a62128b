import { expect, test } from "vitest";
import type { DeviceClass } from "../../../resource/v1/device-class.ts";
import type { ResourceClaim } from "../../../resource/v1/resource-claim.ts";
import type { Pod } from "../pod/pod.ts";
import { resourceListOf } from "./amounts.ts";
import { calculateUsage } from "./calculate-usage.ts";
import type { ClaimSurroundings } from "./device-claims.ts";
import type { AnyEvaluator } from "./evaluator.ts";
import { quotaEvaluators, type Resource } from "./evaluators.ts";

const now = Date.UTC(2026, 0, 1);
const alone: ClaimSurroundings = {
  now: () => now,
  deviceClasses: () => [],
  pod: () => undefined,
  claims: () => [],
};

function evaluatorOf(resource: Resource, around: Partial<ClaimSurroundings> = {}): AnyEvaluator {
  const found = quotaEvaluators({ ...alone, ...around })(resource);
  if (!found) throw new Error(`nothing is known of ${resource.plural}`);
  return found;
}
const core = (plural: string): Resource => ({ group: "", plural });
const claims: Resource = { group: "resource.k8s.io", plural: "resourceclaims" };

const usage = (resource: Resource, object: object, around?: Partial<ClaimSurroundings>) =>
  resourceListOf(evaluatorOf(resource, around).usage({ metadata: {}, status: {}, ...object }));

const pod = (spec: object, more: object = {}) => ({
  metadata: { name: "a" },
  spec: { containers: [], ...spec },
  status: {},
  ...more,
});
const container = (requests: object, limits: object = {}, name = "c") => ({
  name,
  resources: { requests, limits },
});

test.each<[string, object, object]>([
  ["one that asks for nothing is still one", pod({}), { "count/pods": "1", pods: "1" }],
  [
    "requests count twice, limits once",
    pod({
      containers: [
        container({ cpu: "1", memory: "1Gi" }, { cpu: "2" }),
        container({ cpu: "500m" }),
      ],
    }),
    {
      "count/pods": "1",
      pods: "1",
      cpu: "1500m",
      "requests.cpu": "1500m",
      memory: "1Gi",
      "requests.memory": "1Gi",
      "limits.cpu": "2",
    },
  ],
  [
    "local storage, huge pages and extended resources",
    pod({
      containers: [
        container(
          { "ephemeral-storage": "1Gi", "hugepages-2Mi": "4Mi", "a.com/gpu": "2" },
          { "ephemeral-storage": "2Gi", "hugepages-2Mi": "4Mi", "a.com/gpu": "2" },
        ),
      ],
    }),
    {
      "count/pods": "1",
      pods: "1",
      "ephemeral-storage": "1Gi",
      "requests.ephemeral-storage": "1Gi",
      "limits.ephemeral-storage": "2Gi",
      "hugepages-2Mi": "4Mi",
      "requests.hugepages-2Mi": "4Mi",
      "requests.a.com/gpu": "2",
    },
  ],
  [
    "devices of a class by its implicit name",
    pod({ containers: [container({ "deviceclass.resource.kubernetes.io/gpu": "1" })] }),
    { "count/pods": "1", pods: "1", "requests.deviceclass.resource.kubernetes.io/gpu": "1" },
  ],
  [
    "an init container that needs more, and the runtime on top of what is limited",
    pod({
      containers: [container({ cpu: "1" }, { cpu: "1" })],
      initContainers: [container({ cpu: "3" })],
      overhead: { cpu: "100m", memory: "1Mi" },
    }),
    {
      "count/pods": "1",
      pods: "1",
      cpu: "3100m",
      "requests.cpu": "3100m",
      memory: "1Mi",
      "requests.memory": "1Mi",
      "limits.cpu": "1100m",
    },
  ],
  [
    "what is said of the whole pod decides",
    pod({
      resources: { requests: { cpu: "4" }, limits: { cpu: "5" } },
      containers: [container({ cpu: "1" }, { memory: "1Gi" })],
    }),
    {
      "count/pods": "1",
      pods: "1",
      cpu: "4",
      "requests.cpu": "4",
      "limits.cpu": "5",
      "limits.memory": "1Gi",
    },
  ],
  [
    "one that has ended",
    pod({ containers: [container({ cpu: "1" })] }, { status: { phase: "Failed" } }),
    { "count/pods": "1" },
  ],
])("pods: %s", (_, object, used) => {
  expect(usage(core("pods"), object)).toEqual(used);
});

test.each<[string, object, string]>([
  ["less than before is asked for: what is in force counts", { requests: { cpu: "1" } }, "3"],
  ["more than before is asked for: that counts", { requests: { cpu: "4" } }, "4"],
])("pods: %s", (_, resources, cpu) => {
  const containerStatuses = [
    { name: "c", allocatedResources: { cpu: "2" }, resources: { requests: { cpu: "3" } } },
  ];
  const asked = pod({ containers: [{ name: "c", resources }] }, { status: { containerStatuses } });
  expect(usage(core("pods"), asked)).toMatchObject({ "requests.cpu": cpu });
});

test("pods: what a node has said it cannot give does not count, and init containers are as asked for", () => {
  const status = {
    containerStatuses: [
      {
        name: "c",
        allocatedResources: { cpu: "1" },
        resources: { requests: { cpu: "1" }, limits: { cpu: "2" } },
      },
    ],
    initContainerStatuses: [{ name: "i", resources: { requests: { memory: "9Gi" } } }],
    conditions: [{ type: "PodResizePending", reason: "Infeasible" }],
  };
  const containers = [container({ cpu: "8" }, { cpu: "8" })];
  const initContainers = [container({ memory: "1Gi" }, {}, "i")];
  expect(usage(core("pods"), pod({ containers, initContainers }, { status }))).toMatchObject({
    "requests.cpu": "1",
    "limits.cpu": "2",
    memory: "1Gi",
  });
});

test.each<[string, number, boolean]>([
  ["one that is being deleted counts until its grace is over", now - 30_000, true],
  ["and not after", now - 30_001 - 999, false],
])("pods: %s", (_, deleted, counts) => {
  const metadata = {
    deletionTimestamp: new Date(deleted).toISOString().replace(/\.\d+/, ""),
    deletionGracePeriodSeconds: 30,
  };
  expect("pods" in usage(core("pods"), pod({}, { metadata }))).toBe(counts);
});

const nodePort = { nodePort: 30000 };
test.each<[string, object, [string, string]]>([
  ["inside the cluster", { type: "ClusterIP", ports: [{}, {}] }, ["0", "0"]],
  ["on nodes", { type: "NodePort", ports: [{}, {}] }, ["2", "0"]],
  ["balanced", { type: "LoadBalancer", ports: [{}, {}] }, ["2", "1"]],
  [
    "balanced without ports of nodes but those that are named",
    { type: "LoadBalancer", allocateLoadBalancerNodePorts: false, ports: [{}, nodePort] },
    ["1", "1"],
  ],
])("services: %s", (_, spec, [ports, balancers]) => {
  expect(usage(core("services"), { spec })).toEqual({
    "count/services": "1",
    services: "1",
    "services.nodeports": ports,
    "services.loadbalancers": balancers,
  });
});

test.each<[string, object, object]>([
  [
    "without a class",
    { spec: { resources: { requests: { storage: "1500m" } } } },
    { "requests.storage": "2" },
  ],
  [
    "of a class, and growing",
    {
      spec: { storageClassName: "gold", resources: { requests: { storage: "1Gi" } } },
      status: { allocatedResources: { storage: "3Gi" } },
    },
    {
      "requests.storage": "3Gi",
      "gold.storageclass.storage.k8s.io/persistentvolumeclaims": "1",
      "gold.storageclass.storage.k8s.io/requests.storage": "3Gi",
    },
  ],
])("persistentvolumeclaims: %s", (_, object, used) => {
  expect(usage(core("persistentvolumeclaims"), object)).toEqual({
    "count/persistentvolumeclaims": "1",
    persistentvolumeclaims: "1",
    ...used,
  });
});

test.each<[Resource, object]>([
  [core("secrets"), { "count/secrets": "1", secrets: "1" }],
  [core("resourcequotas"), { "count/resourcequotas": "1", resourcequotas: "1" }],
  [core("endpoints"), { "count/endpoints": "1" }],
  [{ group: "apps", plural: "deployments" }, { "count/deployments.apps": "1" }],
  [{ group: "example.com", plural: "secrets" }, { "count/secrets.example.com": "1" }],
])("%j are counted", (resource, used) => {
  expect(usage(resource, {})).toEqual(used);
});

test("events and what is not stored are not counted", () => {
  const of = quotaEvaluators(alone);
  expect(of(core("events"))).toBe(undefined);
  expect(of({ group: "authorization.k8s.io", plural: "localsubjectaccessreviews" })).toBe(
    undefined,
  );
});

const devices = (...requests: object[]) => ({
  metadata: { namespace: "n", name: "c" },
  spec: { devices: { requests } },
});
const exactly = (deviceClassName: string, count: number) => ({
  exactly: { deviceClassName, allocationMode: "ExactCount", count },
});

test("resourceclaims: devices add up by class, and of alternatives the most counts", () => {
  const claim = devices(exactly("gpu", 2), exactly("gpu", 1), {
    firstAvailable: [
      { deviceClassName: "gpu", allocationMode: "ExactCount", count: 4 },
      { deviceClassName: "gpu", allocationMode: "ExactCount", count: 3 },
      { deviceClassName: "nic", allocationMode: "All" },
    ],
  });
  expect(usage(claims, claim)).toEqual({
    "count/resourceclaims.resource.k8s.io": "1",
    "gpu.deviceclass.resource.k8s.io/devices": "7",
    "nic.deviceclass.resource.k8s.io/devices": "32",
    "requests.deviceclass.resource.kubernetes.io/gpu": "7",
    "requests.deviceclass.resource.kubernetes.io/nic": "32",
  });
});

const gpuClass = {
  metadata: { name: "gpu" },
  spec: { extendedResourceName: "a.com/gpu" },
} as DeviceClass;
const owned = (name: string, uid = "u") => ({
  ...devices(exactly("gpu", 2)),
  metadata: {
    namespace: "n",
    name,
    annotations: { "resource.kubernetes.io/extended-resource-claim": "true" },
    ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid, controller: true }],
  },
});
const owner = {
  ...pod({ containers: [container({ "a.com/gpu": "2" })] }),
  metadata: { name: "p", uid: "u" },
} as unknown as Pod;

test.each<[string, string, string | undefined]>([
  ["what the pod asked for by another name is the pod's", "c", undefined],
  ["a second claim for the same pod uses it", "d", "2"],
])("resourceclaims: %s", (_, name, used) => {
  const around = {
    deviceClasses: () => [gpuClass],
    pod: () => owner,
    claims: () => [owned("c"), owned("d")] as unknown as readonly ResourceClaim[],
  };
  const { "requests.a.com/gpu": extended } = usage(claims, owned(name), around);
  expect(extended).toBe(used);
  expect(usage(claims, owned(name, "other"), around)["requests.a.com/gpu"]).toBe("2");
});

test.each<[Resource, string, boolean]>([
  [core("pods"), "requests.cpu", true],
  [core("pods"), "limits.ephemeral-storage", true],
  [core("pods"), "hugepages-1Gi", true],
  [core("pods"), "requests.hugepages-1Gi", true],
  [core("pods"), "requests.a.com/gpu", true],
  [core("pods"), "a.com/gpu", false],
  [core("pods"), "limits.a.com/gpu", false],
  [core("pods"), "requests.kubernetes.io/x", false],
  [core("pods"), "requests.storage", false],
  [core("pods"), "services", false],
  [core("services"), "services.nodeports", true],
  [core("persistentvolumeclaims"), "gold.storageclass.storage.k8s.io/requests.storage", true],
  [core("persistentvolumeclaims"), "gold.storageclass.storage.k8s.io/limits.storage", false],
  [claims, "gpu.deviceclass.resource.k8s.io/devices", true],
  [claims, "requests.a.com/gpu", true],
  [claims, "requests.b.com/gpu", false],
  [claims, "requests.deviceclass.resource.kubernetes.io/gpu", true],
  [claims, "requests.deviceclass.resource.kubernetes.io/nic", false],
])("%j: whether %s is tracked is %s", (resource, name, isTracked) => {
  const around = { deviceClasses: () => [gpuClass] };
  expect(evaluatorOf(resource, around).tracks(name)).toBe(isTracked);
});

test("calculateUsage: what fits the scopes is summed, and nobody's resources are left out", () => {
  const objects = [
    pod({ containers: [container({ cpu: "1" })] }),
    pod({ containers: [container({ cpu: "250m" })], activeDeadlineSeconds: 1 }),
    pod({}),
  ];
  const used = (spec: object) =>
    resourceListOf(
      calculateUsage({ hard: { pods: "5", "requests.cpu": "5", secrets: "1" }, ...spec }, [
        { evaluator: evaluatorOf(core("pods")), objects },
      ]),
    );
  expect(used({})).toEqual({ pods: "3", "requests.cpu": "1250m" });
  expect(used({ scopes: ["NotBestEffort"] })).toEqual({ pods: "2", "requests.cpu": "1250m" });
  expect(used({ scopes: ["NotBestEffort", "NotTerminating"] })).toEqual({
    pods: "1",
    "requests.cpu": "1",
  });
});
