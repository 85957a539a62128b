import { expect } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import {
  connectNamespaces,
  heardBy,
  type Namespace,
  openNamespace,
  openPod,
  until,
} from "../pods/namespaces.test-support.ts";
import { introduce, startNode, type TestNode } from "./test-node.test-support.ts";

const a: TestNode = {
  name: "a",
  podCIDRs: ["10.244.1.0/24", "fd00:1::/64"],
  addresses: ["192.0.2.1", "2001:db8:1::1"],
};
const b: TestNode = {
  name: "b",
  podCIDRs: ["10.244.2.0/24", "fd00:2::/64"],
  addresses: ["192.0.2.2", "2001:db8:1::2"],
};

/** Connects namespaces with one link, as many as there are. */
async function onOneLink(
  ends: readonly (readonly [Namespace, readonly string[]])[],
): Promise<void> {
  const link = await openNamespace();
  await link.run("ip link add br0 type bridge; ip link set br0 up");
  for (const [i, [at, addresses]] of ends.entries()) {
    const near = {
      at,
      name: "eth0",
      addresses: addresses.map((one) => `${one}/${one.includes(":") ? 64 : 24}`),
    };
    await connectNamespaces(near, { at: link, name: `port${i}`, addresses: [] });
    await link.run(`ip link set port${i} master br0`);
  }
}

testWith(requires("containers", "nft"))(
  "openRoutes: nodes on one link route to each other's pods, which leave the cluster with the address of their node",
  async () => {
    const [one, two, outside] = await Promise.all([
      openNamespace(),
      openNamespace(),
      openNamespace(),
    ]);
    await onOneLink([
      [one, a.addresses],
      [two, b.addresses],
      [outside, ["192.0.2.9", "2001:db8:1::9"]],
    ]);
    const nodeA = await startNode(one, a, [b]);
    const nodeB = await startNode(two, b, [a]);
    const [podA, podB] = await Promise.all([openPod(1), openPod(2)]);
    expect(await nodeA.pods.add(podA)).toEqual(["10.244.1.2", "fd00:1::2"]);
    expect(await nodeB.pods.add(podB)).toEqual(["10.244.2.2", "fd00:2::2"]);
    await until(
      one,
      "ip route; ip -6 route",
      (text) =>
        text.includes("10.244.2.0/24 via 192.0.2.2") &&
        text.includes("fd00:2::/64 via 2001:db8:1::2"),
    );
    await until(
      two,
      "ip route; ip -6 route",
      (text) => text.includes("10.244.1.0/24 via") && text.includes("fd00:1::/64 via"),
    );
    expect(await heardBy(podA.at, podB.at, "10.244.2.2")).toBe("10.244.1.2");
    expect(await heardBy(podA.at, podB.at, "fd00:2::2")).toBe("fd00:1::2");
    expect(await heardBy(podA.at, two, "192.0.2.2")).toBe("10.244.1.2");
    expect(await heardBy(podA.at, two, "2001:db8:1::2")).toBe("fd00:1::2");
    expect(await heardBy(podA.at, outside, "192.0.2.9")).toBe("192.0.2.1");
    expect(await heardBy(podA.at, outside, "2001:db8:1::9")).toBe("2001:db8:1::1");
    expect(await heardBy(one, podB.at, "10.244.2.2")).toBe("192.0.2.1");
    const { status } = await nodeA.read("a");
    expect(status?.conditions).toMatchObject([
      { type: "NetworkUnavailable", status: "False", reason: "RouteCreated" },
    ]);
    // No tunnel is needed.
    expect((await one.tries("ip link show flannel.1")).code).toBe(1);
    // The kernel drops routes with their link.
    await one.run("ip link set eth0 down; ip link set eth0 up");
    await until(one, "ip route", (text) => text.includes("10.244.2.0/24 via 192.0.2.2"));
    // Nodes come and go.
    await nodeA.learn({ name: "c", podCIDRs: ["10.244.3.0/24"], addresses: ["192.0.2.3"] });
    await until(one, "ip route", (text) => text.includes("10.244.3.0/24 via 192.0.2.3"));
    await nodeA.forget("c");
    await until(one, "ip route", (text) => !text.includes("10.244.3.0/24"));
    // One goes while the agent is away; a route of others stays.
    await nodeA.kill();
    await one.run("ip route add 10.250.0.0/24 via 192.0.2.2");
    const again = await startNode(one, a, []);
    await until(one, "ip route; ip -6 route", (text) => !/10\.244\.2\.0|fd00:2::/.test(text));
    expect(await one.run("ip route")).toContain("10.250.0.0/24");
    await again.kill();
  },
  60_000,
);

