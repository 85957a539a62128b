import { afterEach, expect, test } from "vitest";
import { DeviceClass } from "../../../api/resource/v1/device-class.ts";
import { ResourceClaim } from "../../../api/resource/v1/resource-claim.ts";
import { ResourceSlice } from "../../../api/resource/v1/resource-slice.ts";
import { type SchedulingCluster, schedulingCluster } from "../../cluster.test-support.ts";
import type { PluginFactory } from "../../framework/plugin.ts";
import { status } from "../../framework/status.ts";
import type { SchedulerOptions } from "../../scheduler.ts";

let cluster: SchedulingCluster;
afterEach(() => cluster.end());

const namespace = "default";
type Parts = Readonly<Record<string, unknown>>;

/** A cluster with the device class `any` and these devices by node. */
async function clusterWith(
  nodes: Readonly<Record<string, readonly Parts[]>>,
  options: SchedulerOptions = {},
): Promise<void> {
  cluster = await schedulingCluster(options);
  await cluster.client.create(DeviceClass, { metadata: { name: "any" }, spec: {} });
  for (const [name, devices] of Object.entries(nodes)) {
    await cluster.node(name);
    await cluster.client.create(ResourceSlice, {
      metadata: { name },
      spec: {
        driver: "x.org",
        nodeName: name,
        pool: { name, generation: 1, resourceSliceCount: 1 },
        devices: devices as never,
      },
    });
  }
}

const addClaim = (name: string, requests: readonly Parts[] = [request()]) =>
  cluster.client.create(ResourceClaim, {
    metadata: { name, namespace },
    spec: { devices: { requests: requests as never } },
  });
const request = (more: Parts = {}) => ({ name: "r", exactly: { deviceClassName: "any", ...more } });
const addPod = (name: string, claim = name, more: Parts = {}) =>
  cluster.pod(name, { resourceClaims: [{ name: "c", resourceClaimName: claim }], ...more });
const getClaim = (name: string) => cluster.client.get(ResourceClaim, { name, namespace });
const writeStatus = async (name: string, change: Parts) =>
  cluster.client.patch(
    ResourceClaim,
    { name, namespace },
    { merge: { status: change } as never },
    { subresource: "status" },
  );
const devicesOf = (claim: ResourceClaim) =>
  claim.status?.allocation?.devices.results?.map(({ device }) => device);
const messageOf = async (pod: string) =>
  (await cluster.getPod(pod)).status.conditions?.[0]?.message;

test("a claim gets a device, is reserved for its pod, and keeps both after that", async () => {
  await clusterWith({ a: [], b: [{ name: "d" }] });
  await addClaim("p");
  const { metadata } = await addPod("p");
  await cluster.settled();
  expect(await cluster.placement()).toEqual({ p: "b" });
  const claim = await getClaim("p");
  expect(claim.metadata.finalizers).toEqual(["resource.kubernetes.io/delete-protection"]);
  expect(claim.status).toEqual({
    allocation: {
      allocationTimestamp: expect.any(String),
      devices: { results: [{ request: "r", driver: "x.org", pool: "b", device: "d" }] },
      nodeSelector: {
        nodeSelectorTerms: [
          { matchFields: [{ key: "metadata.name", operator: "In", values: ["b"] }] },
        ],
      },
    },
    reservedFor: [{ resource: "pods", name: "p", uid: metadata.uid }],
  });
});

test("a claim that two pods share brings the second to the node of the first", async () => {
  await clusterWith({ a: [{ name: "d" }], b: [{ name: "d" }] });
  await addClaim("shared");
  await addPod("p", "shared");
  await addPod("q", "shared");
  await cluster.advance("15s");
  const { p, q } = await cluster.placement();
  expect(p).toBe(q);
  expect((await getClaim("shared")).status?.reservedFor).toHaveLength(2);
});

