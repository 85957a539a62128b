import { expect } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { NetworkPolicy } from "../../api/networking/v1/network-policy.ts";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import { mustRun } from "../../platform/run-child.ts";
import { openPolicyCluster } from "./policy-cluster.test-support.ts";
import { openPolicyNetwork } from "./policy-network.test-support.ts";

testWith(requires("nft"))(
  "openNetworkPolicies: what a policy does not allow does not arrive, until it is deleted",
  async () => {
    const network = await openPolicyNetwork(3);
    const [server, friend, stranger] = network.pods;
    if (!server || !friend || !stranger) throw new Error("pods are missing");
    const cluster = await openPolicyCluster();
    const { client } = cluster;
    for (const [i, name] of ["server", "friend", "stranger"].entries())
      await cluster.addPod({
        key: `default/${name}`,
        labels: { app: name },
        ips: network.pods[i]?.addresses ?? [],
      });
    await cluster.addPolicy("default/web", {
      podSelector: { matchLabels: { app: "server" } },
      ingress: [
        {
          from: [{ podSelector: { matchLabels: { app: "friend" } } }],
          ports: [{ protocol: "TCP", port: 80 }],
        },
      ],
    });
    for (const port of [80, 81]) await server.at.listen("TCP", port);
    const targets = server.addresses.flatMap((address) =>
      [80, 81].map((port) => ({ protocol: "TCP" as const, address, port })),
    );
    const reached = async () => ({
      friend: await friend.at.probe(targets, 500),
      stranger: await stranger.at.probe(targets, 500),
      node: await network.node.probe(targets, 500),
    });
    const all = [true, true, true, true];
    await expect.poll(reached, polling).toEqual({ friend: all, stranger: all, node: all });
    cluster.openPolicies(network.run);
    await expect.poll(reached, polling).toEqual({
      friend: [true, false, true, false],
      stranger: [false, false, false, false],
      node: all,
    });
    await client.delete(NetworkPolicy, { namespace: "default", name: "web" });
    await expect.poll(reached, polling).toEqual({ friend: all, stranger: all, node: all });
  },
  60_000,
);

testWith(requires("nft"))(
  "openNetworkPolicies: a new policy holds for established connections, in both directions",
  async () => {
    const network = await openPolicyNetwork(2);
    const [server, client] = network.pods;
    if (!server || !client) throw new Error("pods are missing");
    const cluster = await openPolicyCluster();
    await cluster.addPod({ key: "default/server", ips: server.addresses });
    await cluster.addPod({ key: "default/client", ips: client.addresses, nodeName: "elsewhere" });
    await server.at.listen("TCP", 80);
    await server.at.listen("UDP", 80);
    const targets = server.addresses.flatMap((address) =>
      (["TCP", "UDP"] as const).map((protocol) => ({ protocol, address, port: 80 })),
    );
    cluster.openPolicies(network.run);
    // Connections are known from their first packet on.
    await expect
      .poll(() => network.script("nft list tables"), polling)
      .toContain("wherry-policies");
    const open = await Promise.all(targets.map((target) => client.at.open(target)));
    const udp = open.filter((_, i) => targets[i]?.protocol === "UDP");
    const exchanged = () => Promise.all(open.map((one) => client.at.exchange(one, 500)));
    const streamed = async () =>
      (await Promise.all(udp.map((one) => client.at.count(one, 500)))).map((count) => count > 0);
    await expect.poll(exchanged, polling).toEqual([true, true, true, true]);
    await expect.poll(streamed, polling).toEqual([true, true]);
    await cluster.addPolicy("default/deny", { podSelector: {} });
    // The server sends on and on: its packets are replies to what may no longer be sent.
    await expect.poll(streamed, polling).toEqual([false, false]);
    await expect.poll(exchanged, polling).toEqual([false, false, false, false]);
    await cluster.client.delete(NetworkPolicy, { namespace: "default", name: "deny" });
    await expect.poll(exchanged, polling).toEqual([true, true, true, true]);
  },
  60_000,
);

