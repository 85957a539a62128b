import type { Service } from "../../api/core/v1/service/service.ts";
import type { IPAddress } from "../../api/networking/v1/ip-address.ts";
import { SeededRandom } from "../../base/random.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { MemoryStore } from "../../store/memory/memory-store.ts";
import type { Store } from "../../store/store.ts";
import { openServer, send } from "../in-process.test-support.ts";
import type { ApiServer } from "../server.ts";
import type { ApiServerOptions } from "../server-options.ts";
import { nodePortsKey } from "./node-port-allocator.ts";
import { PortBits } from "./port-bits.ts";
import { decodeSharedRange } from "./range-allocation.ts";

/** A server on a store, with the requests that tests of services send. */
export interface ServiceServer {
  readonly server: ApiServer;
  readonly store: Store;
  readonly clock: VirtualClock;
  /** Creates a service; throws the server's error. */
  create(name: string, spec?: object, query?: string): Promise<Service>;
  /** The response to that: `201`, or the code and the message. */
  tryCreate(name: string, spec?: object, query?: string): Promise<string>;
  /** Merges a patch into a service; returns the server's error if that is rejected. */
  patch(name: string, spec: object, query?: string): Promise<Service | string>;
  remove(name: string, query?: string): Promise<void>;
  /** The services that tests have created. */
  services(): Promise<Service[]>;
  ipAddresses(): Promise<IPAddress[]>;
  /** The names of all IPAddresses, in order. */
  addresses(): Promise<string[]>;
  /** The allocated node ports in the store. */
  ports(): Promise<number[]>;
  request(method: string, path: string, body?: unknown): Promise<{ status: number; body: never }>;
}

/** The service of the server itself, which tests do not count. */
const own = "kubernetes";

export async function serviceServer({
  clock = new VirtualClock(Date.UTC(2026, 0, 1)),
  store = new MemoryStore(clock),
  ...options
}: Partial<Omit<ApiServerOptions, "store" | "clock">> & {
  readonly store?: Store;
  readonly clock?: VirtualClock;
} = {}): Promise<ServiceServer> {
  const server = await openServer(clock, store, { random: new SeededRandom(1), ...options });
  const request: ServiceServer["request"] = async (method, path, body) => {
    const headers = method === "PATCH" ? { "content-type": "application/merge-patch+json" } : {};
    const answer = await send(server, { method, path, headers, body });
    return { status: answer.status, body: JSON.parse(answer.text) as never };
  };
  const home = "/api/v1/namespaces/default/services";
  const post = (name: string, spec: object, query: string) =>
    request("POST", `${home}${query}`, {
      kind: "Service",
      apiVersion: "v1",
      metadata: { name },
      spec: { ports: [{ port: 80 }], ...spec },
    });
  const outcomeOf = ({ status, body }: { status: number; body: { message?: string } }) =>
    `${status} ${body.message ?? ""}`.trim();
  const list = async <T>(path: string): Promise<T[]> =>
    ((await request("GET", path)).body as { items: T[] }).items;
  const ipAddresses = async () =>
    (await list<IPAddress>("/apis/networking.k8s.io/v1/ipaddresses")).filter(
      ({ spec }) => spec?.parentRef?.name !== own,
    );
  return {
    server,
    store,
    clock,
    request,
    async create(name, spec = {}, query = "") {
      const answer = await post(name, spec, query);
      if (answer.status !== 201) throw new Error(outcomeOf(answer));
      return answer.body;
    },
    tryCreate: async (name, spec = {}, query = "") => {
      const answer = await post(name, spec, query);
      return answer.status === 201 ? "201" : outcomeOf(answer);
    },
    async patch(name, spec, query = "") {
      const answer = await request("PATCH", `${home}/${name}${query}`, { spec });
      return answer.status === 200 ? (answer.body as Service) : outcomeOf(answer);
    },
    async remove(name, query = "") {
      const answer = await request("DELETE", `${home}/${name}${query}`);
      if (answer.status !== 200) throw new Error(outcomeOf(answer));
    },
    services: async () =>
      (await list<Service>(home)).filter(({ metadata }) => metadata.name !== own),
    ipAddresses,
    addresses: async () => (await ipAddresses()).map(({ metadata }) => metadata.name ?? ""),
    async ports() {
      const entry = await store.get(nodePortsKey);
      if (!entry) throw new Error("nothing is stored of node ports");
      const { range, data } = decodeSharedRange(entry.value);
      const [first = 0, last = 0] = range.split("-").map(Number);
      return [...new PortBits({ first, last }, data).ports()];
    },
  };
}

/** The patched service; throws the server's error. */
export function patched(answer: Service | string): Service {
  if (typeof answer === "string") throw new Error(answer);
  return answer;
}
