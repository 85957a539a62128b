import {
  needsNodePort,
  normaliseClusterIps,
  patchAllocatedValues,
} from "../api/core/v1/service-allocation.ts";
import { initIpFamilies } from "../api/core/v1/service-ip-families.ts";
import {
  headless,
  needsClusterIp,
  needsHealthCheck,
  type ServiceBody,
  type ServiceDraft,
} from "../api/core/v1/service-spec.ts";
import { internalError, invalid, type StatusError } from "../api/meta/v1/status-error.ts";
import type { Random } from "../base/random.ts";
import { type Cidr, contains, formatIp, masked, parseCidr, parseIp } from "../schema/ip.ts";
import { At } from "../schema/report.ts";
import type { WatchCache } from "./cache.ts";
import type { AnyKind } from "./object.ts";

export interface ServiceAllocatorOptions {
  readonly cache: WatchCache;
  readonly kind: AnyKind;
  readonly random: Random;
  /** The range of cluster IPs; `10.0.0.0/24` unless said. */
  readonly range: string;
  readonly ports?: { readonly first: number; readonly last: number };
}

/** Gives up what was reserved for a write that was not carried out, or has been. */
export type Release = () => void;

/**
 * Gives services their addresses and ports. Taken is what a service in the cache has, and what is
 * reserved for a write that is under way.
 */
export class ServiceAllocator {
  readonly #options: ServiceAllocatorOptions;
  readonly #network: Cidr;
  /** How many addresses the network has, as far as we count. */
  readonly #size: number;
  readonly #ports: { readonly first: number; readonly last: number };
  readonly #reserved = new Set<string | number>();

  constructor(options: ServiceAllocatorOptions) {
    this.#options = options;
    const network = parseCidr(options.range);
    if (!network) throw new Error(`${options.range} is not a range of addresses like 10.0.0.0/24`);
    this.#network = masked(network);
    const bits = (network.ip.version === 4 ? 32 : 128) - network.prefix;
    this.#size = 2 ** Math.min(bits, 20);
    this.#ports = options.ports ?? { first: 30000, last: 32767 };
  }

  /** Completes a service that is about to be written. */
  begin(service: ServiceDraft, old: ServiceBody | undefined): Release {
    const mine: (string | number)[] = [];
    const release = () => {
      for (const item of mine) this.#reserved.delete(item);
    };
    try {
      if (old) patchAllocatedValues(service, old);
      normaliseClusterIps(service, old);
      const at = At.root();
      initIpFamilies(service, at, {
        old,
        families: [this.#network.ip.version === 4 ? "IPv4" : "IPv6"],
      });
      if (at.errors.length > 0) throw refuse(service, at);
      this.#addresses(service, old, mine);
      this.#nodePorts(service, old, mine);
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }

  #addresses(service: ServiceDraft, old: ServiceBody | undefined, mine: (string | number)[]): void {
    const { spec } = service;
    if (!needsClusterIp(service) || spec.clusterIP === headless) return;
    const kept = new Set(old?.spec.clusterIPs ?? []);
    const taken = this.#taken(({ spec: { clusterIPs = [] } }) => clusterIPs);
    const asked = spec.clusterIPs ?? [];
    for (const ip of asked) {
      if (kept.has(ip)) continue;
      const why = this.#whyNot(ip, taken);
      if (why)
        throw refuse(
          service,
          wrong("spec.clusterIPs", asked, `failed to allocate IP ${ip}: ${why}`),
        );
      this.#reserve(ip, mine);
    }
    if (asked.length > 0) {
      spec.clusterIP = asked[0];
      return;
    }
    const free = this.#freeAddress(taken);
    if (free === undefined)
      throw internalError(
        new Error(
          `failed to allocate a serviceIP for Service "${service.metadata.name}": range is full`,
        ),
      );
    this.#reserve(free, mine);
    spec.clusterIP = free;
    spec.clusterIPs = [free];
  }

  #whyNot(ip: string, taken: ReadonlySet<unknown>): string | undefined {
    const parsed = parseIp(ip);
    if (!parsed || !contains(this.#network, parsed))
      return "the provided network does not match the current range";
    const canonical = formatIp(parsed);
    if (taken.has(canonical) || this.#reserved.has(canonical) || canonical === this.#at(1))
      return "provided IP is already allocated";
    return undefined;
  }

  /** Somewhere in the upper part of the range, so that the lower is left for those who choose. */
  #freeAddress(taken: ReadonlySet<unknown>): string | undefined {
    const size = this.#size;
    const lower = Math.min(Math.max(16, Math.floor(size / 16)), 256);
    const from = size > lower * 2 ? lower : 2;
    const count = size - 1 - from;
    const start = Math.floor(this.#options.random.next() * count);
    for (let i = 0; i < count; i++) {
      const ip = this.#at(from + ((start + i) % count));
      if (!taken.has(ip) && !this.#reserved.has(ip)) return ip;
    }
    for (let i = 2; i < from; i++) {
      const ip = this.#at(i);
      if (!taken.has(ip) && !this.#reserved.has(ip)) return ip;
    }
    return undefined;
  }

  #at(index: number): string {
    const { ip } = this.#network;
    return formatIp({ ...ip, bits: ip.bits + BigInt(index) });
  }

  #nodePorts(service: ServiceDraft, old: ServiceBody | undefined, mine: (string | number)[]): void {
    const taken = this.#taken(allPorts);
    if (typeHasNodePorts(service)) {
      if (old) this.#updatePorts(service, old, { taken, mine });
      else this.#newPorts(service, { taken, mine });
    }
    const { spec } = service;
    if (!needsHealthCheck(service)) return;
    const asked = spec.healthCheckNodePort;
    if (!asked) spec.healthCheckNodePort = this.#freePort(taken, mine);
    else if (asked !== old?.spec.healthCheckNodePort) this.#healthPort(asked, { taken, mine });
  }

  /** Ports of one number, such as DNS over TCP and UDP, share a node port. */
  #newPorts(service: ServiceDraft, { taken, mine }: Ports): void {
    const ports = service.spec.ports ?? [];
    const given = new Map<number, number>();
    for (const [i, port] of ports.entries()) {
      if (!port.nodePort && !needsNodePort(service)) continue;
      const path = `spec.ports[${i}].nodePort`;
      const known = given.get(port.port);
      if (known === undefined) {
        const asked = ports.find((other) => other.port === port.port && other.nodePort)?.nodePort;
        if (asked) this.#askedPort(service, { path, port: asked, taken, mine });
        port.nodePort = asked ?? this.#freePort(taken, mine);
        given.set(port.port, port.nodePort);
      } else if (!port.nodePort) port.nodePort = known;
      else if (port.nodePort !== known)
        this.#askedPort(service, { path, port: port.nodePort, taken, mine });
    }
  }

  #updatePorts(service: ServiceDraft, old: ServiceBody, { taken, mine }: Ports): void {
    const kept = new Set(nodePorts(old));
    const seen = new Set<string>();
    for (const [i, port] of (service.spec.ports ?? []).entries()) {
      if (!port.nodePort && !needsNodePort(service)) continue;
      const path = `spec.ports[${i}].nodePort`;
      if (port.nodePort && !kept.has(port.nodePort) && !mine.includes(port.nodePort))
        this.#askedPort(service, { path, port: port.nodePort, taken, mine });
      port.nodePort ||= this.#freePort(taken, mine);
      const { protocol = "TCP", nodePort } = port;
      if (seen.has(`${protocol}/${nodePort}`))
        throw internalError(new Error(`duplicate nodePort: {${protocol} ${nodePort}}`));
      seen.add(`${protocol}/${nodePort}`);
    }
  }

  #askedPort(
    service: ServiceDraft,
    {
      path,
      port,
      taken,
      mine,
    }: { path: string; port: number; taken: ReadonlySet<unknown>; mine: (string | number)[] },
  ): void {
    const why = this.#whyNotPort(port, taken);
    if (why) throw refuse(service, wrong(path, port, why));
    this.#reserve(port, mine);
  }

