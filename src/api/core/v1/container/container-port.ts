import { int32, named, string } from "../../../../schema/language/field.ts";
import type { At } from "../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { isValidPortName, isValidPortNum } from "../../../../schema/values/names.ts";

const protocols = ["SCTP", "TCP", "UDP"];

export const ContainerPort = struct("io.k8s.api.core.v1.ContainerPort", {
  name: string(1).doc("A name for the port, for services and probes to refer to."),
  hostPort: int32(2).doc("The port of the node that leads to this one."),
  containerPort: int32(3).always().expected().doc("The port that the container listens on."),
  protocol: named(4, "v1.Protocol")
    .known("TCP", "UDP", "SCTP")
    .default("TCP")
    .doc("The protocol of the port."),
  hostIP: string(5).doc("The address of the node at which hostPort is opened."),
}).doc("A port that a container listens on.");
export interface ContainerPort extends Infer<typeof ContainerPort> {}

/** The rules of one container's ports. */
export function validateContainerPorts(ports: readonly ContainerPort[], at: At): void {
  const names = new Set<string>();
  for (const [i, port] of ports.entries()) validateContainerPort(port, at.index(i), names);
}

function validateContainerPort(port: ContainerPort, at: At, names: Set<string>): void {
  const { name, containerPort, hostPort, protocol } = port;
  if (name) {
    const messages = isValidPortName(name);
    at.invalidEach("name", name, messages);
    if (messages.length === 0 && names.has(name)) at.duplicate("name", name);
    if (messages.length === 0) names.add(name);
  }
  if (containerPort === 0) at.required("containerPort");
  else at.invalidEach("containerPort", containerPort, isValidPortNum(containerPort));
  if (hostPort) at.invalidEach("hostPort", hostPort, isValidPortNum(hostPort));
  if (!protocol) at.required("protocol");
  else if (!protocols.includes(protocol)) at.notSupported("protocol", protocol, protocols);
}

interface WithPorts {
  readonly ports?: readonly ContainerPort[] | undefined;
}

/** No two ports of these containers take the same port of the node. */
export function validateHostPortConflicts(containers: readonly WithPorts[], at: At): void {
  const taken = new Set<string>();
  for (const [i, { ports = [] }] of containers.entries())
    for (const [j, { hostPort, hostIP = "", protocol }] of ports.entries()) {
      if (!hostPort) continue;
      const key = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(key)) at.index(i).child("ports").index(j).duplicate("hostPort", key);
      taken.add(key);
    }
}
