import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { quote } from "../../schema/values/quote.ts";
import type { Rejection } from "./admit-pod.ts";

/** The first sysctl that a pod must not set because it affects other pods; undefined if there is none. */
export function forbiddenSysctl({ spec }: Pod): Rejection | undefined {
  for (const { name } of spec.securityContext?.sysctls ?? []) {
    const problem = problemOf(dotted(name), spec);
    if (problem !== undefined)
      return { reason: "SysctlForbidden", message: `forbidden sysctl: ${problem}` };
  }
  return undefined;
}

function problemOf(name: string, { hostNetwork, hostIPC }: Pod["spec"]): string | undefined {
  if (!safe.has(name)) return `${quote(name)} not allowlisted`;
  const isNetwork = name.startsWith("net.");
  if (!(isNetwork ? hostNetwork : hostIPC)) return undefined;
  return `${quote(name)} not allowed with host ${isNetwork ? "Net" : "IPC"} enabled`;
}

/** Normalizes a sysctl name: in a name with slashes, slashes and dots are swapped. */
function dotted(name: string): string {
  const separator = /[./]/.exec(name)?.[0];
  if (separator !== "/") return name;
  return name.replace(/[./]/g, (one) => (one === "/" ? "." : "/"));
}

/** The sysctls that are isolated per pod. */
const safe: ReadonlySet<string> = new Set([
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.ip_local_reserved_ports",
  "net.ipv4.ip_unprivileged_port_start",
  "net.ipv4.ping_group_range",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_rmem",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.tcp_wmem",
]);
