import { podOf } from "../../../api/core/v1/pod/pod.test-support.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { KubeletEvent } from "../../kubelet-events.ts";
import type { LinuxSettings, RecordEvent, ResourceSettings } from "./linux-settings.ts";

const gibibyte = 1024 ** 3;

/** A node with 10 GiB of memory and the defaults of a kubelet. */
export const resourceSettings: ResourceSettings = {
  cgroupVersion: 2,
  cpuQuota: true,
  cpuQuotaPeriod: 100_000,
  memoryCapacityBytes: 10 * gibibyte,
  swapCapacityBytes: 0,
  canLimitSwap: false,
  swapBehavior: "NoSwap",
  hugePageSizes: [],
  singleProcessOomKill: false,
};

export const linuxSettings: LinuxSettings = {
  clusterDomain: "cluster.local",
  clusterDns: ["10.0.0.10"],
  resolvConf: "nameserver 192.0.2.1\nsearch example.com\noptions timeout:1\n",
  nodeIPs: ["192.0.2.9"],
  podLogsDir: "/var/log/pods",
  seccompDir: "/var/lib/kubelet/seccomp",
  seccompDefault: false,
  cgroups: { driver: "cgroupfs", root: ["kubepods"] },
  resources: resourceSettings,
};

/** A pod with a UID, and what is given. */
export const linuxPod = (spec: object = {}, metadata: object = {}): Pod =>
  podOf({ metadata: { uid: "u1", ...metadata }, spec }) as Pod;

/** A pod with one container, which has these settings. */
export const podWith = (container: object, spec: object = {}): Pod =>
  linuxPod({ containers: [{ name: "c", image: "i", ...container }], ...spec });

/** The first container of a pod. */
export function firstContainer({ spec }: Pod): NonNullable<Pod["spec"]["containers"]>[number] {
  const [first] = spec.containers ?? [];
  if (!first) throw new Error("the pod has no container");
  return first;
}

/** Collects events as `ABOUT REASON: MESSAGE`. */
export function recorder(): { readonly record: RecordEvent; readonly events: string[] } {
  const events: string[] = [];
  const record = ({ reason, message }: KubeletEvent, about: "pod" | "node"): void => {
    events.push(`${about} ${reason}: ${message}`);
  };
  return { record, events };
}
