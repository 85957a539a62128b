import { expect } from "vitest";
import { eventually } from "../../../../test/eventually.ts";
import { requires, testWith } from "../../../../test/requires.ts";
import { Service } from "../../../api/core/v1/service/service.ts";
import {
  EndpointSlice,
  headlessLabel,
  serviceNameLabel,
} from "../../../api/discovery/v1/endpoint-slice.ts";
import { keyOf } from "../../../client/resource-kind.ts";
import { removeServiceProxy } from "../../../network/proxy/kernel.ts";
import { defaultProxySettings } from "../../../network/proxy/proxy-settings.ts";
import {
  addresses,
  openProxyWorld,
  type Place,
  type ProxyWorld,
} from "./proxy-world.test-support.ts";

const minutes = 120_000;
const withNft = testWith(requires("nft", "conntrack"));

const tcp = (world: ProxyWorld, place: Place, address: string, port = 80) =>
  world.probers[place].probe({ protocol: "TCP", address, port });

const clusterIP = async ({ client }: ProxyWorld, name: string): Promise<string> =>
  (await client.get(Service, { namespace: "default", name })).spec.clusterIP ?? "";

/** The response of an endpoint, unlike `no response`. */
const anEndpoint = /^(backend|remote) /;

/** Several responses at an address, each once. */
async function several(world: ProxyWorld, place: Place, address: string, port = 80) {
  const responses = Array.from({ length: 12 }, () => tcp(world, place, address, port));
  return [...new Set(await Promise.all(responses))].sort();
}

withNft(
  "service proxy: endpoints share traffic, one that is not ready gets none, and without any it is refused at once",
  async () => {
    const world = await openProxyWorld();
    world.startProxy();
    await world.service("web", { endpoints: [{ at: "backend" }, { at: "remote" }] });
    const address = await clusterIP(world, "web");
    const both = [`backend ${addresses.pod[0]}`, `remote ${addresses.pod[0]}`];
    await eventually(async () => expect(await several(world, "pod", address)).toEqual(both));
    const changed = performance.now();
    await world.endpoints("web", [
      { at: "backend", conditions: { ready: false } },
      { at: "remote" },
    ]);
    await eventually(async () =>
      expect(await several(world, "pod", address)).toEqual(both.slice(1)),
    );
    expect(performance.now() - changed).toBeLessThan(1000);
    // While they end, endpoints that still serve are used if there is no other.
    await world.endpoints("web", [
      { at: "backend", conditions: { ready: false, serving: true, terminating: true } },
    ]);
    await eventually(async () =>
      expect(await several(world, "pod", address)).toEqual(both.slice(0, 1)),
    );
    await world.endpoints("web", []);
    await eventually(async () =>
      expect(
        await Promise.all(
          (["pod", "node", "outside"] as const).map((place) => tcp(world, place, address)),
        ),
      ).toEqual(["ECONNREFUSED", "ECONNREFUSED", "ECONNREFUSED"]),
    );
    // Neither does another port of the address time out.
    expect(await tcp(world, "pod", address, 81)).toBe("ECONNREFUSED");
  },
  minutes,
);

withNft(
  "service proxy: endpoints that are labelled as headless get no traffic",
  async () => {
    const world = await openProxyWorld();
    world.startProxy();
    await world.service("web", { endpoints: [{ at: "backend" }] });
    const address = await clusterIP(world, "web");
    const answer = `backend ${addresses.pod[0]}`;
    await eventually(async () => expect(await tcp(world, "pod", address)).toBe(answer));
    const { items } = await world.client.list(EndpointSlice, {
      ...{ namespace: "default", labelSelector: `${serviceNameLabel}=web` },
    });
    const merge = { metadata: { labels: { [headlessLabel]: "" } } };
    for (const slice of items) await world.client.patch(EndpointSlice, keyOf(slice), { merge });
    await eventually(async () => expect(await tcp(world, "pod", address)).toBe("ECONNREFUSED"));
  },
  minutes,
);

