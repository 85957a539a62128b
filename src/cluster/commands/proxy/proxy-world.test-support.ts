import { onTestFinished } from "vitest";
import { Node } from "../../../api/core/v1/node/node.ts";
import { Service } from "../../../api/core/v1/service/service.ts";
import { EndpointSlice } from "../../../api/discovery/v1/endpoint-slice.ts";
import { admin, openServer } from "../../../apiserver/in-process.test-support.ts";
import type { Log } from "../../../base/log.ts";
import { MetricsRegistry } from "../../../base/metrics-registry.ts";
import { SeededRandom } from "../../../base/random.ts";
import { type Client, createClient } from "../../../client/client.ts";
import { createInformers } from "../../../client/informer/informers.ts";
import {
  connectNamespaces,
  type Namespace,
  openNamespace,
} from "../../../network/pods/namespaces.test-support.ts";
import { type ProxyKernel, proxyKernel } from "../../../network/proxy/kernel.ts";
import type { ProxySettings } from "../../../network/proxy/proxy-settings.ts";
import { openServiceProxy, type ServiceProxy } from "../../../network/proxy/service-proxy.ts";
import { realClock } from "../../../platform/real-clock.ts";
import { MemoryStore } from "../../../store/memory/memory-store.ts";
import { inProcessTransport } from "../../in-process/in-process-transport.ts";
import { type Prober, startProber } from "./prober.test-support.ts";

/**
 * A node with two pods, a pod of another node, and a machine outside: namespaces that are connected as a pod network
 * would.
 */
export interface ProxyWorld {
  readonly node: Namespace;
  readonly kernel: ProxyKernel;
  readonly client: Client;
  readonly metrics: MetricsRegistry;
  readonly probers: Readonly<Record<Place, Prober>>;
  /** Creates a service with both families, and the slices of its endpoints. */
  service(name: string, options: TestService): Promise<Service>;
  /** Replaces the endpoints of a service. */
  endpoints(name: string, endpoints: readonly TestEndpoint[], port?: PortOptions): Promise<void>;
  startProxy(settings?: ProxySettings): ServiceProxy;
  /** What the kernel has, without what traffic has left. */
  rules(): Promise<string>;
}

/** Where traffic comes from, and where endpoints are: the last one is on another node. */
export type Place = "node" | "pod" | "backend" | "outside" | "remote";

export const addresses = {
  node: ["172.20.0.1", "fd00:20::1"],
  pod: ["10.88.0.11", "fd00:88::11"],
  backend: ["10.88.0.10", "fd00:88::10"],
  remote: ["10.88.1.10", "fd00:88:1::10"],
  outside: ["172.21.0.2", "fd00:21::2"],
} as const;

export interface TestService {
  readonly spec?: Partial<Service["spec"]>;
  readonly endpoints?: readonly TestEndpoint[];
  readonly loadBalancerIPs?: readonly string[];
}

export interface TestEndpoint {
  readonly at: "backend" | "remote" | "node";
  readonly conditions?: EndpointSlice["endpoints"] extends readonly (infer E)[]
    ? E extends { conditions?: infer C }
      ? C
      : never
    : never;
}

export interface PortOptions {
  readonly port?: number;
}

/** The ports at which endpoints listen. */
const listening = 8080;

