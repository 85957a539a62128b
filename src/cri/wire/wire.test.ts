import { expect, test } from "vitest";
import type { Message, Sent } from "../../base/protobuf-message.ts";
import { containerConfigFromWire, containerConfigToWire } from "./container-config.ts";
import { containerStatsFromWire, containerStatsToWire } from "./container-stats.ts";
import { containerStatusFromWire, containerStatusToWire } from "./container-status.ts";
import { errorCodeOf, errorNumbers } from "./error-codes.ts";
import * as filled from "./filled.test-support.ts";
import {
  containerFilterFromWire,
  containerFilterToWire,
  sandboxFilterFromWire,
  sandboxFilterToWire,
} from "./filters.ts";
import { authFromWire, authToWire, imageFromWire, imageToWire } from "./image.ts";
import { linuxResourcesFromWire } from "./linux-resources.ts";
import {
  ContainerConfig,
  ContainerFilter,
  ContainerStatus,
} from "./messages/container-messages.ts";
import { AuthConfig, Image } from "./messages/image-messages.ts";
import { LinuxContainerResources } from "./messages/linux-messages.ts";
import { PodSandboxMetrics } from "./messages/metric-messages.ts";
import { StatusResponse } from "./messages/runtime-messages.ts";
import { PodSandboxConfig } from "./messages/sandbox-config-messages.ts";
import { PodSandboxFilter, PodSandboxStatus } from "./messages/sandbox-messages.ts";
import { ContainerStats, PodSandboxStats } from "./messages/stats-messages.ts";
import { metricsFromWire, metricsToWire } from "./metrics.ts";
import { runtimeStatusFromWire, runtimeStatusToWire } from "./runtime-status.ts";
import { sandboxConfigFromWire, sandboxConfigToWire } from "./sandbox-config.ts";
import { sandboxStatsFromWire, sandboxStatsToWire } from "./sandbox-stats.ts";
import { sandboxStatusFromWire, sandboxStatusToWire } from "./sandbox-status.ts";
import { signalFromWire, signalToWire } from "./stop-signal.ts";

/** What arrives of a message. */
const sent = <V>(message: Message<V>, value: NoInfer<Sent<V>>): V =>
  message.decode(message.encode(value));

const { sandboxConfig, containerConfig, containerStatus } = filled;
const listed = { pod_sandbox_id: "s", image: undefined, labels: {} };

test.each<[string, unknown, () => unknown]>([
  [
    "sandbox config",
    sandboxConfig,
    () => sandboxConfigFromWire(sent(PodSandboxConfig, sandboxConfigToWire(sandboxConfig)), "runc"),
  ],
  [
    "container config",
    containerConfig,
    () =>
      containerConfigFromWire(
        sent(ContainerConfig, containerConfigToWire(containerConfig, sandboxConfig)),
      ),
  ],
  [
    "sandbox status",
    filled.sandboxStatus,
    () => sandboxStatusFromWire(sent(PodSandboxStatus, sandboxStatusToWire(filled.sandboxStatus))),
  ],
  [
    "container status",
    containerStatus,
    () =>
      containerStatusFromWire(
        sent(ContainerStatus, containerStatusToWire(containerStatus)),
        listed,
      ),
  ],
  [
    "container stats",
    filled.containerStats,
    () => containerStatsFromWire(sent(ContainerStats, containerStatsToWire(filled.containerStats))),
  ],
  [
    "pod stats",
    filled.sandboxStats,
    () => sandboxStatsFromWire(sent(PodSandboxStats, sandboxStatsToWire(filled.sandboxStats))),
  ],
  [
    "metrics",
    filled.metrics,
    () => metricsFromWire(sent(PodSandboxMetrics, metricsToWire(filled.metrics))),
  ],
  ["image", filled.image, () => imageFromWire(sent(Image, imageToWire(filled.image)))],
  ["credentials", filled.auth, () => authFromWire(sent(AuthConfig, authToWire(filled.auth)))],
  [
    "runtime status",
    filled.runtimeStatus,
    () => runtimeStatusFromWire(sent(StatusResponse, runtimeStatusToWire(filled.runtimeStatus))),
  ],
])("%s: what is sent arrives", (_, value, roundTrip) => {
  expect(roundTrip()).toEqual(value);
});

