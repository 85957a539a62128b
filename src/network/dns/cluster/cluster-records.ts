import type { Service } from "../../../api/core/v1/service/service.ts";
import { type EndpointSlice, serviceNameLabel } from "../../../api/discovery/v1/endpoint-slice.ts";
import { addressBytes } from "../message/make-record.ts";
import { type NamedEndpoint, type NamedPort, namedEndpoints } from "./endpoint-names.ts";

/** What DNS knows of a service. */
export interface NamedService {
  readonly namespace: string;
  readonly name: string;
  /** Its addresses; none if it is headless. */
  readonly addresses: readonly Uint8Array[];
  readonly isHeadless: boolean;
  readonly ports: readonly NamedPort[];
  /** The name for which it stands. */
  readonly externalName?: string | undefined;
}

/** What an address belongs to: a service, or an endpoint of one. */
export interface AddressOwner {
  readonly namespace: string;
  readonly service: string;
  /** Absent for the service itself. */
  readonly label?: string | undefined;
}

/** The objects of a cluster, as DNS looks them up. A change costs as much as the object that has changed. */
export class ClusterRecords {
  readonly #now: () => number;
  readonly #namespaces = new Set<string>();
  /** By namespace and name; an entry is there while it has a service or slices. */
  readonly #services = new Map<string, ServiceEntry>();
  /** The service of each slice, by the slice's namespace and name. */
  readonly #slices = new Map<string, string>();
  /** By the bytes of an address: the owners, by the object that says so. */
  readonly #owners = new Map<string, Map<string, readonly AddressOwner[]>>();
  #serial: number;

  /** `now` is the time in milliseconds, from which the serial is made. */
  constructor(now: () => number) {
    this.#now = now;
    this.#serial = secondsOf(now());
  }

  /** Grows when records change. */
  get serial(): number {
    return this.#serial;
  }

  hasNamespace(name: string): boolean {
    return this.#namespaces.has(name);
  }

  service(namespace: string, name: string): NamedService | undefined {
    return this.#services.get(`${namespace}/${name}`)?.service;
  }

  /** The endpoints of a service, of all its slices. */
  endpoints(namespace: string, name: string): readonly NamedEndpoint[] {
    const entry = this.#services.get(`${namespace}/${name}`);
    if (!entry) return [];
    entry.endpoints ??= [...entry.slices.values()].flat();
    return entry.endpoints;
  }

  /** What has an address: services before endpoints. */
  owners(address: Uint8Array): readonly AddressOwner[] {
    const found = [...(this.#owners.get(keyOfAddress(address))?.values() ?? [])].flat();
    const services = found.filter(({ label }) => label === undefined);
    return services.length > 0 ? services : found;
  }

  setNamespace(name: string): void {
    this.#namespaces.add(name);
    this.#changed();
  }

  removeNamespace(name: string): void {
    this.#namespaces.delete(name);
    this.#changed();
  }

  setService(service: Service): void {
    const { namespace = "", name = "" } = service.metadata;
    const key = `${namespace}/${name}`;
    const entry = this.#entry(key);
    this.#disown(`service ${key}`, entry.service?.addresses ?? []);
    entry.service = namedService(service);
    const owner = { namespace, service: name };
    for (const address of entry.service.addresses) this.#own(`service ${key}`, address, [owner]);
    this.#changed();
  }

  removeService(namespace: string, name: string): void {
    const key = `${namespace}/${name}`;
    const entry = this.#services.get(key);
    if (!entry?.service) return;
    this.#disown(`service ${key}`, entry.service.addresses);
    entry.service = undefined;
    this.#drop(key, entry);
    this.#changed();
  }

  setSlice(slice: EndpointSlice): void {
    const { namespace = "", name = "", labels = {} } = slice.metadata;
    this.removeSlice(namespace, name);
    const service = labels[serviceNameLabel];
    if (!service) return;
    const key = `${namespace}/${service}`;
    const endpoints = namedEndpoints(slice);
    const entry = this.#entry(key);
    entry.slices.set(name, endpoints);
    entry.endpoints = undefined;
    this.#slices.set(`${namespace}/${name}`, key);
    const owners = new Map<string, { address: Uint8Array; owners: AddressOwner[] }>();
    for (const { address, label } of endpoints) {
      const text = keyOfAddress(address);
      const known = owners.get(text) ?? { address, owners: [] };
      owners.set(text, known);
      known.owners.push({ namespace, service, label });
    }
    for (const one of owners.values())
      this.#own(`slice ${namespace}/${name}`, one.address, one.owners);
    this.#changed();
  }

  removeSlice(namespace: string, name: string): void {
    const key = this.#slices.get(`${namespace}/${name}`);
    const entry = key === undefined ? undefined : this.#services.get(key);
    if (key === undefined || !entry) return;
    const endpoints = entry.slices.get(name) ?? [];
    this.#disown(
      `slice ${namespace}/${name}`,
      endpoints.map(({ address }) => address),
    );
    this.#slices.delete(`${namespace}/${name}`);
    entry.slices.delete(name);
    entry.endpoints = undefined;
    this.#drop(key, entry);
    this.#changed();
  }

  #entry(key: string): ServiceEntry {
    const found = this.#services.get(key) ?? { slices: new Map() };
    this.#services.set(key, found);
    return found;
  }

  #drop(key: string, { service, slices }: ServiceEntry): void {
    if (!service && slices.size === 0) this.#services.delete(key);
  }

  #own(source: string, address: Uint8Array, owners: readonly AddressOwner[]): void {
    const key = keyOfAddress(address);
    const bySource = this.#owners.get(key) ?? new Map<string, readonly AddressOwner[]>();
    this.#owners.set(key, bySource);
    bySource.set(source, owners);
  }

  #disown(source: string, addresses: readonly Uint8Array[]): void {
    for (const address of addresses) {
      const key = keyOfAddress(address);
      const bySource = this.#owners.get(key);
      bySource?.delete(source);
      if (bySource?.size === 0) this.#owners.delete(key);
    }
  }

  #changed(): void {
    this.#serial = Math.max(this.#serial, secondsOf(this.#now()));
  }
}

interface ServiceEntry {
  service?: NamedService | undefined;
  readonly slices: Map<string, readonly NamedEndpoint[]>;
  /** Those of all slices, once they are wanted. */
  endpoints?: readonly NamedEndpoint[] | undefined;
}

const secondsOf = (ms: number): number => Math.floor(ms / 1000) % 2 ** 32;

const keyOfAddress = (address: Uint8Array): string =>
  Buffer.from(address.buffer, address.byteOffset, address.byteLength).toString("latin1");

function namedService({ metadata, spec }: Service): NamedService {
  const { clusterIP = "", clusterIPs = [clusterIP], externalName } = spec;
  const isExternal = spec.type === "ExternalName";
  return {
    namespace: metadata.namespace ?? "",
    name: metadata.name ?? "",
    addresses: isExternal ? [] : clusterIPs.flatMap((text) => addressBytes(text) ?? []),
    isHeadless: !isExternal && clusterIP === "None",
    ports: (spec.ports ?? []).map(({ name = "", protocol, port }) => ({
      ...{ name, protocol: (protocol ?? "TCP").toLowerCase(), port },
    })),
    externalName: isExternal ? externalName : undefined,
  };
}
