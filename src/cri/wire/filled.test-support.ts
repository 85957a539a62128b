import type { Image, RegistryAuth } from "../image-service.ts";
import type {
  ContainerMount,
  ContainerSecurityContext,
  LinuxContainerResources,
  SecurityContext,
} from "../linux-types.ts";
import type { RuntimeStatus } from "../runtime-status.ts";
import type {
  ContainerConfig,
  ContainerStatus,
  PodSandboxConfig,
  PodSandboxStatus,
} from "../runtime-types.ts";
import type {
  ContainerStats,
  Metric,
  PodSandboxMetrics,
  PodSandboxStats,
  Pressure,
} from "../stats-types.ts";

/** Every member, at every level: `Filled` does not compile while one is missing. */
type Filled<T> = T extends readonly unknown[] | string | number | bigint | boolean
  ? T
  : { readonly [K in keyof T]-?: Filled<NonNullable<T[K]>> };

const idRange = { containerId: 0, hostId: 65_536, length: 1000 };

const security: Filled<SecurityContext> = {
  namespaces: {
    network: "pod",
    pid: "target",
    ipc: "node",
    targetId: "t",
    user: { mode: "pod", uids: [idRange], gids: [idRange, { ...idRange, containerId: 5 }] },
  },
  privileged: true,
  runAsUser: 0,
  runAsGroup: 7,
  readonlyRootfs: true,
  supplementalGroups: [1, 0, 2],
  supplementalGroupsPolicy: "strict",
  selinux: { user: "u", role: "r", type: "t", level: "l" },
  seccomp: { type: "localhost", ref: "/profile.json" },
  apparmor: { type: "unconfined" } as never,
};

export const linux: Filled<LinuxContainerResources> = {
  cpuPeriod: 100_000,
  cpuQuota: -1,
  cpuShares: 512,
  memoryLimitBytes: 2 ** 40,
  memorySwapLimitBytes: -1,
  oomScoreAdj: -997,
  cpusetCpus: "0-1",
  cpusetMems: "0",
  hugepageLimits: [{ pageSize: "2MB", limit: 4096 }],
  unified: { "memory.high": "max" },
};

export const sandboxConfig: Filled<PodSandboxConfig> = {
  metadata: { name: "n", namespace: "ns", uid: "u", attempt: 3 },
  hostname: "h",
  hostNetwork: false,
  labels: {
    app: "a",
    "io.kubernetes.pod.name": "n",
    "io.kubernetes.pod.namespace": "ns",
    "io.kubernetes.pod.uid": "u",
  },
  annotations: { note: "1" },
  logDirectory: "/var/log/pods/u",
  dns: { servers: ["10.96.0.10"], searches: ["cluster.local"], options: ["ndots:5"] },
  portMappings: [{ protocol: "UDP", containerPort: 53, hostPort: 5353, hostIp: "127.0.0.1" }],
  cgroupParent: "/kubepods/podu",
  sysctls: { "net.core.somaxconn": "128" },
  security: { ...security, namespaces: { ...security.namespaces, pid: "pod" } },
  runtimeHandler: "runc",
  resources: { containers: linux, overhead: { ...linux, cpuShares: 2 } },
};

const mounts: readonly Filled<ContainerMount>[] = [
  {
    containerPath: "/data",
    hostPath: "/srv",
    readonly: true,
    recursiveReadOnly: true,
    selinuxRelabel: true,
    propagation: "bidirectional",
    uidMappings: [idRange],
    gidMappings: [idRange],
    image: "busybox",
    imageSubPath: "bin",
  },
];

const containerSecurity: Filled<ContainerSecurityContext> = {
  ...security,
  capabilities: { add: ["NET_ADMIN"], drop: ["ALL"], addAmbient: ["CHOWN"] },
  runAsUsername: "nobody",
  noNewPrivileges: true,
  maskedPaths: ["/proc/kcore"],
  readonlyPaths: [],
};

const resources = {
  cpuRequestMillis: 500,
  memoryLimitBytes: 2 ** 40,
  linux,
};

export const containerConfig: Omit<Filled<ContainerConfig>, "resources"> &
  Pick<ContainerConfig, "resources"> = {
  metadata: { name: "main", attempt: 1 },
  image: "sha256:1",
  userSpecifiedImage: "busybox:1",
  kind: "sidecar",
  command: ["sh"],
  args: ["-c", ""],
  workingDir: "/w",
  env: [
    { name: "A", value: "ä" },
    { name: "B", value: "" },
  ],
  labels: {
    "io.kubernetes.container.name": "main",
    "io.kubernetes.pod.name": "n",
    "io.kubernetes.pod.namespace": "ns",
    "io.kubernetes.pod.uid": "u",
  },
  annotations: { "io.kubernetes.container.terminationMessagePath": "/dev/last" },
  resources,
  stdin: true,
  stdinOnce: true,
  tty: true,
  terminationMessagePath: "/dev/last",
  stopSignal: "SIGRTMIN+3",
  mounts,
  devices: [{ containerPath: "/dev/a", hostPath: "/dev/b", permissions: "rw" }],
  cdiDevices: ["vendor.com/net=0"],
  logPath: "main/1.log",
  security: containerSecurity,
};

