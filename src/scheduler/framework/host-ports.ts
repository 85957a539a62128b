import type { Pod } from "../../api/core/v1/pod/pod.ts";

/** A host port of a pod. */
export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

/** The host ports that a pod requests: those of its containers and sidecars. */
export function hostPortsOf({ spec }: Pod): readonly HostPort[] {
  const { containers, initContainers = [] } = spec;
  const ports: HostPort[] = [];
  for (const container of initContainers)
    if (container.restartPolicy === "Always") collect(container.ports, ports);
  for (const { ports: own } of containers) collect(own, ports);
  return ports.length === 0 ? none : ports;
}

/** The host ports in use on a node. A port on all addresses conflicts with each address. */
export class UsedPorts {
  readonly #byIp: Map<string, Set<string>>;

  constructor(byIp = new Map<string, Set<string>>()) {
    this.#byIp = byIp;
  }

  add({ ip, protocol, port }: HostPort): void {
    if (port <= 0) return;
    const ports = this.#byIp.get(ip);
    if (ports) ports.add(`${protocol}/${port}`);
    else this.#byIp.set(ip, new Set([`${protocol}/${port}`]));
  }

  remove({ ip, protocol, port }: HostPort): void {
    const ports = this.#byIp.get(ip);
    ports?.delete(`${protocol}/${port}`);
    if (ports?.size === 0) this.#byIp.delete(ip);
  }

  /** Whether a port is already in use. */
  conflictsWith({ ip, protocol, port }: HostPort): boolean {
    if (port <= 0 || this.#byIp.size === 0) return false;
    const text = `${protocol}/${port}`;
    if (ip === anyAddress) {
      for (const ports of this.#byIp.values()) if (ports.has(text)) return true;
      return false;
    }
    return (this.#byIp.get(anyAddress)?.has(text) || this.#byIp.get(ip)?.has(text)) ?? false;
  }

  get size(): number {
    let size = 0;
    for (const ports of this.#byIp.values()) size += ports.size;
    return size;
  }

  clone(): UsedPorts {
    return new UsedPorts(new Map([...this.#byIp].map(([ip, ports]) => [ip, new Set(ports)])));
  }
}

const anyAddress = "0.0.0.0";
const none: readonly HostPort[] = [];

type ContainerPort = NonNullable<Pod["spec"]["containers"][number]["ports"]>[number];

function collect(ports: readonly ContainerPort[] = [], into: HostPort[]): void {
  for (const { hostPort = 0, hostIP, protocol } of ports)
    if (hostPort > 0)
      into.push({ ip: hostIP || anyAddress, protocol: protocol || "TCP", port: hostPort });
}
