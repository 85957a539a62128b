import { expect, test } from "vitest";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { familiesText } from "../../base/metrics-text.ts";
import type { ContainerStatus, PodSandboxStatus } from "../../cri/runtime-types.ts";
import type { Metric } from "../../cri/stats-types.ts";
import { cgroupMetrics, machineMetrics, scrapeErrors } from "./machine-metrics.ts";
import { mergeFamilies } from "./merge-families.ts";
import { nodeMetrics } from "./node-metrics.ts";
import { resourceMetrics, scrapeError } from "./resource-metrics.ts";
import { familiesOf } from "./runtime-metrics.ts";
import { at, disk, machine, podStats, testHost } from "./stats.test-support.ts";

/** The lines of values, without the time of most of them. */
const valuesIn = (text: string): string[] =>
  text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.replace(` ${at}`, " @"));

test("resourceMetrics: v1.36's names, labels and helps", () => {
  const families = resourceMetrics([podStats()], { machine, now: at });
  const text = familiesText(mergeFamilies([...families, scrapeError(false)]));
  const pod = 'namespace="ns",pod="p"';
  expect(valuesIn(text)).toEqual([
    `container_cpu_usage_seconds_total{container="a",${pod}} 1 @`,
    `container_cpu_usage_seconds_total{container="b",${pod}} 2 @`,
    `container_memory_working_set_bytes{container="a",${pod}} 10 @`,
    `container_memory_working_set_bytes{container="b",${pod}} 20 @`,
    `container_start_time_seconds{container="a",${pod}} 1.893369602e+09`,
    `container_start_time_seconds{container="b",${pod}} 1.893369602e+09`,
    `container_swap_limit_bytes{container="a",${pod}} 101 @`,
    `container_swap_limit_bytes{container="b",${pod}} 102 @`,
    `container_swap_usage_bytes{container="a",${pod}} 1 @`,
    `container_swap_usage_bytes{container="b",${pod}} 2 @`,
    "node_cpu_usage_seconds_total 9.007199254740993e+06 @",
    "node_memory_working_set_bytes 4000 @",
    "node_swap_usage_bytes 10 @",
    `pod_cpu_usage_seconds_total{${pod}} 4 @`,
    `pod_memory_working_set_bytes{${pod}} 40 @`,
    `pod_swap_usage_bytes{${pod}} 3 @`,
    "resource_scrape_error 0",
  ]);
  expect(text).toContain(
    "# HELP node_swap_usage_bytes [ALPHA] Current swap usage of the node in bytes. Reported only on non-windows systems\n# TYPE node_swap_usage_bytes gauge\n",
  );
  expect(text).toContain(
    "# HELP container_cpu_usage_seconds_total [STABLE] Cumulative cpu time consumed by the container in core-seconds\n# TYPE container_cpu_usage_seconds_total counter\n",
  );
});

test("cadvisor: the metrics of the runtime, of the machine and of cgroups are one text", async () => {
  const labelKeys = ["pod", "namespace", "container", "id", "image"];
  const name = "container_cpu_usage_seconds_total";
  const labelValues = ["p", "ns", "c", "1", "image"];
  const metric: Metric = { name, at, type: "counter", value: 1.5, labelValues };
  const runtime = familiesOf(
    [
      { name, help: "CPU.", labelKeys },
      { name: "never", help: "", labelKeys },
    ],
    [{ sandboxId: "s", metrics: [], containers: [{ containerId: "1", metrics: [metric] }] }],
  );
  const network = await testHost.network();
  const root = { id: "/", usage: machine, startedAt: machine.bootedAt, network, disk };
  const facts = await testHost.info();
  const text = familiesText(
    mergeFamilies([
      ...runtime,
      ...cgroupMetrics([root, { id: "/kubepods", usage: machine, startedAt: 0 }]),
      ...machineMetrics(facts),
      ...scrapeErrors(false, true),
    ]),
  );
  const lines = valuesIn(text);
  const none = 'container="",';
  const rest = 'image="",';
  expect(lines.filter((line) => line.startsWith(name))).toEqual([
    `${name}{container="c",cpu="total",id="1",image="image",name="1",namespace="ns",pod="p"} 1.5 @`,
    `${name}{${none}cpu="total",id="/",${rest}name="",namespace="",pod=""} 9.007199254740993e+06 @`,
    `${name}{${none}cpu="total",id="/kubepods",${rest}name="",namespace="",pod=""} 9.007199254740993e+06 @`,
  ]);
  expect(text.match(new RegExp(`# TYPE ${name} `, "g"))).toHaveLength(1);
  expect(lines).toContain(
    'container_fs_limit_bytes{container="",device="/dev/vda1",id="/",image="",name="",namespace="",pod=""} 10000 @',
  );
  expect(lines).toContain(
    'container_network_receive_bytes_total{container="",id="/",image="",interface="ens3",name="",namespace="",pod=""} 1 @',
  );
  expect(lines).toContain('machine_cpu_cores{boot_id="b",machine_id="m",system_uuid="s"} 8');
  expect(lines).toContain("container_scrape_error 1");
  expect(lines).toContain("machine_scrape_error 0");
});

test("nodeMetrics: containers, logs and claims", () => {
  const sandbox = (id: string) =>
    ({ id, metadata: { name: id, namespace: "ns", uid: "u" } }) as unknown as PodSandboxStatus;
  const container = (state: string) => ({ state }) as unknown as ContainerStatus;
  const { files } = podStats();
  const annotations = { "kubernetes.io/config.source": "file" };
  const fixed = { metadata: { annotations } } as unknown as Pod;
  const kubelet = { pods: () => [fixed, fixed], activePods: () => [fixed], mirrorPods: () => [] };
  const text = familiesText(
    nodeMetrics({
      kubelet,
      sandboxes: [sandbox("p"), sandbox("q")],
      containers: [container("running"), container("running"), container("exited")],
      // Both pods use the same claim.
      files: new Map(files ? ["p", "q"].map((id) => [id, files]) : []),
    }),
  );
  const claim = 'namespace="ns",persistentvolumeclaim="c"';
  const log = 'container="a",namespace="ns"';
  expect(valuesIn(text)).toEqual([
    'kubelet_active_pods{static=""} 0',
    'kubelet_active_pods{static="true"} 1',
    `kubelet_container_log_filesystem_used_bytes{${log},pod="p",uid="u"} 11`,
    `kubelet_container_log_filesystem_used_bytes{${log},pod="q",uid="u"} 11`,
    'kubelet_desired_pods{static=""} 0',
    'kubelet_desired_pods{static="true"} 2',
    "kubelet_mirror_pods 0",
    'kubelet_running_containers{container_state="running"} 2',
    'kubelet_running_containers{container_state="exited"} 1',
    "kubelet_running_pods 2",
    `kubelet_volume_stats_available_bytes{${claim}} 900`,
    `kubelet_volume_stats_capacity_bytes{${claim}} 1000`,
    `kubelet_volume_stats_inodes{${claim}} 50`,
    `kubelet_volume_stats_inodes_free{${claim}} 40`,
    `kubelet_volume_stats_inodes_used{${claim}} 10`,
    `kubelet_volume_stats_used_bytes{${claim}} 100`,
  ]);
});