export const sandboxStatus: Omit<Filled<PodSandboxStatus>, "info"> = {
  id: "s",
  metadata: sandboxConfig.metadata,
  state: "notReady",
  createdAt: 1_700_000_000_123,
  ips: ["10.0.0.1", "fd00::1"],
  hostNetwork: false,
  labels: { a: "b" },
  annotations: { c: "d" },
  namespaces: security.namespaces,
  runtimeHandler: "runc",
};

export const containerStatus: Omit<Filled<ContainerStatus>, "info" | "resources"> &
  Pick<ContainerStatus, "resources"> = {
  id: "c",
  sandboxId: "s",
  podUid: "u",
  metadata: { name: "main", attempt: 2 },
  state: "exited",
  createdAt: 1_700_000_000_001,
  startedAt: 1_700_000_000_002,
  finishedAt: 1_700_000_000_003,
  exitCode: 137,
  image: "docker.io/library/busybox:1",
  userSpecifiedImage: "busybox:1",
  imageRef: "docker.io/library/busybox@sha256:2",
  reason: "OOMKilled",
  message: "m",
  resources,
  labels: { "io.kubernetes.pod.uid": "u" },
  annotations: { c: "d" },
  imageId: "sha256:1",
  mounts,
  logPath: "/var/log/pods/u/main/2.log",
  user: { uid: 5, gid: 6, supplementalGroups: [7] },
  stopSignal: "SIGTERM",
};

const times = { total: 12, avg10: 0.5, avg60: 0.25, avg300: 0.125 };
const pressure: Filled<Pressure> = { some: times, full: { ...times, total: 6 } };
const usage = {
  at: 1_700_000_000_000,
  cpuNanoCores: 250_000_000,
  cpuCoreNanoSeconds: 2n ** 60n,
  memoryWorkingSetBytes: 1,
  memoryUsageBytes: 2,
  memoryRssBytes: 3,
  memoryAvailableBytes: 4,
  pageFaults: 5,
  majorPageFaults: 6,
  pressure: { cpu: pressure, memory: pressure, io: pressure },
};

export const containerStats: Filled<ContainerStats> = {
  ...usage,
  id: "c",
  metadata: { name: "main", attempt: 2 },
  labels: { a: "b" },
  annotations: { c: "d" },
  swapUsedBytes: 7,
  swapAvailableBytes: 8,
  writableLayer: { at: 1_700_000_000_000, mountpoint: "/m", usedBytes: 9, inodesUsed: 10 },
};

const eth0 = { name: "eth0", rxBytes: 1, rxErrors: 2, txBytes: 3, txErrors: 4 };
export const sandboxStats: Filled<PodSandboxStats> = {
  ...usage,
  id: "s",
  metadata: sandboxConfig.metadata,
  labels: { a: "b" },
  annotations: { c: "d" },
  network: [eth0, { ...eth0, name: "eth1" }],
  processCount: 11,
  containers: [containerStats],
};

const metric: Metric = { name: "m", at: 5, type: "gauge", labelValues: ["x"], value: 7 };
export const metrics: Filled<PodSandboxMetrics> = {
  sandboxId: "s",
  metrics: [metric],
  containers: [{ containerId: "c", metrics: [{ ...metric, type: "counter" }] }],
};

export const image: Omit<Filled<Image>, "info"> = {
  id: "sha256:1",
  repoTags: ["docker.io/library/busybox:1"],
  repoDigests: ["docker.io/library/busybox@sha256:2"],
  sizeBytes: 2 ** 40,
  uid: 0,
  username: "nobody",
  pinned: true,
};

export const auth: Filled<RegistryAuth> = {
  username: "u",
  password: "p",
  auth: "a",
  serverAddress: "s",
  identityToken: "i",
  registryToken: "r",
};

export const runtimeStatus: Filled<RuntimeStatus> = {
  conditions: [
    { type: "RuntimeReady", isTrue: true, reason: "", message: "" },
    { type: "NetworkReady", isTrue: false, reason: "NetworkPluginNotReady", message: "cni" },
  ],
  handlers: [{ name: "runc", recursiveReadOnlyMounts: true, userNamespaces: false }],
  features: { supplementalGroupsPolicy: true, userNamespacesHostNetwork: true },
  info: { config: "{}" },
};
