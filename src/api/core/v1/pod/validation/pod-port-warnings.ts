import type { At } from "../../../../../schema/language/report.ts";
import { quote } from "../../../../../schema/values/quote.ts";
import type { ContainerPort } from "../../container/container-port.ts";
import { allContainers, containersWithPath } from "../pod-containers.ts";
import type { PodSpec } from "../pod-spec.ts";

interface PlacedPort {
  readonly port: ContainerPort;
  readonly at: At;
}

/** Warns of ports of a pod's containers that get in each other's way. */
export function warnOfPorts(spec: PodSpec, at: At, told: string[]): void {
  if (!canWarn(spec)) return;
  const placed = containersWithPath(spec, at).flatMap(([{ ports = [] }, here]) =>
    ports.map((port, i) => ({ port, at: here.child("ports").index(i) })),
  );
  const byNumber = new Map<string, PlacedPort[]>();
  for (const { port, at: here } of placed) {
    if (port.hostIP && !port.hostPort)
      told.push(`${here.path}: hostIP set without hostPort: ${show(port)}`);
    const key = `${port.containerPort}/${port.protocol}`;
    const others = byNumber.get(key) ?? [];
    for (const other of others) {
      const relation = relate(port, other.port);
      if (relation) told.push(`${here.path}: ${relation} port definition with ${other.at.path}`);
    }
    byNumber.set(key, [...others, { port, at: here }]);
  }
  const byName = new Map<string, At>();
  for (const { port, at: here } of placed) {
    if (!port.name) continue;
    const other = byName.get(port.name);
    if (other)
      told.push(
        `${here.path}: duplicate port name ${quote(port.name)} with ${other.path}, services and probes that select ports by name will use ${other.path}`,
      );
    else byName.set(port.name, here);
  }
}

/** Whether a port has an address, or two have something in common: most pods can be passed over. */
function canWarn(spec: PodSpec): boolean {
  const seen = new Set<number | string>();
  let expected = 0;
  for (const { ports = [] } of allContainers(spec))
    for (const { containerPort, hostIP, name } of ports) {
      if (hostIP) return true;
      seen.add(containerPort);
      if (name) seen.add(name);
      expected += name ? 2 : 1;
    }
  return seen.size < expected;
}

/** How two definitions of one port relate; nothing where they go together. */
function relate(a: ContainerPort, b: ContainerPort): string | undefined {
  const sameHostPort = (a.hostPort ?? 0) === (b.hostPort ?? 0);
  if (sameHostPort && (a.hostIP ?? "") === (b.hostIP ?? "")) return "duplicate";
  if (!a.hostPort || !b.hostPort) return "overlapping";
  if (sameHostPort && !a.hostIP !== !b.hostIP) return "dangerously ambiguous";
  return undefined;
}

const show = ({ name = "", hostPort = 0, containerPort, protocol, hostIP = "" }: ContainerPort) =>
  `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