test("of many pods at once, in two profiles, as many are bound as there are devices", async () => {
  const profiles = [{ schedulerName: "default-scheduler" }, { schedulerName: "second" }];
  const devices = ["d0", "d1", "d2"].map((name) => ({ name }));
  await clusterWith({ a: devices, b: devices }, { configuration: { profiles } });
  const names = Array.from({ length: 12 }, (_, i) => `p${i}`);
  for (const name of names) await addClaim(name);
  await Promise.all(
    names.map((name, i) => addPod(name, name, i % 2 ? { schedulerName: "second" } : {})),
  );
  await cluster.advance("1m");
  const { items } = await cluster.client.list(ResourceClaim, {});
  const used = items.flatMap(({ status: own }) =>
    (own?.allocation?.devices.results ?? []).map(({ pool, device }) => `${pool}/${device}`),
  );
  expect(used.sort()).toEqual(["a/d0", "a/d1", "a/d2", "b/d0", "b/d1", "b/d2"]);
  const bound = Object.values(await cluster.placement()).filter(Boolean);
  expect(bound).toHaveLength(6);
});

test("a pod waits for a device until another claim gives one back", async () => {
  await clusterWith({ a: [{ name: "d" }] });
  await addClaim("p");
  await addClaim("q");
  await addPod("p");
  await cluster.settled();
  await addPod("q");
  await cluster.settled();
  expect(await messageOf("q")).toBe(
    "0/1 nodes are available: 1 cannot allocate all claims. still not schedulable, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
  );
  await writeStatus("p", { reservedFor: null, allocation: null });
  await cluster.advance("15s");
  expect(await cluster.placement()).toEqual({ p: "a", q: "a" });
});

test("a pod waits for its claim, for the class of the claim, and for devices", async () => {
  await clusterWith({ a: [] });
  await addPod("p");
  await cluster.settled();
  const { reason, message } = (await cluster.getPod("p")).status.conditions?.[0] ?? {};
  expect([reason, message]).toEqual([undefined, undefined]);
  await addClaim("p", [request({ deviceClassName: "other" })]);
  await cluster.advance("15s");
  expect(await messageOf("p")).toContain("request r: device class other does not exist");
  await cluster.client.create(DeviceClass, { metadata: { name: "other" }, spec: {} });
  await cluster.advance("15s");
  expect(await messageOf("p")).toContain("1 cannot allocate all claims");
  await cluster.client.patch(
    ResourceSlice,
    { name: "a" },
    { merge: { spec: { devices: [{ name: "d" }] } } as never },
  );
  await cluster.advance("15s");
  expect(await cluster.placement()).toEqual({ p: "a" });
});

test("the node with the preferred alternative is chosen", async () => {
  const size = (value: string) => ({ attributes: { size: { string: value } } });
  await clusterWith({ a: [{ name: "d", ...size("small") }], b: [{ name: "d", ...size("large") }] });
  const alternative = (name: string) => ({
    name,
    deviceClassName: "any",
    selectors: [{ cel: { expression: `device.attributes["x.org"].size == "${name}"` } }],
  });
  await addClaim("p", [{ name: "r", firstAvailable: ["large", "small"].map(alternative) }]);
  await addPod("p");
  await cluster.settled();
  expect(await cluster.placement()).toEqual({ p: "b" });
});

test("an unused claim with devices elsewhere gives them back for a pod that cannot go there", async () => {
  await clusterWith({ a: [{ name: "d" }], b: [{ name: "d" }] });
  await addClaim("p");
  await writeStatus("p", {
    allocation: {
      devices: { results: [{ request: "r", driver: "x.org", pool: "a", device: "d" }] },
      nodeSelector: {
        nodeSelectorTerms: [
          { matchFields: [{ key: "metadata.name", operator: "In", values: ["a"] }] },
        ],
      },
    },
  });
  await addPod("p", "p", { nodeSelector: { "kubernetes.io/hostname": "b" } });
  await cluster.advance("15s");
  expect(await cluster.podEvents()).toContainEqual(
    expect.stringContaining("deallocation of ResourceClaim completed"),
  );
  expect(await cluster.placement()).toEqual({ p: "b" });
});

test("a pod that is rejected after it got devices gives them back", async () => {
  let isStrict = true;
  const strict: PluginFactory = () => ({
    name: "Strict",
    permit: (_state, { name }) =>
      isStrict && name === "p" ? { status: status("Unschedulable", "not now") } : undefined,
  });
  await clusterWith(
    { a: [{ name: "d" }] },
    {
      plugins: { Strict: strict },
      configuration: {
        profiles: [{ plugins: { permit: { enabled: [{ name: "Strict" }] } } }],
      },
    },
  );
  await addClaim("p");
  await addClaim("q");
  await addPod("p");
  await cluster.settled();
  expect(devicesOf(await getClaim("p"))).toBeUndefined();
  isStrict = false;
  await addPod("q");
  await cluster.settled();
  expect(devicesOf(await getClaim("q"))).toEqual(["d"]);
});

