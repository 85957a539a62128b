import { expect, test } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { noLog } from "../../base/log.ts";
import {
  connectNamespaces,
  openNamespace,
  openPod,
  startAgent,
  testFolder,
} from "./namespaces.test-support.ts";
import { routedNetwork } from "./routed-network.ts";

testWith(requires("containers", "nft"))(
  "routedNetwork: pods of both families reach each other and the node, with their own addresses",
  async () => {
    const node = await openNamespace();
    const outside = await openNamespace();
    await connectNamespaces(
      { at: node, name: "up0", addresses: ["192.0.2.1/24", "2001:db8:5::1/64"] },
      { at: outside, name: "eth0", addresses: ["192.0.2.9/24", "2001:db8:5::9/64"] },
    );
    await node.run("ip link set up0 mtu 1400; ip route add default via 192.0.2.9");
    const folder = `${testFolder()}/addresses`;
    const agent = await startAgent(node, { folder, podCidr: "10.1.2.0/24,fd00:1::/64" });
    const [one, two] = await Promise.all([openPod(1), openPod(2)]);
    expect(await agent.add(one)).toEqual(["10.1.2.2", "fd00:1::2"]);
    expect(await agent.add(two)).toEqual(["10.1.2.3", "fd00:1::3"]);
    const tcp = async (from: typeof one.at, to: typeof one.at, address: string) => {
      const quoted = address.includes(":") ? `TCP6:[${address}]` : `TCP4:${address}`;
      const family = address.includes(":") ? "TCP6" : "TCP4";
      const listener = to.start(
        `socat ${family}-LISTEN:80,reuseaddr SYSTEM:'echo $SOCAT_PEERADDR'`,
      );
      try {
        return await from.run(
          `i=0; until socat -T2 -u ${quoted}:80 - 2>/dev/null; do i=$((i+1)); [ $i -lt 100 ]; sleep 0.05; done`,
        );
      } finally {
        listener.kill("SIGKILL");
      }
    };
    expect(await tcp(one.at, two.at, "10.1.2.3")).toBe("10.1.2.2\n");
    expect(await tcp(one.at, two.at, "fd00:1::3")).toBe(
      "[fd00:0001:0000:0000:0000:0000:0000:0002]\n",
    );
    expect(await tcp(one.at, node, "192.0.2.1")).toBe("10.1.2.2\n");
    expect(await tcp(node, one.at, "10.1.2.2")).toBe("192.0.2.1\n");
    expect(await one.at.run("ip -o link show eth0")).toContain("mtu 1400");
    // A pod cannot send from an address of another.
    await one.at.run("ip addr add 10.1.2.3/32 dev eth0");
    const ping = (from: string) => one.at.tries(`busybox ping -c1 -W1 -I ${from} 192.0.2.1`);
    expect(await ping("10.1.2.2")).toMatchObject({ code: 0 });
    expect(await ping("10.1.2.3")).toMatchObject({ code: 1 });
    await agent.remove(one);
    expect(await node.run("ip -o link show group 87")).not.toContain("veth00000001");
    expect((await node.run("ip route; ip -6 route")).includes("10.1.2.2")).toBe(false);
  },
  30_000,
);

test("routedNetwork: without a range pods have no network yet", async () => {
  const network = routedNetwork({ folder: "/unused", log: noLog });
  expect(await network.problem()).toBe("the node has no range of pod addresses yet");
  network.setRange?.("nonsense");
  expect(await network.problem()).toBeTruthy();
  network.setRange?.("2001:db8::/64");
  expect(await network.problem()).toBeUndefined();
});