test("a sandbox without settings of its own has those that kubelets give it", () => {
  const { metadata, hostname, labels, annotations } = sandboxConfig;
  const config = { metadata, hostname, labels: {}, annotations, hostNetwork: true };
  expect(sandboxConfigFromWire(sent(PodSandboxConfig, sandboxConfigToWire(config)))).toEqual({
    ...config,
    hostname: "",
    labels: { ...labels, app: undefined },
    security: {
      namespaces: { network: "node", pid: "container", ipc: "pod" },
      privileged: false,
      readonlyRootfs: false,
      supplementalGroups: [],
      supplementalGroupsPolicy: "merge",
    },
  });
});

test("a container without settings of its own has the namespaces of its sandbox, and hidden paths", () => {
  const { security, ...config } = containerConfig;
  const wire = containerConfigToWire(config, sandboxConfig).linux?.security_context;
  expect(wire?.namespace_options).toMatchObject({ network: "pod", pid: "pod", ipc: "node" });
  expect(wire?.masked_paths).toContain("/proc/kcore");
  expect(wire?.readonly_paths).toContain("/proc/sys");
  const privileged = { ...config, security: { privileged: true } };
  const open = containerConfigToWire(privileged, sandboxConfig).linux?.security_context;
  expect([open?.masked_paths, open?.readonly_paths]).toEqual([[], []]);
});

test("the pod and the image of a container come from the list, where its status has none", () => {
  const { labels, userSpecifiedImage, ...wire } = containerStatus;
  const status = sent(
    ContainerStatus,
    containerStatusToWire({ ...wire, labels: {}, userSpecifiedImage: "" }),
  );
  const image = { image: "x", user_specified_image: "", annotations: {}, runtime_handler: "" };
  const found = containerStatusFromWire(status, {
    ...listed,
    labels,
    image: { ...image, image_ref: "" },
  });
  expect([found.podUid, found.userSpecifiedImage]).toEqual(["u", "x"]);
});

test("an unlimited amount of memory is absent", () => {
  const { memory } = sent(ContainerStats, {
    memory: { available_bytes: { value: 2n ** 63n }, rss_bytes: { value: 5n } },
  });
  const stats = containerStatsFromWire(sent(ContainerStats, { memory }));
  expect([stats.memoryAvailableBytes, stats.memoryRssBytes]).toEqual([undefined, 5]);
});

test.each([
  [1n << 33n, 2 ** 33],
  // What cgroups v1 show where there is no limit.
  [0x7ffffffffffff000n, -1],
  [-1n, -1],
])("a memory limit of %s", (limit, arrived) => {
  const wire = sent(LinuxContainerResources, {
    memory_limit_in_bytes: limit,
    memory_swap_limit_in_bytes: limit,
  });
  expect(linuxResourcesFromWire(wire)).toEqual({
    memoryLimitBytes: arrived,
    memorySwapLimitBytes: arrived,
    oomScoreAdj: 0,
  });
});

test.each([
  [{}, {}],
  [
    { id: "i", podUid: "u", state: "ready" as const },
    { id: "i", state: "ready", labels: { "io.kubernetes.pod.uid": "u" } },
  ],
  [{ labels: { a: "b" } }, { labels: { a: "b" } }],
])("filters of sandboxes: %j", (filter, arrived) => {
  const wire = sent(PodSandboxFilter, sandboxFilterToWire(filter));
  expect(sandboxFilterFromWire(wire)).toEqual(arrived);
});

test.each([
  [{}, {}],
  [
    { id: "i", sandboxId: "s", podUid: "u", state: "created" as const, labels: { a: "b" } },
    { id: "i", sandboxId: "s", state: "created", labels: { a: "b", "io.kubernetes.pod.uid": "u" } },
  ],
])("filters of containers: %j", (filter, arrived) => {
  const wire = sent(ContainerFilter, containerFilterToWire(filter));
  expect(containerFilterFromWire(wire)).toEqual(arrived);
});

test.each([
  ["SIGTERM", "SIGTERM"],
  ["TERM", "SIGTERM"],
  ["SIGRTMIN+1", "SIGRTMIN+1"],
  [undefined, undefined],
  ["SIGNOTHING", undefined],
])("signal %s", (name, arrived) => {
  expect(signalFromWire(signalToWire(name))).toBe(arrived);
});

test("error codes have gRPC's numbers", () => {
  for (const [code, number] of Object.entries(errorNumbers)) expect(errorCodeOf(number)).toBe(code);
  expect(errorCodeOf(99)).toBe("Unknown");
});
