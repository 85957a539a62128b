import { Service } from "../../../src/api/core/v1/service/service.ts";
import { EndpointSlice, serviceNameLabel } from "../../../src/api/discovery/v1/endpoint-slice.ts";
import type { Random } from "../../../src/base/random.ts";
import type { Client } from "../../../src/client/client.ts";

/** A service as it was written last. */
export interface WrittenService {
  readonly address: string;
  readonly isLocal: boolean;
  readonly endpoints: readonly WrittenEndpoint[];
}

interface WrittenEndpoint {
  readonly address: string;
  readonly isLocal: boolean;
  readonly state: "ready" | "not-ready" | "ending";
}

/** The addresses of all endpoints, which are in one network. */
export const endpointAddresses = Array.from({ length: 12 }, (_, i) => `10.88.0.${i + 1}`);

const names = Array.from({ length: 8 }, (_, i) => `s-${i}`);
const namespace = "default";

/** Writes services and endpoints that change at random. */
export class RandomServices {
  readonly #client: Client;
  readonly #random: Random;
  readonly #written = new Map<string, WrittenService>();
  /** The addresses of services that are gone. */
  readonly #gone = new Set<string>();

  constructor(client: Client, random: Random) {
    this.#client = client;
    this.#random = random;
  }

  get written(): readonly WrittenService[] {
    return [...this.#written.values()];
  }

  /** The addresses that no service has any more. */
  get gone(): readonly string[] {
    const used = new Set(this.written.map(({ address }) => address));
    return [...this.#gone].filter((address) => !used.has(address));
  }

  /** Makes one change; resolves when the API server has it. */
  async change(): Promise<void> {
    const name = this.#pick(names);
    const before = this.#written.get(name);
    if (!before) return this.#create(name);
    const what = this.#random.next();
    if (what < 0.15) return this.#delete(name);
    if (what < 0.3) return this.#update(name, before);
    return this.#write(name, { ...before, endpoints: this.#endpoints() });
  }

  /** Deletes all. */
  async clear(): Promise<void> {
    for (const name of [...this.#written.keys()]) await this.#delete(name);
  }

  async #create(name: string): Promise<void> {
    const isLocal = this.#random.next() < 0.2;
    const { spec } = await this.#client.create(Service, {
      metadata: { namespace, name },
      spec: {
        type: this.#pick(["ClusterIP", "NodePort"]),
        internalTrafficPolicy: isLocal ? "Local" : "Cluster",
        sessionAffinity: this.#pick(["None", "ClientIP"]),
        ipFamilyPolicy: "RequireDualStack",
        ports: [
          { name: "tcp", protocol: "TCP", port: 80 },
          { name: "udp", protocol: "UDP", port: 80 },
        ],
      },
    });
    const service = { address: spec.clusterIP ?? "", isLocal, endpoints: [] };
    this.#written.set(name, service);
    if (this.#random.next() < 0.9)
      await this.#write(name, { ...service, endpoints: this.#endpoints() });
  }

  async #delete(name: string): Promise<void> {
    const slices = await this.#client.list(EndpointSlice, { namespace, labelSelector: of(name) });
    const deleteSlices = async () => {
      for (const { metadata } of slices.items)
        await this.#client.delete(EndpointSlice, { namespace, name: metadata.name ?? "" });
    };
    // Either can be gone first.
    const isSlicesFirst = this.#random.next() < 0.5;
    if (isSlicesFirst) await deleteSlices();
    await this.#client.delete(Service, { namespace, name });
    if (!isSlicesFirst) await deleteSlices();
    this.#gone.add(this.#written.get(name)?.address ?? "");
    this.#written.delete(name);
  }

  async #update(name: string, before: WrittenService): Promise<void> {
    const isLocal = !before.isLocal;
    await this.#client.patch(
      Service,
      { namespace, name },
      { merge: { spec: { internalTrafficPolicy: isLocal ? "Local" : "Cluster" } } as never },
    );
    this.#written.set(name, { ...before, isLocal });
  }

  /** Writes endpoints to two slices, such that some move from one to the other. */
  async #write(name: string, service: WrittenService): Promise<void> {
    const halves = [[], []] as [WrittenEndpoint[], WrittenEndpoint[]];
    for (const one of service.endpoints) halves[this.#random.next() < 0.5 ? 0 : 1].push(one);
    for (const [i, half] of halves.entries()) {
      const key = { namespace, name: `${name}-${i}` };
      const found = await this.#client.list(EndpointSlice, { namespace, labelSelector: of(name) });
      const old = found.items.find(({ metadata }) => metadata.name === key.name);
      const resourceVersion = old?.metadata.resourceVersion;
      const slice = {
        metadata: {
          ...{ ...key, labels: { [serviceNameLabel]: name } },
          ...(resourceVersion !== undefined && { resourceVersion }),
        },
        addressType: "IPv4",
        ports: (["TCP", "UDP"] as const).map((protocol) => ({
          ...{ name: protocol.toLowerCase(), protocol, port: 8080 },
        })),
        endpoints: half.map(({ address, isLocal, state }) => ({
          addresses: [address],
          nodeName: isLocal ? "node-1" : "node-2",
          conditions: {
            ready: state === "ready",
            serving: state !== "not-ready",
            terminating: state === "ending",
          },
        })),
      };
      if (old) await this.#client.update(EndpointSlice, slice);
      else await this.#client.create(EndpointSlice, slice);
    }
    this.#written.set(name, service);
  }

  #endpoints(): readonly WrittenEndpoint[] {
    const count = this.#random.next() < 0.1 ? 0 : Math.floor(this.#random.next() * 6);
    const offset = Math.floor(this.#random.next() * endpointAddresses.length);
    return Array.from({ length: count }, (_, i) => ({
      address: endpointAddresses[(offset + i) % endpointAddresses.length] ?? "",
      isLocal: this.#random.next() < 0.5,
      state: this.#pick(["ready", "ready", "ready", "not-ready", "ending"]),
    }));
  }

  #pick<const T>(values: readonly T[]): T {
    return values[Math.floor(this.#random.next() * values.length)] as T;
  }
}

/** The endpoints to which traffic to a service may lead. Flows of UDP stay with an endpoint while it serves. */
export function expectedEndpoints(
  { endpoints, isLocal }: WrittenService,
  protocol: "tcp" | "udp",
): readonly string[] {
  const near = endpoints.filter((one) => one.isLocal || !isLocal);
  if (protocol === "udp")
    return near.flatMap(({ address, state }) => (state === "not-ready" ? [] : [address]));
  const ready = near.filter(({ state }) => state === "ready");
  const used = ready.length > 0 ? ready : near.filter(({ state }) => state === "ending");
  return used.map(({ address }) => address);
}

const of = (name: string): string => `${serviceNameLabel}=${name}`;
