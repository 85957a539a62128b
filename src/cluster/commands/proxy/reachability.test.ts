import { expect } from "vitest";
import { eventually } from "../../../../test/eventually.ts";
import { requires, testWith } from "../../../../test/requires.ts";
import {
  addresses,
  openProxyWorld,
  type Place,
  type ProxyWorld,
} from "./proxy-world.test-support.ts";

const minutes = 120_000;
const from: readonly Place[] = ["node", "pod", "backend", "outside"];

type Results = Readonly<Record<string, string>>;

/** What each place gets at an address, for both protocols; one result if they agree. */
async function reach(
  { probers }: ProxyWorld,
  address: string,
  port: number,
  places: readonly Place[] = from,
): Promise<Results> {
  const rows = places.map(async (place) => {
    const [tcp, udp] = await Promise.all(
      (["TCP", "UDP"] as const).map((protocol) =>
        probers[place].probe({ protocol, address, port }),
      ),
    );
    return [place, tcp === udp ? `${tcp}` : `TCP ${tcp}, UDP ${udp}`] as const;
  });
  return Object.fromEntries(await Promise.all(rows));
}

testWith(requires("nft", "conntrack"))(
  "service proxy: each kind of address is reached from everywhere, with the source that upstream has",
  async () => {
    const world = await openProxyWorld();
    const made = await world.service("local", {
      spec: { type: "LoadBalancer", externalIPs: ["192.0.2.7"] },
      loadBalancerIPs: ["192.0.2.8", "2001:db8::8"],
      endpoints: [{ at: "backend" }],
    });
    await world.service("remote", {
      spec: { type: "NodePort" },
      endpoints: [{ at: "remote" }],
    });
    world.startProxy();
    const [v4 = "", v6 = ""] = made.spec.clusterIPs ?? [];
    await eventually(async () =>
      expect(await world.probers.pod.probe({ protocol: "TCP", address: v4, port: 80 })).toContain(
        "backend",
      ),
    );
    // The address of the node on the interface to the backend is what masquerading gives.
    const own = { v4: "backend 172.20.0.1", v6: "backend fd00:20::1" };
    const nodePort = made.spec.ports?.[0]?.nodePort ?? 0;
    const udpNodePort = made.spec.ports?.[1]?.nodePort ?? 0;
    expect([nodePort, udpNodePort].every((port) => port >= 30000)).toBe(true);
    expect({
      clusterIPv4: await reach(world, v4, 80),
      clusterIPv6: await reach(world, v6, 80),
      externalIP: await reach(world, "192.0.2.7", 80),
      loadBalancerIPv4: await reach(world, "192.0.2.8", 80),
      loadBalancerIPv6: await reach(world, "2001:db8::8", 80),
    }).toEqual({
      clusterIPv4: {
        ...{ node: own.v4, pod: `backend ${addresses.pod[0]}` },
        ...{ backend: own.v4, outside: own.v4 },
      },
      clusterIPv6: {
        ...{ node: own.v6, pod: `backend ${addresses.pod[1]}` },
        ...{ backend: own.v6, outside: own.v6 },
      },
      externalIP: { node: own.v4, pod: own.v4, backend: own.v4, outside: own.v4 },
      loadBalancerIPv4: { node: own.v4, pod: own.v4, backend: own.v4, outside: own.v4 },
      loadBalancerIPv6: { node: own.v6, pod: own.v6, backend: own.v6, outside: own.v6 },
    });
    const at = { v4: "172.21.0.1", v6: "fd00:21::1" };
    for (const place of from)
      expect(
        [
          await world.probers[place].probe({ protocol: "TCP", address: at.v4, port: nodePort }),
          await world.probers[place].probe({ protocol: "UDP", address: at.v4, port: udpNodePort }),
          await world.probers[place].probe({ protocol: "TCP", address: at.v6, port: nodePort }),
        ],
        place,
      ).toEqual([own.v4, own.v4, own.v6]);
    // A loopback address has no node ports.
    expect(
      await world.probers.node.probe({ protocol: "TCP", address: "127.0.0.1", port: nodePort }),
    ).toBe("ECONNREFUSED");
  },
  minutes,
);