testWith(requires("nft"))(
  "openNetworkPolicies: policies see the pods behind services, and pods reach themselves by them",
  async () => {
    const network = await openPolicyNetwork(3);
    const [server, friend, stranger] = network.pods;
    if (!server || !friend || !stranger) throw new Error("pods are missing");
    await network.script(`nft -f - <<END
table ip service {
  chain prerouting {
    type nat hook prerouting priority dstnat;
    ip daddr 10.96.0.1 tcp dport 8000 dnat to ${server.addresses[0]}:80
  }
  chain postrouting {
    type nat hook postrouting priority srcnat;
    ct status dnat masquerade
  }
}
END`);
    const cluster = await openPolicyCluster();
    for (const [i, name] of ["server", "friend", "stranger"].entries())
      await cluster.addPod({
        ...{ key: `default/${name}`, labels: { app: name }, ips: network.pods[i]?.addresses ?? [] },
        ports: [{ name: "web", containerPort: 80 }],
      });
    const rule = (app: string) => [{ podSelector: { matchLabels: { app } } }];
    await cluster.addPolicy("default/server", {
      ...{ podSelector: { matchLabels: { app: "server" } }, policyTypes: ["Ingress", "Egress"] },
      ingress: [{ from: rule("friend"), ports: [{ port: "web", protocol: "TCP" }] }],
    });
    await cluster.addPolicy("default/friend", {
      ...{ podSelector: { matchLabels: { app: "friend" } }, policyTypes: ["Egress"] },
      egress: [{ to: rule("server"), ports: [{ port: 80, protocol: "TCP" }] }],
    });
    await server.at.listen("TCP", 80);
    cluster.openPolicies(network.run);
    const service = { protocol: "TCP" as const, address: "10.96.0.1", port: 8000 };
    const reached = async () =>
      (
        await Promise.all([server, friend, stranger].map(({ at }) => at.probe([service], 500)))
      ).flat();
    await expect.poll(reached, polling).toEqual([true, true, false]);
  },
  60_000,
);

testWith(requires("nft"))(
  "openNetworkPolicies: an address is that of its present pod",
  async () => {
    const network = await openPolicyNetwork(2);
    const [server, client] = network.pods;
    if (!server || !client) throw new Error("pods are missing");
    const cluster = await openPolicyCluster();
    const { setStatus } = cluster;
    await cluster.addPod({
      key: "default/server",
      labels: { app: "server" },
      ips: server.addresses,
    });
    await cluster.addPod({ key: "default/old", labels: { app: "friend" }, ips: client.addresses });
    await cluster.addPolicy("default/p", {
      podSelector: { matchLabels: { app: "server" } },
      ingress: [{ from: [{ podSelector: { matchLabels: { app: "friend" } } }] }],
    });
    await server.at.listen("TCP", 80);
    cluster.openPolicies(network.run);
    const targets = server.addresses.map((address) => ({
      ...{ protocol: "TCP" as const, address, port: 80 },
    }));
    const reached = () => client.at.probe(targets, 500);
    await expect.poll(reached, polling).toEqual([true, true]);
    // It still has the address in its status.
    await setStatus("default/old", { phase: "Succeeded" });
    await expect.poll(reached, polling).toEqual([false, false]);
    await setStatus("default/old", { phase: "Running" });
    await expect.poll(reached, polling).toEqual([true, true]);
    await cluster.client.delete(Pod, { namespace: "default", name: "old" });
    await cluster.addNamespace("other");
    await cluster.addPod({ key: "other/new", labels: { app: "friend" }, ips: client.addresses });
    await expect.poll(reached, polling).toEqual([false, false]);
    await cluster.addPod({
      ...{ key: "default/host", labels: { app: "friend" }, ips: client.addresses },
      spec: { hostNetwork: true },
    });
    await expect.poll(reached, polling).toEqual([false, false]);
  },
  60_000,
);