/** Makes such a world until the test ends. */
export async function openProxyWorld(log?: Log): Promise<ProxyWorld> {
  const [node, pod, backend, remote, outside] = await Promise.all([
    openNamespace(),
    openNamespace(),
    openNamespace(),
    openNamespace(),
    openNamespace(),
  ]);
  const connect = async (
    at: Namespace,
    own: readonly string[],
    peers: readonly string[],
    name: string,
  ) => {
    const wide = (address: string) => `${address}/${address.includes(":") ? 64 : 24}`;
    await connectNamespaces(
      { at: node, name, addresses: peers.map(wide) },
      { at, name: "eth0", addresses: own.map(wide) },
    );
    for (const peer of peers)
      await at.run(`ip ${peer.includes(":") ? "-6" : ""} route add default via ${peer}`);
  };
  await node.run("sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1");
  await connect(remote, ["172.20.0.2", "fd00:20::2"], addresses.node, "other");
  await connect(outside, addresses.outside, ["172.21.0.1", "fd00:21::1"], "uplink");
  // Pods have a route for each, without a bridge: so do those of the built-in network.
  for (const [at, own, name] of [
    [pod, addresses.pod, "pod"],
    [backend, addresses.backend, "backend"],
  ] as const) {
    await connectNamespaces({ at: node, name, addresses: [] }, { at, name: "eth0", addresses: [] });
    const [v4, v6] = addresses.node;
    await node.run(
      `ip addr add ${v4}/32 dev ${name}; ip addr add ${v6}/128 dev ${name} nodad; ip route add ${own[0]} dev ${name}; ip -6 route add ${own[1]} dev ${name}`,
    );
    await at.run(
      `ip addr add ${own[0]}/32 dev eth0; ip addr add ${own[1]}/128 dev eth0 nodad; ip route add ${v4} dev eth0; ip route add default via ${v4}; ip -6 route add ${v6} dev eth0; ip -6 route add default via ${v6} dev eth0`,
    );
  }
  // It responds with the address of its pod.
  await remote.run(
    "ip addr add 10.88.1.10/32 dev lo; ip addr add fd00:88:1::10/128 dev lo nodad; ip route replace default via 172.20.0.1 src 10.88.1.10; ip -6 route replace default via fd00:20::1 src fd00:88:1::10",
  );
  await node.run(
    "ip route add 10.88.1.0/24 via 172.20.0.2; ip -6 route add fd00:88:1::/64 via fd00:20::2; ip route replace default via 172.21.0.2; ip -6 route replace default via fd00:21::2",
  );
  const [atNode, atPod, atBackend, atRemote, atOutside] = await Promise.all([
    startProber(node, "node", [listening]),
    startProber(pod, "pod"),
    startProber(backend, "backend", [listening]),
    startProber(remote, "remote", [listening]),
    startProber(outside, "outside"),
  ]);
  const api = await openApi();
  const { client } = api;
  const kernel = proxyKernel(["nsenter", `--net=${node.path}`]);
  const metrics = new MetricsRegistry();
  const endpoints: ProxyWorld["endpoints"] = async (name, list, { port = listening } = {}) => {
    const { spec } = await client.get(Service, { namespace: "default", name });
    for (const [i, family] of (["IPv4", "IPv6"] as const).entries()) {
      const key = { namespace: "default", name: `${name}-${family.toLowerCase()}` };
      const body = {
        metadata: { ...key, labels: { "kubernetes.io/service-name": name } },
        addressType: family,
        ports: (spec.ports ?? []).map(({ name = "", protocol = "TCP" }) => ({
          name,
          protocol,
          port,
        })),
        endpoints: list.map(({ at, conditions = { ready: true } }) => ({
          addresses: [addresses[at][i] ?? ""],
          conditions,
          nodeName: at === "remote" ? "node-2" : "node-1",
        })),
      };
      const old = await client.get(EndpointSlice, key).catch(() => undefined);
      if (old)
        await client.update(EndpointSlice, {
          ...body,
          metadata: { ...body.metadata, resourceVersion: old.metadata.resourceVersion },
        });
      else await client.create(EndpointSlice, body);
    }
  };
  return {
    ...{ node, kernel, client, metrics, endpoints },
    probers: { node: atNode, pod: atPod, backend: atBackend, remote: atRemote, outside: atOutside },
    async service(name, { spec, endpoints: list = [], loadBalancerIPs = [] }) {
      const service = await client.create(Service, {
        metadata: { namespace: "default", name },
        spec: { ipFamilyPolicy: "RequireDualStack", ports: bothProtocols, ...spec },
      });
      if (loadBalancerIPs.length > 0)
        await client.update(
          Service,
          {
            ...service,
            status: { loadBalancer: { ingress: loadBalancerIPs.map((ip) => ({ ip })) } },
          },
          { subresource: "status" },
        );
      await endpoints(name, list);
      return service;
    },
    startProxy(settings) {
      const informers = createInformers({ client, clock: realClock, random: new SeededRandom(1) });
      const proxy = openServiceProxy({
        ...{ nodeName: "node-1", nodeIPs: addresses.node, client, informers, clock: realClock },
        ...{ random: new SeededRandom(1), log: log ?? failingLog, metrics, settings, kernel },
      });
      onTestFinished(async () => {
        await proxy.close();
        informers.close();
      });
      return proxy;
    },
    rules: () => node.run("nft -s list ruleset"),
  };
}

/** The same port with both protocols. */
export const bothProtocols = [
  { name: "tcp", protocol: "TCP", port: 80 },
  { name: "udp", protocol: "UDP", port: 80 },
] as const;

async function openApi(): Promise<{ readonly client: Client }> {
  const server = await openServer(realClock, new MemoryStore(realClock), {
    ...{ random: new SeededRandom(1), serviceRange: "10.96.0.0/16,fd00:96::/112" },
  });
  onTestFinished(async () => void (await server.close()));
  const client = createClient(inProcessTransport(server.handle, admin), { clock: realClock });
  await client.create(Node, {
    metadata: { name: "node-1", labels: { "topology.kubernetes.io/zone": "a" } },
    spec: { podCIDRs: ["10.88.0.0/24", "fd00:88::/64"] },
  });
  return { client };
}

/** A proxy whose transactions fail is a failure of the test, which says why. */
const failingLog: Log = {
  ...{ debug() {}, info() {}, warn() {} },
  error: (message, error) => void process.stderr.write(`${message}: ${error}\n`),
  with: () => failingLog,
};