  #healthPort(
    port: number,
    { taken, mine }: { taken: ReadonlySet<unknown>; mine: (string | number)[] },
  ): void {
    const why = this.#whyNotPort(port, taken);
    if (why)
      throw internalError(
        new Error(`failed to allocate requested HealthCheck NodePort ${port}: ${why}`),
      );
    this.#reserve(port, mine);
  }

  #whyNotPort(port: number, taken: ReadonlySet<unknown>): string | undefined {
    const { first, last } = this.#ports;
    if (port < first || port > last)
      return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
    if (taken.has(port) || this.#reserved.has(port)) return "provided port is already allocated";
    return undefined;
  }

  #freePort(taken: ReadonlySet<unknown>, mine: (string | number)[]): number {
    const { first, last } = this.#ports;
    const count = last - first + 1;
    const start = Math.floor(this.#options.random.next() * count);
    for (let i = 0; i < count; i++) {
      const port = first + ((start + i) % count);
      if (taken.has(port) || this.#reserved.has(port)) continue;
      this.#reserve(port, mine);
      return port;
    }
    throw internalError(new Error("failed to allocate a nodePort: range is full"));
  }

  #reserve(item: string | number, mine: (string | number)[]): void {
    this.#reserved.add(item);
    mine.push(item);
  }

  #taken<T>(of: (service: ServiceBody) => readonly T[]): Set<T> {
    const { cache, kind } = this.#options;
    const taken = new Set<T>();
    const resource = cache.of(kind);
    for (const { object } of resource.list(resource.prefix))
      for (const item of of(object as unknown as ServiceBody)) taken.add(item);
    return taken;
  }
}

/** What is taken, and what is reserved for the write under way. */
interface Ports {
  readonly taken: ReadonlySet<number>;
  readonly mine: (string | number)[];
}

const nodePorts = ({ spec }: ServiceBody): number[] =>
  (spec.ports ?? []).flatMap(({ nodePort }) => (nodePort ? [nodePort] : []));
const allPorts = (service: ServiceBody): number[] => {
  const { healthCheckNodePort: health } = service.spec;
  return health ? [...nodePorts(service), health] : nodePorts(service);
};
const typeHasNodePorts = ({ spec }: ServiceDraft): boolean =>
  spec.type === "NodePort" || spec.type === "LoadBalancer";

function wrong(path: string, value: unknown, why: string): At {
  const at = At.root();
  at.invalid(path, value, why);
  return at;
}

const refuse = ({ metadata }: ServiceDraft, { errors }: At): StatusError =>
  invalid({ group: "", resource: "Service", name: metadata.name ?? "" }, errors);
