import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import type { NodeCondition } from "../../api/core/v1/node/node-status.ts";
import type { Image } from "../../cri/image-service.ts";
import { nodeConditionFindings, nodeTransitions } from "./node-conditions.ts";
import type { NodeConfig } from "./node-config.ts";
import type { NodeFindings } from "./node-findings.ts";
import { nodeStatus } from "./node-status.ts";

const config: NodeConfig = {
  name: "n",
  address: "192.0.2.1",
  port: 10250,
  capacity: { cpu: "2", memory: "8000000Ki", pods: "110", "ephemeral-storage": "100Gi" },
  info: { kubeletVersion: "v1.36.0", operatingSystem: "linux" } as NodeConfig["info"],
};
const base = { config, previous: {}, images: [], now: 0 };

each<[string, NodeFindings, Record<string, string>]>([
  ["nothing reserved", {}, { cpu: "2", memory: "8000000Ki" }],
  [
    "hard eviction thresholds",
    { evictionReserve: { memory: "100Mi", "ephemeral-storage": "10737418240" } },
    { memory: "7897600Ki", "ephemeral-storage": "90Gi" },
  ],
  [
    "huge pages, which are part of the memory",
    { capacity: { "hugepages-2Mi": "1Gi", "hugepages-1Gi": "0" } },
    { memory: "6951424Ki", "hugepages-2Mi": "1Gi", "hugepages-1Gi": "0" },
  ],
  [
    "devices, of which some are sick",
    { devices: { capacity: { "example.com/dev": "3" }, allocatable: { "example.com/dev": "2" } } },
    { "example.com/dev": "2" },
  ],
  ["more reserved than there is", { evictionReserve: { memory: "16Gi" } }, { memory: "0" }],
])("nodeStatus: allocatable with %s", (_, findings, allocatable) => {
  expect(nodeStatus({ ...base, findings }).allocatable).toMatchObject(allocatable);
});

each<[string, object, object, readonly string[]]>([
  [
    "keeps what the cloud provider wrote",
    { addresses: "192.0.2.1", hasAddress: true },
    { addresses: [{ type: "ExternalIP", address: "198.51.100.1" }] },
    ["ExternalIP 198.51.100.1"],
  ],
  [
    "begins with its own",
    { addresses: "192.0.2.1", hasAddress: true },
    {},
    ["InternalIP 192.0.2.1", "Hostname n"],
  ],
  ["that is not configured waits", { addresses: "", hasAddress: false }, {}, ["Hostname n"]],
])("nodeStatus: a node of a cloud provider %s", (_, cloudProvider, previous, addresses) => {
  const given = { ...base, config: { ...config, cloudProvider: cloudProvider as never }, previous };
  const { addresses: found = [] } = nodeStatus(given);
  expect(found.map(({ type, address }) => `${type} ${address}`)).toEqual(addresses);
});

test("nodeStatus: a node whose storage is not limited is ready without it", () => {
  const { "ephemeral-storage": _, ...capacity } = config.capacity;
  const problems = (findings: NodeFindings) =>
    nodeStatus({ ...base, config: { ...config, capacity }, findings }).conditions?.find(
      ({ type }) => type === "Ready",
    )?.message;
  expect(problems({})).toBe("missing node capacity for resources: ephemeral-storage");
  expect(problems({ hasStorage: false })).toBe("kubelet is posting ready status");
});

test("nodeStatus: huge pages of a size that the machine no longer has are not kept", () => {
  const amounts = { "hugepages-2Mi": "1Gi", "example.com/dongle": "3" };
  const previous = { capacity: amounts, allocatable: amounts };
  const { capacity, allocatable } = nodeStatus({ ...base, previous, findings: {} });
  expect(capacity).toEqual({ ...config.capacity, "example.com/dongle": "3" });
  expect(allocatable).toEqual(capacity);
});