withNft(
  "service proxy: policy Local keeps the source, and traffic on the node",
  async () => {
    const world = await openProxyWorld();
    world.startProxy();
    const spec = {
      type: "LoadBalancer",
      externalTrafficPolicy: "Local",
      internalTrafficPolicy: "Local",
    } as const;
    await world.service("web", {
      ...{ spec, loadBalancerIPs: ["192.0.2.8"] },
      endpoints: [{ at: "backend" }, { at: "remote" }],
    });
    const address = await clusterIP(world, "web");
    await eventually(async () =>
      expect(await several(world, "outside", "192.0.2.8")).toEqual([
        `backend ${addresses.outside[0]}`,
      ]),
    );
    expect(await several(world, "pod", address)).toEqual([`backend ${addresses.pod[0]}`]);
    // Pods and the node itself use all endpoints, as if they came by way of the load balancer.
    expect(await several(world, "pod", "192.0.2.8")).toEqual([
      `backend ${addresses.pod[0]}`,
      `remote ${addresses.pod[0]}`,
    ]);
    await world.endpoints("web", [{ at: "remote" }]);
    await eventually(async () =>
      expect(await tcp(world, "outside", "192.0.2.8")).toBe("no response"),
    );
    expect([await tcp(world, "pod", address), await tcp(world, "pod", "192.0.2.8")]).toEqual([
      "no response",
      `remote ${addresses.pod[0]}`,
    ]);
    expect(world.metrics.text()).toContain(
      'kubeproxy_sync_proxy_rules_no_local_endpoints_total{ip_family="IPv4",traffic_policy="external"} 2',
    );
  },
  minutes,
);

withNft(
  "service proxy: only source ranges reach a load balancer",
  async () => {
    const world = await openProxyWorld();
    world.startProxy();
    await world.service("web", {
      spec: { type: "LoadBalancer", loadBalancerSourceRanges: ["10.0.0.0/8", "10.88.0.0/24"] },
      ...{ loadBalancerIPs: ["192.0.2.8"], endpoints: [{ at: "backend" }] },
    });
    await eventually(async () => expect(await tcp(world, "pod", "192.0.2.8")).toContain("backend"));
    expect(await tcp(world, "outside", "192.0.2.8")).toBe("no response");
  },
  minutes,
);

withNft(
  "service proxy: a client stays with its endpoint, also across a restart, until that is gone",
  async () => {
    const world = await openProxyWorld();
    const first = world.startProxy();
    await world.service("web", {
      spec: {
        type: "NodePort",
        sessionAffinity: "ClientIP",
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 600 } },
      },
      endpoints: [{ at: "backend" }, { at: "remote" }],
    });
    const service = await world.client.get(Service, { namespace: "default", name: "web" });
    const address = service.spec.clusterIP ?? "";
    const nodePort = service.spec.ports?.[0]?.nodePort ?? 0;
    await eventually(async () => expect(await tcp(world, "pod", address)).toMatch(anEndpoint));
    const mine = await several(world, "pod", address);
    expect(mine).toEqual([expect.stringMatching(anEndpoint)]);
    expect(await several(world, "outside", "172.21.0.1", nodePort)).toEqual([
      expect.stringMatching(anEndpoint),
    ]);
    await first.close();
    world.startProxy();
    await eventually(async () => expect(await world.kernel.stickyClients("ip")).not.toEqual([]));
    expect(await several(world, "pod", address)).toEqual(mine);
    const [stay, leave] = mine[0]?.startsWith("remote")
      ? (["backend", "remote"] as const)
      : (["remote", "backend"] as const);
    await world.endpoints("web", [{ at: stay }]);
    await eventually(async () =>
      expect(await several(world, "pod", address)).toEqual([`${stay} ${addresses.pod[0]}`]),
    );
    expect(JSON.stringify(await world.kernel.stickyClients("ip"))).not.toContain(
      `${addresses[leave][0]} . 8080`,
    );
  },
  minutes,
);

