import { expect } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { portMapping as mapping } from "./host-port-mapping.test-support.ts";
import {
  connectNamespaces,
  heard,
  type Namespace,
  openNamespace,
  openPod,
  startAgent,
  testFolder,
  until,
} from "./namespaces.test-support.ts";

/** Serves the address of each client, and which server it is. */
function serve(at: Namespace, family: "TCP4" | "TCP6", name = ""): void {
  at.start(
    `socat ${family}-LISTEN:80,${family === "TCP6" ? "ipv6only=1," : ""}reuseaddr,fork SYSTEM:'echo ${name}$SOCAT_PEERADDR'`,
  );
}

testWith(requires("containers", "nft"))(
  "HostPorts: ports of the node lead to pods, from outside, from the node and from the pod itself",
  async () => {
    const [node, outside] = await Promise.all([openNamespace(), openNamespace()]);
    await connectNamespaces(
      { at: node, name: "up0", addresses: ["192.0.2.1/24", "2001:db8:5::1/64"] },
      { at: outside, name: "eth0", addresses: ["192.0.2.9/24", "2001:db8:5::9/64"] },
    );
    await outside.run("ip route add 10.1.2.0/24 via 192.0.2.1");
    const options = { folder: `${testFolder()}/addresses`, podCidr: "10.1.2.0/24,fd00:1::/64" };
    const agent = await startAgent(node, options);
    await agent.takeOver([], []);
    const pod = await openPod(1, {
      portMappings: [
        mapping({}),
        mapping({ protocol: "UDP" }),
        mapping({ hostPort: 8081, hostIp: "127.0.0.1" }),
      ],
    });
    const other = await openPod(2, {
      portMappings: [mapping({}), mapping({ hostPort: 8082, hostIp: "192.0.2.1" })],
    });
    await agent.add(pod);
    await agent.add(other);
    serve(pod.at, "TCP4");
    serve(pod.at, "TCP6");
    serve(other.at, "TCP4", "other ");
    expect(await heard(outside, "TCP4:192.0.2.1:8080")).toBe("192.0.2.9");
    expect(await heard(outside, "TCP6:[2001:db8:5::1]:8080")).toBe("2001:db8:5::9");
    expect(await heard(node, "TCP4:192.0.2.1:8080")).toBe("192.0.2.1");
    expect(await heard(node, "TCP4:127.0.0.1:8080")).toBe("192.0.2.1");
    expect(await heard(node, "TCP4:127.0.0.1:8081")).toBe("192.0.2.1");
    expect(await heard(other.at, "TCP4:192.0.2.1:8080")).toBe("10.1.2.3");
    // A pod cannot reply to itself, so the node stands between.
    expect(await heard(pod.at, "TCP4:192.0.2.1:8080")).toBe("192.0.2.1");
    expect(await heard(pod.at, "TCP6:[2001:db8:5::1]:8080")).toBe("2001:db8:5::1");
    expect(await heard(outside, "TCP4:192.0.2.1:8082")).toBe("other 192.0.2.9");
    const closed = async (from: Namespace, address: string) =>
      (await from.tries(`socat -T1 -u ${address},connect-timeout=1 -`)).code;
    expect(await closed(outside, "TCP4:192.0.2.1:8081")).toBe(1);
    // What listens at the loopback of the node is not open to pods.
    node.start("socat TCP4-LISTEN:9090,bind=127.0.0.1,reuseaddr,fork SYSTEM:'echo inside'");
    expect(await heard(node, "TCP4:127.0.0.1:9090")).toBe("inside");
    await pod.at.run(
      "echo 1 > /proc/sys/net/ipv4/conf/eth0/route_localnet; ip addr del 127.0.0.1/8 dev lo; ip route add 127.0.0.1 via 169.254.1.1 dev eth0",
    );
    expect(await closed(pod.at, "TCP4:127.0.0.1:9090")).toBe(1);
    await pod.at.run("ip addr add 127.0.0.1/8 dev lo");
    // The other pod gets the port when the first one is gone.
    await agent.remove(pod);
    expect(await heard(outside, "TCP4:192.0.2.1:8080")).toBe("other 192.0.2.9");
    // An agent that was killed corrects what others have changed.
    await agent.kill();
    await node.run("nft delete table inet wherry-hostports");
    const again = await startAgent(node, options);
    await again.takeOver([{ ...other, ips: ["10.1.2.3", "fd00:1::3"] }], []);
    expect(await heard(outside, "TCP4:192.0.2.1:8080")).toBe("other 192.0.2.9");
    // What is left of a pod that is gone is removed.
    await again.kill();
    const last = await startAgent(node, options);
    await last.takeOver([], []);
    expect(await node.run("nft list tables; ip link show group 87")).not.toMatch(/hostports|veth/);
    expect(await closed(outside, "TCP4:192.0.2.1:8080")).toBe(1);
  },
  60_000,
);

testWith(requires("containers", "nft", "conntrack"))(
  "HostPorts: a client of UDP that goes on finds the pod when it is there",
  async () => {
    const [node, outside] = await Promise.all([openNamespace(), openNamespace()]);
    await connectNamespaces(
      { at: node, name: "up0", addresses: ["192.0.2.1/24"] },
      { at: outside, name: "eth0", addresses: ["192.0.2.9/24"] },
    );
    const agent = await startAgent(node, {
      ...{ folder: `${testFolder()}/addresses`, podCidr: "10.1.2.0/24" },
    });
    // With the table of another pod, the kernel keeps flows.
    await agent.add(await openPod(2, { portMappings: [mapping({})] }));
    const pod = await openPod(1, { portMappings: [mapping({ protocol: "UDP" })] });
    pod.at.start("socat UDP4-LISTEN:80,reuseaddr,fork SYSTEM:'echo $SOCAT_PEERADDR'");
    // From one port again and again: to the kernel, that is one flow.
    const client = outside.start(
      "sh -c 'while :; do echo hello | socat -T0.2 - UDP4:192.0.2.1:8080,sourceport=5555 2>/dev/null || sleep 0.1; done'",
    );
    await until(node, "conntrack -L -p udp 2>/dev/null", (flows) => flows.includes("dport=8080"));
    await agent.add(pod);
    const [text] = await new Promise<[Buffer]>((resolve) =>
      client.stdout?.once("data", (bytes: Buffer) => resolve([bytes])),
    );
    expect(text.toString().trim()).toBe("192.0.2.9");
  },
  30_000,
);