test("a pod that could not be bound keeps no reservation", async () => {
  const failing: PluginFactory = () => ({
    name: "Failing",
    bind: async () => status("Unschedulable", "no binding"),
  });
  await clusterWith(
    { a: [{ name: "d" }] },
    {
      plugins: { Failing: failing },
      configuration: {
        profiles: [
          { plugins: { bind: { enabled: [{ name: "Failing" }], disabled: [{ name: "*" }] } } },
        ],
      },
    },
  );
  await addClaim("p");
  await addPod("p");
  await cluster.settled();
  const { status: own } = await getClaim("p");
  expect(own?.reservedFor ?? []).toEqual([]);
  expect(own?.allocation).toBeDefined();
});

const prepared = (type: string, more: Parts = {}) => ({
  devices: [
    {
      ...{ driver: "x.org", pool: "a", device: "d" },
      conditions: [
        {
          type,
          status: "True",
          reason: "Done",
          message: "it is",
          lastTransitionTime: "2026-01-01T00:00:00Z",
          ...more,
        },
      ],
    },
  ],
});
const conditional = {
  name: "d",
  bindsToNode: true,
  bindingConditions: ["ready"],
  bindingFailureConditions: ["broken"],
};

test("a pod is bound once the driver has prepared its device", async () => {
  await clusterWith({ a: [conditional] });
  await addClaim("p");
  await addPod("p");
  await cluster.settled();
  expect(await cluster.placement()).toEqual({ p: undefined });
  expect(await cluster.podEvents()).toContain(
    "BindingConditionsPending p: waiting for binding conditions for device on node a",
  );
  await writeStatus("p", prepared("ready"));
  await cluster.settled();
  expect(await cluster.placement()).toEqual({ p: "a" });
});

test("a pod gets another device if the driver cannot prepare the first, or takes too long", async () => {
  await clusterWith({ a: [conditional, { ...conditional, name: "e" }] });
  await addClaim("p");
  await addPod("p");
  await cluster.settled();
  await writeStatus("p", prepared("broken"));
  await cluster.settled();
  expect(await messageOf("p")).toBe(
    'running PreBind plugin "DynamicResources": device binding failed: claim=p, reason=Done, message="it is"',
  );
  await cluster.advance("30s");
  expect((await getClaim("p")).status?.devices).toBeUndefined();
  await cluster.advance("11m");
  expect(await cluster.podEvents()).toContainEqual(
    expect.stringContaining('running PreBind plugin "DynamicResources": device binding timeout'),
  );
});

test("an expression that fails selects nothing", async () => {
  await clusterWith({ a: [{ name: "d" }] });
  const selectors = [{ cel: { expression: "device.driver.split('.')[9] == 'x'" } }];
  await addClaim("p", [request({ selectors })]);
  await addPod("p");
  await cluster.settled();
  expect(devicesOf(await getClaim("p"))).toBeUndefined();
});

const gpuClass = (name: string, more: Parts = {}) =>
  cluster.client.create(DeviceClass, { metadata: { name }, spec: { ...more } });
const wanting = (resource: string) => ({
  containers: [
    { name: "main", image: "example.com/main:1", resources: { limits: { [resource]: "1" } } },
  ],
});

