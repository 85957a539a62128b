import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { isHostSysctl } from "../../api/core/v1/pod/sysctl.ts";
import { quote } from "../../schema/values/quote.ts";
import type { Rejection } from "./admit-pod.ts";

/**
 * The first sysctl that a pod must not set because it affects other pods; undefined if there is none. The node's
 * configuration may allow more than the safe ones, as names or as patterns that end in `*`.
 */
export function forbiddenSysctl(
  { spec }: Pod,
  allowed: readonly string[] = [],
): Rejection | undefined {
  for (const { name } of spec.securityContext?.sysctls ?? []) {
    const problem = problemOf(dotted(name), spec, allowed);
    if (problem !== undefined)
      return { reason: "SysctlForbidden", message: `forbidden sysctl: ${problem}` };
  }
  return undefined;
}

/** What is wrong with the sysctls that a configuration allows; the node does not start with them. */
export const allowedSysctlProblems = (allowed: readonly string[]): readonly string[] =>
  allowed.flatMap((one) => {
    if (one.length > maxLength || !pattern.test(one))
      return [
        `sysctl ${quote(one)} must have at most ${maxLength} characters and match regex ${patternText}`,
      ];
    return isNamespaced(one)
      ? []
      : [`the sysctls ${quote(prefixOf(dotted(one)))} are not known to be namespaced`];
  });

function problemOf(
  name: string,
  { hostNetwork = false, hostIPC = false }: Pod["spec"],
  allowed: readonly string[],
): string | undefined {
  const isAllowed = safe.has(name) || allowed.some((one) => isCovered(name, dotted(one)));
  if (!isAllowed) return `${quote(name)} not allowlisted`;
  if (!isHostSysctl(name, { hostNetwork, hostIPC })) return undefined;
  return `${quote(name)} not allowed with host ${name.startsWith("net.") ? "Net" : "IPC"} enabled`;
}

const isCovered = (name: string, allowed: string): boolean =>
  allowed.includes("*") ? name.startsWith(prefixOf(allowed)) : name === allowed;

const prefixOf = (allowed: string): string => allowed.split("*", 1)[0] ?? "";

/** Whether pods can have values of their own. */
const isNamespaced = (allowed: string): boolean =>
  isHostSysctl(allowed, { hostNetwork: true, hostIPC: true });

const maxLength = 253;
const patternText = "([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*([a-z0-9][-_a-z0-9]*)?[a-z0-9*]";
/** The same language as upstream's expression, without its backtracking. */
const pattern =
  /^(?:[a-z0-9]+(?:[-_]+[a-z0-9]+)*[./])*(?:\*|[a-z0-9]+(?:[-_]+[a-z0-9]+)*(?:[-_]*\*)?)$/;

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
