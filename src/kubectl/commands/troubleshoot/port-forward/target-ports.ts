import type { Pod } from "../../../../api/core/v1/pod/pod.ts";
import type { DynamicObject } from "../../../../client/resource-kind.ts";

interface ServicePort {
  readonly name?: string;
  readonly port?: number;
  readonly protocol?: string;
  readonly targetPort?: number | string;
}

interface ServiceSpec {
  readonly ports?: readonly ServicePort[];
  readonly clusterIP?: string;
}

/**
 * The ports as arguments name them, with numbers of the pod's ports for names and for ports of a service. Throws for
 * unknown names, and for ports that speak UDP only.
 */
export function targetPorts(
  object: DynamicObject,
  pod: Pod,
  ports: readonly string[],
): readonly string[] {
  if (object.kind === "Service" && object.apiVersion === "v1")
    return servicePorts(object, pod, ports);
  const all = (pod.spec?.containers ?? []).flatMap((one) => one.ports ?? []);
  checkUdp(ports, {
    all: all.map(({ containerPort, protocol }) => ({ port: containerPort ?? 0, protocol })),
    numberOf: (name) => podPort(pod, name),
  });
  return ports.map((text) => {
    const { local, remote } = splitPort(text);
    if (remote === "") throw new Error("remote port cannot be empty");
    const number = isNumber(remote) ? remote : String(podPort(pod, remote));
    return local === remote ? number : `${local}:${number}`;
  });
}

function servicePorts(
  service: DynamicObject,
  pod: Pod,
  ports: readonly string[],
): readonly string[] {
  const { ports: all = [] } = service.spec as ServiceSpec;
  checkUdp(ports, {
    all: all.map(({ port = 0, protocol }) => ({ port, protocol })),
    numberOf: (name) => namedServicePort(service, name),
  });
  return ports.map((text) => {
    const { local, remote } = splitPort(text);
    const port = isNumber(remote) ? Number(remote) : namedServicePort(service, remote);
    // A name alone stands for the port of the service on this machine, too.
    const here = !isNumber(remote) && local === remote ? String(port) : local;
    const target = String(containerPort(service, pod, port));
    return here === target ? target : `${here}:${target}`;
  });
}

function containerPort(service: DynamicObject, pod: Pod, port: number): number {
  const { ports = [], clusterIP } = service.spec as ServiceSpec;
  const found = ports.find((one) => one.port === port);
  if (!found)
    throw new Error(`Service ${service.metadata.name} does not have a service port ${port}`);
  if (clusterIP === "None") return port;
  const { targetPort = 0 } = found;
  return typeof targetPort === "string" ? podPort(pod, targetPort) : targetPort || port;
}

function namedServicePort({ metadata, spec }: DynamicObject, name: string): number {
  const found = (spec as ServiceSpec).ports?.find((one) => (one.name ?? "") === name);
  if (found?.port === undefined)
    throw new Error(`Service '${metadata.name}' does not have a named port '${name}'`);
  return found.port;
}

function podPort({ metadata, spec }: Pod, name: string): number {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const found = containers
    .flatMap(({ ports = [] }) => ports)
    .find((one) => (one.name ?? "") === name);
  if (found?.containerPort === undefined)
    throw new Error(`Pod '${metadata.name}' does not have a named port '${name}'`);
  return found.containerPort;
}

interface KnownPorts {
  readonly all: readonly { readonly port: number; readonly protocol?: string | undefined }[];
  numberOf(name: string): number;
}

function checkUdp(ports: readonly string[], { all, numberOf }: KnownPorts): void {
  const of = (wanted: string): ReadonlySet<number> =>
    new Set(all.filter(({ protocol }) => protocol === wanted).map(({ port }) => port));
  const [udp, tcp] = [of("UDP"), of("TCP")];
  for (const text of ports) {
    const { remote } = splitPort(text);
    const number = isNumber(remote) ? Number(remote) : numberOf(remote);
    if (udp.has(number) && !tcp.has(number))
      throw new Error(`UDP protocol is not supported for ${remote}`);
  }
}

/** `LOCAL:REMOTE`, or one port for both. */
function splitPort(text: string): { readonly local: string; readonly remote: string } {
  const [local = "", remote, ...more] = text.split(":");
  return { local, remote: remote === undefined || more.length > 0 ? local : remote };
}

const isNumber = (text: string): boolean => /^[+-]?\d+$/.test(text);