test("nodeStatus: addresses of both families, the system, the runtime and volumes as found", () => {
  const status = nodeStatus({
    ...base,
    findings: {
      addresses: ["192.0.2.7", "2001:db8::7"],
      info: { bootID: "b", kernelVersion: "6.1" },
      runtime: {
        handlers: [
          { name: "runc", recursiveReadOnlyMounts: true, userNamespaces: false },
          { name: "", recursiveReadOnlyMounts: false, userNamespaces: false },
        ],
        features: { supplementalGroupsPolicy: true, userNamespacesHostNetwork: false },
      },
      volumesInUse: ["kubernetes.io/csi/x^1"],
    },
  });
  expect(status).toMatchObject({
    addresses: [
      { type: "InternalIP", address: "192.0.2.7" },
      { type: "InternalIP", address: "2001:db8::7" },
      { type: "Hostname", address: "n" },
    ],
    nodeInfo: { kubeletVersion: "v1.36.0", bootID: "b", kernelVersion: "6.1" },
    runtimeHandlers: [
      { name: "", features: { recursiveReadOnlyMounts: false, userNamespaces: false } },
      { name: "runc", features: { recursiveReadOnlyMounts: true, userNamespaces: false } },
    ],
    features: { supplementalGroupsPolicy: true },
    volumesInUse: ["kubernetes.io/csi/x^1"],
  });
  const later = nodeStatus({ ...base, previous: status, findings: { volumesInUse: [] } });
  expect(later).not.toHaveProperty("volumesInUse");
  expect(later.runtimeHandlers).toEqual(status.runtimeHandlers);
});

each<[number | undefined, number]>([
  [undefined, 50],
  [3, 3],
  [0, 0],
  [-1, 60],
])("nodeStatus: of 60 images with a limit of %s, %d are listed", (maxImages, count) => {
  const images = Array.from(
    { length: 60 },
    (_, i): Image => ({
      id: `${i}`,
      repoTags: ["a", "b", "c"],
      repoDigests: ["d", "e", "f"],
      sizeBytes: i,
    }),
  );
  const status = nodeStatus({ ...base, config: { ...config, maxImages }, images });
  expect(status.images?.length ?? 0).toBe(count);
  if (count > 0) expect(status.images?.[0]?.names).toEqual(["d", "e", "f", "a", "b"]);
  const unknown = nodeStatus({ ...base, previous: status, images: undefined });
  expect(unknown.images).toEqual(status.images);
});

each<[string, NodeFindings, readonly string[]]>([
  ["a healthy node", {}, ["Ready True KubeletReady: kubelet is posting ready status"]],
  [
    "one problem",
    { problems: ["container runtime is down"] },
    ["Ready False KubeletNotReady: container runtime is down"],
  ],
  [
    "two problems",
    { problems: ["container runtime is down", "node is shutting down"] },
    ["Ready False KubeletNotReady: [container runtime is down, node is shutting down]"],
  ],
  [
    "a warning",
    { warning: "CPU hardcapping unsupported" },
    [
      "Ready True KubeletReady: kubelet is posting ready status. WARNING: CPU hardcapping unsupported",
    ],
  ],
  [
    "all pressures",
    { pressures: ["PIDPressure", "MemoryPressure", "DiskPressure"] },
    [
      "MemoryPressure True KubeletHasInsufficientMemory: kubelet has insufficient memory available",
      "DiskPressure True KubeletHasDiskPressure: kubelet has disk pressure",
      "PIDPressure True KubeletHasInsufficientPID: kubelet has insufficient PID available",
    ],
  ],
])("nodeConditionFindings: %s", (_, findings, expected) => {
  const found = nodeConditionFindings(findings).map(
    ({ type, status, reason, message }) => `${type} ${status} ${reason}: ${message}`,
  );
  expect(found).toEqual(expect.arrayContaining([...expected]));
});

test("nodeStatus: a node without a file system is not ready", () => {
  const { "ephemeral-storage": _, ...capacity } = config.capacity;
  const { conditions } = nodeStatus({ ...base, config: { ...config, capacity } });
  expect(conditions?.at(-1)).toMatchObject({
    type: "Ready",
    status: "False",
    message: "missing node capacity for resources: ephemeral-storage",
  });
});

each<[string, NodeFindings, NodeFindings | undefined, readonly string[]]>([
  ["nothing changed", {}, {}, []],
  [
    "a new node that is not ready",
    { problems: ["x"] },
    undefined,
    ["NodeHasSufficientMemory", "NodeHasNoDiskPressure", "NodeHasSufficientPID"],
  ],
  ["the runtime is lost", { problems: ["x"] }, {}, ["NodeNotReady"]],
  ["the runtime is back", {}, { problems: ["x"] }, ["NodeReady"]],
  [
    "the disk fills",
    { pressures: ["DiskPressure", "MemoryPressure", "PIDPressure"] },
    {},
    ["NodeHasInsufficientMemory", "NodeHasDiskPressure", "NodeHasInsufficientPID"],
  ],
])("nodeTransitions: %s", (_, after, before, expected) => {
  const conditions = (findings: NodeFindings): readonly NodeCondition[] =>
    nodeConditionFindings(findings) as unknown as readonly NodeCondition[];
  expect(nodeTransitions(before ? conditions(before) : [], conditions(after))).toEqual(expected);
});