withNft(
  "service proxy: a client of IPv6 stays with its endpoint, also across a restart, until that is gone",
  async () => {
    const world = await openProxyWorld();
    const first = world.startProxy();
    await world.service("web", {
      spec: {
        type: "NodePort",
        sessionAffinity: "ClientIP",
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 600 } },
      },
      endpoints: [{ at: "backend" }, { at: "remote" }],
    });
    const { spec } = await world.client.get(Service, { namespace: "default", name: "web" });
    const address = spec.clusterIPs?.[1] ?? "";
    const nodePort = spec.ports?.[0]?.nodePort ?? 0;
    await eventually(async () => expect(await tcp(world, "pod", address)).toMatch(anEndpoint));
    const mine = await several(world, "pod", address);
    expect(mine).toEqual([expect.stringMatching(anEndpoint)]);
    expect(await several(world, "outside", "fd00:21::1", nodePort)).toEqual([
      expect.stringMatching(anEndpoint),
    ]);
    const udp = await world.probers.pod.probe({ protocol: "UDP", address, port: 80 });
    await first.close();
    const second = world.startProxy();
    await eventually(async () => expect(await world.kernel.stickyMembers()).toHaveLength(3));
    expect(await several(world, "pod", address)).toEqual(mine);
    const [stay, leave] = mine[0]?.startsWith("remote")
      ? (["backend", "remote"] as const)
      : (["remote", "backend"] as const);
    await world.endpoints("web", [{ at: stay }]);
    await eventually(async () =>
      expect(await several(world, "pod", address)).toEqual([`${stay} ${addresses.pod[1]}`]),
    );
    // Another endpoint that comes changes nothing for those that are there.
    await world.endpoints("web", [{ at: leave }, { at: stay }]);
    await eventually(async () => expect(await world.rules()).toContain(`[${addresses[leave][1]}]`));
    expect(await several(world, "pod", address)).toEqual([`${stay} ${addresses.pod[1]}`]);
    expect(udp).toMatch(anEndpoint);
    await world.client.delete(Service, { namespace: "default", name: "web" });
    // Its sets and chains go with it.
    await eventually(async () =>
      expect(await world.rules()).not.toMatch(/clients-|sticky-[0-9a-f]{20}/),
    );
    await second.close();
  },
  minutes,
);

withNft(
  "service proxy: flows of UDP leave an endpoint that is gone",
  async () => {
    const world = await openProxyWorld();
    world.startProxy();
    await world.service("web", { endpoints: [{ at: "backend" }] });
    const address = await clusterIP(world, "web");
    // One source port: the kernel takes all packets for one flow.
    const udp = () => world.probers.pod.probe({ protocol: "UDP", address, port: 80, from: 5353 });
    await eventually(async () => expect(await udp()).toContain("backend"));
    await world.endpoints("web", [{ at: "remote" }]);
    await eventually(async () => expect(await udp()).toContain("remote"));
    await world.endpoints("web", []);
    await eventually(async () => expect(await udp()).toBe("ECONNREFUSED"));
  },
  minutes,
);

withNft(
  "service proxy: what it programs does not depend on how it came about, and all of it can be removed",
  async () => {
    const world = await openProxyWorld();
    await world.node.run("nft add table ip other");
    const first = world.startProxy();
    await world.service("a", { endpoints: [{ at: "backend" }, { at: "remote" }] });
    await world.service("b", { endpoints: [{ at: "remote" }] });
    await world.endpoints("a", [{ at: "remote" }]);
    const rule = "10.88.1.10 . 8080";
    await eventually(async () => expect((await world.rules()).split(rule).length - 1).toBe(4));
    await first.close();
    const elements = (text: string) => sortedElements(text);
    const before = elements(await world.rules());
    // While nobody follows, one service goes, and another changes.
    await world.client.delete(Service, { namespace: "default", name: "b" });
    await world.endpoints("a", [{ at: "remote" }, { at: "backend" }]);
    const second = world.startProxy();
    await eventually(async () => expect(await world.rules()).toContain("10.88.0.10 . 8080"));
    await world.service("b", {
      spec: { clusterIPs: undefined },
      endpoints: [{ at: "remote" }],
    });
    await world.endpoints("a", [{ at: "remote" }]);
    await eventually(async () => expect((await world.rules()).split(rule).length - 1).toBe(4));
    await second.close();
    expect(elements(await world.rules()).length).toBe(before.length);
    await removeServiceProxy(world.kernel);
    expect(await world.rules()).toBe("table ip other {\n}\n");
  },
  minutes,
);

/** The elements of a listing, whatever their order. */
const sortedElements = (text: string): readonly string[] =>
  [...text.matchAll(/\S+ \. \S+ \. (?:tcp|udp) \. \d+ : goto \S+/g)].map(([one]) => one).sort();

withNft(
  "service proxy: node ports are only at the chosen addresses",
  async () => {
    const world = await openProxyWorld();
    world.startProxy({ ...defaultProxySettings, nodePortAddresses: "primary" });
    const { spec } = await world.service("web", {
      ...{ spec: { type: "NodePort" }, endpoints: [{ at: "backend" }] },
    });
    const port = spec.ports?.[0]?.nodePort ?? 0;
    await eventually(async () =>
      expect(await tcp(world, "outside", addresses.node[0], port)).toContain("backend"),
    );
    expect(await tcp(world, "outside", "172.21.0.1", port)).toBe("ECONNREFUSED");
  },
  minutes,
);
