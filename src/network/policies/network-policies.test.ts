import { expect } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { NetworkPolicy } from "../../api/networking/v1/network-policy.ts";
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

const polling = { timeout: 20_000, interval: 100 };
