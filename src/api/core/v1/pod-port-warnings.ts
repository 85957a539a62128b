import { quote } from "../../../schema/quote.ts";
import type { At } from "../../../schema/report.ts";
import type { ContainerPort } from "./container-port.ts";
import { containersWithPath } from "./pod-containers.ts";
import type { PodSpec } from "./pod-spec.ts";

interface PlacedPort {
  readonly port: ContainerPort;
  readonly at: At;
}

/** Warnings for ports of a pod's containers that get in each other's way. */
export function* portWarnings(spec: PodSpec, at: At): Generator<string> {
  const placed = [...containersWithPath(spec, at)].flatMap(([{ ports = [] }, here]) =>
    ports.map((port, i) => ({ port, at: here.child("ports").index(i) })),
  );
  const byNumber = new Map<string, PlacedPort[]>();
  for (const { port, at: here } of placed) {
    if (port.hostIP && !port.hostPort)
      yield `${here.path}: hostIP set without hostPort: ${show(port)}`;
    const key = `${port.containerPort}/${port.protocol}`;
    const others = byNumber.get(key) ?? [];
    for (const other of others) {
      const relation = relate(port, other.port);
      if (relation) yield `${here.path}: ${relation} port definition with ${other.at.path}`;
    }
    byNumber.set(key, [...others, { port, at: here }]);
  }
  const byName = new Map<string, At>();
  for (const { port, at: here } of placed) {
    if (!port.name) continue;
    const other = byName.get(port.name);
    if (other)
      yield `${here.path}: duplicate port name ${quote(port.name)} with ${other.path}, services and probes that select ports by name will use ${other.path}`;
    else byName.set(port.name, here);
  }
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