testWith(requires("nft"))(
  "openNetworkPolicies: a pod starts when the policies that select it hold, or not at all",
  async () => {
    const network = await openPolicyNetwork(2);
    const [server, client] = network.pods;
    if (!server || !client) throw new Error("pods are missing");
    const cluster = await openPolicyCluster();
    let works = true;
    const run = async (input: string): Promise<void> => {
      if (!works) throw new Error("nft is missing");
      await network.run(input);
    };
    await cluster.addPolicy("default/deny", { podSelector: { matchLabels: { app: "server" } } });
    const metrics = new MetricsRegistry();
    const policies = cluster.openPolicies(run, metrics);
    // The API has a pod without addresses.
    await cluster.addPod({ key: "default/server", labels: { app: "server" }, ips: [] });
    const pod = await cluster.client.get(Pod, { namespace: "default", name: "server" });
    const [podIP] = server.addresses;
    const podIPs = server.addresses.map((ip) => ({ ip }));
    const starting = { ...pod, status: { ...pod.status, podIP, podIPs } };
    works = false;
    // A pod that no policy selects does not wait.
    const other = { ...pod.status, podIP: "10.9.0.9", podIPs: [{ ip: "10.9.0.9" }] };
    const metadata = { ...pod.metadata, name: "other", labels: {} };
    await policies.podStarts({ ...pod, metadata, status: other });
    await expect(policies.podStarts(starting)).rejects.toThrow(
      "the network policies of the pod could not be applied",
    );
    expect(metrics.text()).toMatch(/^wherry_network_policy_sync_failures_total [1-9]/m);
    works = true;
    await policies.podStarts(starting);
    expect(metrics.text()).toMatch(/^wherry_network_policy_isolated_addresses 2$/m);
    await server.at.listen("TCP", 80);
    const target = { protocol: "TCP" as const, address: podIP, port: 80 };
    expect(await client.at.probe([target], 500)).toEqual([false]);
    // Other changes of the pod do not make it forget the addresses.
    await cluster.setStatus("default/server", { phase: "Pending" });
    await cluster.client.delete(NetworkPolicy, { namespace: "default", name: "deny" });
    await expect.poll(() => client.at.probe([target], 500), polling).toEqual([true]);
  },
  60_000,
);

testWith(requires("nft", "containers"))(
  "openNetworkPolicies: SCTP has rules and ports of its own",
  async () => {
    const network = await openPolicyNetwork(2);
    const [server, client] = network.pods;
    if (!server || !client) throw new Error("pods are missing");
    const cluster = await openPolicyCluster();
    await cluster.addPod({ key: "default/server", ips: server.addresses });
    await cluster.addPolicy("default/p", {
      podSelector: {},
      ingress: [{ from: [], ports: [{ protocol: "SCTP", port: 7, endPort: 8 }] }],
    });
    await network.script(`nft -f - <<END
table ip arrived {
  chain postrouting {
    type filter hook postrouting priority 0;
    ${[6, 7, 8, 9].map((port) => `sctp dport ${port} counter`).join("\n    ")}
  }
}
END`);
    cluster.openPolicies(network.run);
    const isIsolated = () => network.script("nft list map ip wherry-policies ingress");
    await expect.poll(isIsolated, polling).toContain(server.addresses[0]);
    // The beginning of an association, from port 80; the kernel may not have sockets for it.
    const init = (port: number): string =>
      `\\0\\120\\0\\${port.toString(8)}\\0\\0\\0\\0\\0\\0\\0\\0\\1\\0\\0\\24\\0\\0\\0\\1\\0\\0\\20\\0\\0\\1\\0\\1\\0\\0\\0\\1`;
    for (const port of [6, 7, 8, 9])
      await mustRun("nsenter", [
        ...[`--net=${client.at.path}`, "sh", "-c"],
        `printf '${init(port)}' | socat -u - ip4-sendto:${server.addresses[0]}:132`,
      ]);
    const counted = async () =>
      [...(await network.script("nft list table ip arrived")).matchAll(/packets (\d+)/g)].map(
        ([, packets]) => Number(packets),
      );
    await expect.poll(counted, polling).toEqual([0, 1, 1, 0]);
  },
  60_000,
);

const polling = { timeout: 20_000, interval: 100 };
