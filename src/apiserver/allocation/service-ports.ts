import { needsNodePort } from "../../api/core/v1/service/service-allocation.ts";
import {
  needsHealthCheck,
  type ServiceBody,
  type ServiceDraft,
} from "../../api/core/v1/service/service-spec.ts";
import { internalError, StatusError } from "../../api/meta/v1/status-error.ts";
import { rejection } from "./service-rejection.ts";

/** Claims node ports for one write, and releases them with it. */
export interface PortClaim {
  /** Claims the port; returns the reason if that is not possible. */
  ask(port: number): string | undefined;
  /** Claims any port; returns the reason if none is free. */
  next(): number | string;
  giveUp(port: number): void;
}

/** Allocates the node ports that a service needs, and releases those that it no longer needs. */
export function allocatePorts(
  service: ServiceDraft,
  old: ServiceBody | undefined,
  claim: PortClaim,
): void {
  const has = hasNodePorts(service);
  if (old && hasNodePorts(old) && !has) for (const port of nodePortsOf(old)) claim.giveUp(port);
  if (has) {
    if (old) updatePorts(service, old, claim);
    else newPorts(service, claim);
  }
  const needed = old !== undefined && needsHealthCheck(old);
  const needs = needsHealthCheck(service);
  if (needs && !needed) healthPort(service, claim);
  const health = old?.spec.healthCheckNodePort;
  if (needed && !needs && health) claim.giveUp(health);
}

/** The node ports that a service holds, that of its health checks among them. */
export function portsHeld(service: Pick<ServiceBody, "spec">): number[] {
  const { healthCheckNodePort: health } = service.spec;
  const ports = nodePortsOf(service);
  return needsHealthCheck(service) && health ? [...ports, health] : ports;
}

/** Ports of one number, such as DNS over TCP and UDP, share a node port. */
function newPorts(service: ServiceDraft, claim: PortClaim): void {
  const ports = service.spec.ports ?? [];
  const wanted = new Map<number, number>();
  for (const { port, nodePort } of ports)
    if (nodePort && !wanted.has(port)) wanted.set(port, nodePort);
  const given = new Map<number, number>();
  for (const [i, port] of ports.entries()) {
    if (!port.nodePort && !needsNodePort(service)) continue;
    const known = given.get(port.port);
    if (known === undefined) {
      const asked = wanted.get(port.port);
      if (asked) askFor(service, { index: i, port: asked, claim });
      port.nodePort = asked ?? anyPort(claim);
      given.set(port.port, port.nodePort);
    } else if (!port.nodePort) port.nodePort = known;
    else if (port.nodePort !== known) askFor(service, { index: i, port: port.nodePort, claim });
  }
}

function updatePorts(service: ServiceDraft, old: ServiceBody, claim: PortClaim): void {
  const before = new Set(nodePortsOf(old));
  const asked = new Set<number>();
  const seen = new Set<string>();
  for (const [i, port] of (service.spec.ports ?? []).entries()) {
    if (!port.nodePort && !needsNodePort(service)) continue;
    const wanted = port.nodePort;
    if (wanted && !before.has(wanted) && !asked.has(wanted)) {
      askFor(service, { index: i, port: wanted, claim });
      asked.add(wanted);
    }
    const { protocol = "TCP" } = port;
    const nodePort = wanted || anyPort(claim);
    port.nodePort = nodePort;
    if (seen.has(`${protocol}/${nodePort}`))
      throw new StatusError("", `duplicate nodePort: {${protocol} ${nodePort}}`, { code: 500 });
    seen.add(`${protocol}/${nodePort}`);
  }
  const after = new Set(nodePortsOf(service));
  for (const port of before) if (!after.has(port)) claim.giveUp(port);
}

function healthPort({ spec }: ServiceDraft, claim: PortClaim): void {
  const asked = spec.healthCheckNodePort;
  if (asked) {
    const why = claim.ask(asked);
    if (why !== undefined)
      throw internalError(
        new Error(`failed to allocate requested HealthCheck NodePort ${asked}: ${why}`),
      );
    return;
  }
  const port = claim.next();
  if (typeof port === "string")
    throw internalError(new Error(`failed to allocate a HealthCheck NodePort 0: ${port}`));
  spec.healthCheckNodePort = port;
}

function askFor(
  service: ServiceDraft,
  { index, port, claim }: { index: number; port: number; claim: PortClaim },
): void {
  const why = claim.ask(port);
  const path = `spec.ports[${index}].nodePort`;
  if (why !== undefined) throw rejection(service, { path, value: port }, why);
}

function anyPort(claim: PortClaim): number {
  const port = claim.next();
  if (typeof port === "string")
    throw internalError(new Error(`failed to allocate a nodePort: ${port}`));
  return port;
}

const nodePortsOf = ({ spec }: Pick<ServiceBody, "spec">): number[] =>
  (spec.ports ?? []).flatMap(({ nodePort }) => (nodePort ? [nodePort] : []));
const hasNodePorts = ({ spec }: Pick<ServiceBody, "spec">): boolean =>
  spec.type === "NodePort" || spec.type === "LoadBalancer";