testWith(requires("containers", "nft"))(
  "openRoutes: nodes with routers between use VXLAN, as flannel does",
  async () => {
    const [one, two, router] = await Promise.all([
      openNamespace(),
      openNamespace(),
      openNamespace(),
    ]);
    const far = { ...b, addresses: ["198.51.100.2", "2001:db8:2::2"] };
    await connectNamespaces(
      { at: one, name: "eth0", addresses: ["192.0.2.1/24", "2001:db8:1::1/64"] },
      { at: router, name: "r0", addresses: ["192.0.2.254/24", "2001:db8:1::fe/64"] },
    );
    await connectNamespaces(
      { at: two, name: "eth0", addresses: ["198.51.100.2/24", "2001:db8:2::2/64"] },
      { at: router, name: "r1", addresses: ["198.51.100.254/24", "2001:db8:2::fe/64"] },
    );
    // A router that drops what comes from addresses that it does not know.
    await router.run(`echo 1 > /proc/sys/net/ipv4/ip_forward
      echo 1 > /proc/sys/net/ipv6/conf/all/forwarding
      nft add table inet r
      nft 'add chain inet r f { type filter hook forward priority 0; policy accept; }'
      nft add rule inet r f ip saddr 10.0.0.0/8 drop
      nft add rule inet r f ip6 saddr fd00::/8 drop`);
    await one.run(
      "ip route add default via 192.0.2.254; ip -6 route add default via 2001:db8:1::fe",
    );
    await two.run(
      "ip route add default via 198.51.100.254; ip -6 route add default via 2001:db8:2::fe",
    );
    const nodeA = await startNode(one, a);
    const nodeB = await startNode(two, far);
    const announced = async (node: typeof nodeA) => {
      let found = {};
      for (const end = Date.now() + 10_000; Date.now() < end; ) {
        found = (await node.read(node.name)).metadata.annotations ?? {};
        if (Object.keys(found).length > 0) break;
      }
      return found;
    };
    expect(await announced(nodeA)).toEqual({
      "flannel.alpha.coreos.com/kube-subnet-manager": "true",
      "flannel.alpha.coreos.com/backend-type": "vxlan",
      "flannel.alpha.coreos.com/backend-data": expect.stringMatching(
        /^{"VNI":1,"VtepMAC":"02:[0-9a-f:]+"}$/,
      ),
      "flannel.alpha.coreos.com/public-ip": "192.0.2.1",
      "flannel.alpha.coreos.com/backend-v6-data": expect.stringContaining("VtepMAC"),
      "flannel.alpha.coreos.com/public-ipv6": "2001:db8:1::1",
      "wherry.dev/direct-routing": "true",
    });
    await announced(nodeB);
    await introduce([nodeA, nodeB]);
    for (const at of [one, two])
      await until(
        at,
        "bridge fdb show dev flannel.1; bridge fdb show dev flannel-v6.1; ip -6 route",
        (text) => /dst \d/.test(text) && /dst 2001/.test(text) && /fd00:.*flannel-v6.1/.test(text),
      );
    const [podA, podB] = await Promise.all([openPod(1), openPod(2)]);
    await nodeA.pods.add(podA);
    await nodeB.pods.add(podB);
    expect(await heardBy(podA.at, podB.at, "10.244.2.2")).toBe("10.244.1.2");
    expect(await heardBy(podA.at, podB.at, "fd00:2::2")).toBe("fd00:1::2");
    expect(await one.run("ip -details link show flannel.1")).toMatch(
      /mtu 1450[\s\S]*vxlan id 1 .*dstport 8472/,
    );
    expect(await podA.at.run("ip link show eth0")).toContain("mtu 1430");
    // To the node itself, and from it.
    expect(await heardBy(podA.at, two, "198.51.100.2")).toBe("192.0.2.1");
    expect(await heardBy(one, podB.at, "10.244.2.2")).toBe("10.244.1.0");
    // The node is gone, and with it all that leads to it.
    await nodeA.forget("b");
    await until(one, "ip link; ip route", (text) => !/flannel|10\.244\.2/.test(text));
  },
  60_000,
);