test.each([
  ["that the class names", "x.org/gpu"],
  ["of the name of the class", "deviceclass.resource.kubernetes.io/gpu"],
])("a device stands for an extended resource %s", async (_, resource) => {
  await clusterWith({ a: [], b: [{ name: "d" }] });
  await gpuClass("gpu", { extendedResourceName: "x.org/gpu" });
  await cluster.pod("p", wanting(resource));
  await cluster.pod("q", wanting(resource));
  await cluster.settled();
  const placement = await cluster.placement();
  expect(Object.values(placement).filter(Boolean)).toEqual(["b"]);
  const [bound] = Object.keys(placement).filter((name) => placement[name]);
  const { items } = await cluster.client.list(ResourceClaim, {});
  const [made] = items;
  expect(items).toHaveLength(1);
  expect(made).toMatchObject({
    metadata: {
      generateName: `${bound}-extended-resources-`,
      annotations: { "resource.kubernetes.io/extended-resource-claim": "true" },
      ownerReferences: [{ kind: "Pod", name: bound, controller: true }],
    },
    spec: {
      devices: {
        requests: [
          { name: "container-0-request-0", exactly: { deviceClassName: "gpu", count: 1 } },
        ],
      },
    },
    status: { reservedFor: [{ resource: "pods", name: bound }] },
  });
  const { status: own } = await cluster.getPod(bound ?? "");
  expect(own.extendedResourceClaimStatus).toEqual({
    requestMappings: [
      { containerName: "main", resourceName: resource, requestName: "container-0-request-0" },
    ],
    resourceClaimName: made?.metadata.name,
  });
});

test.each([
  ["LeastAllocated", "b"],
  ["MostAllocated", "a"],
])("%s scores nodes by the devices that stand for a resource", async (type, node) => {
  const resources = [{ name: "x.org/gpu", weight: 1 }];
  const pluginConfig = [
    { name: "NodeResourcesFit", args: { scoringStrategy: { type, resources } } },
  ];
  const score = { enabled: [{ name: "NodeResourcesFit" }], disabled: [{ name: "*" }] };
  const configuration = { profiles: [{ plugins: { score }, pluginConfig }] };
  const kinds = { good: { attributes: { kind: { string: "gpu" } } }, other: {} };
  const devices = (...names: readonly string[]) =>
    names.map((name) => ({ name, ...(name === "other" ? kinds.other : kinds.good) }));
  await clusterWith(
    { a: devices("d1", "d2", "other"), b: devices("d1", "d2", "d3") },
    { configuration: configuration as never },
  );
  const isGpu = 'device.attributes["x.org"].?kind.orValue("") == "gpu"';
  await gpuClass("gpu", {
    extendedResourceName: "x.org/gpu",
    selectors: [{ cel: { expression: isGpu } }],
  });
  // Of two devices one is taken on node a, and of three on node b.
  for (const name of ["a", "b"]) {
    const nodeSelector = { "kubernetes.io/hostname": name };
    await cluster.pod(`on-${name}`, { ...wanting("x.org/gpu"), nodeSelector });
  }
  await cluster.settled();
  await cluster.pod("p", wanting("x.org/gpu"));
  await cluster.settled();
  expect((await cluster.placement()).p).toBe(node);
});

test("an extended resource of a device plugin needs no claim, on nodes that have it", async () => {
  await clusterWith({ a: [] });
  await cluster.node("plugin", { more: { "x.org/gpu": "1" } });
  await gpuClass("gpu", { extendedResourceName: "x.org/gpu" });
  await cluster.pod("p", wanting("x.org/gpu"));
  await cluster.settled();
  expect(await cluster.placement()).toEqual({ p: "plugin" });
  expect((await cluster.client.list(ResourceClaim, {})).items).toEqual([]);
});

test("a pod waits for a class whose devices stand for its resource", async () => {
  await clusterWith({ a: [{ name: "d" }] });
  await cluster.pod("p", wanting("x.org/gpu"));
  await cluster.settled();
  expect(await messageOf("p")).toContain("1 Insufficient x.org/gpu");
  await gpuClass("gpu", { extendedResourceName: "x.org/gpu" });
  await cluster.advance("15s");
  expect(await cluster.placement()).toEqual({ p: "a" });
});

test("the claim for extended resources goes when its pod cannot be bound", async () => {
  const failing: PluginFactory = () => ({
    name: "Failing",
    bind: async () => status("Unschedulable", "no binding"),
  });
  const bind = { enabled: [{ name: "Failing" }], disabled: [{ name: "*" }] };
  await clusterWith(
    { a: [{ name: "d" }] },
    { plugins: { Failing: failing }, configuration: { profiles: [{ plugins: { bind } }] } },
  );
  await gpuClass("gpu", { extendedResourceName: "x.org/gpu" });
  await cluster.pod("p", wanting("x.org/gpu"));
  await cluster.settled();
  expect(await messageOf("p")).toContain("no binding");
  expect((await cluster.client.list(ResourceClaim, {})).items).toEqual([]);
});
