import { expect, test } from "vitest";
import type { ProxiedService } from "../services/proxied-service.ts";
import { deletions, parseFlows, staleFlows, udpTargets } from "./stale-flows.ts";

const line = (destination: string, replySource: string, port = 53, replyPort = 5353): string =>
  `udp      17 27 src=10.1.0.9 dst=${destination} sport=4000 dport=${port} src=${replySource} dst=10.1.0.9 sport=${replyPort} dport=4000 mark=0 use=1`;

const endpoint = (address: string, rest: object) => ({
  ...{ address, port: 5353, isLocal: false, isReady: true, isServing: true, isTerminating: false },
  ...{ forZones: [], forNodes: [], ...rest },
});
const service = (isInternalLocal: boolean): ProxiedService => ({
  ...{ frontends: [], healthCheckPort: undefined, localReady: 0 },
  ports: [
    [
      {
        ...{ service: "default/dns", name: "dns", family: "IPv4", protocol: "UDP" },
        ...{ clusterIP: "10.96.0.10", port: 53, nodePort: 30053, externalIPs: ["192.0.2.7"] },
        ...{ loadBalancerIPs: [], sourceRanges: [], affinitySeconds: 0, isExternalLocal: false },
        isInternalLocal,
      },
      [
        endpoint("10.1.0.1", { isLocal: true }),
        endpoint("10.1.1.1", {}),
        endpoint("10.1.1.2", { isReady: false, isTerminating: true }),
        endpoint("10.1.1.3", { isReady: false, isServing: false }),
      ],
    ],
  ],
});

/** Whether flows are stale, in the order of the lines. */
const areStale = (lines: readonly string[], isInternalLocal = false): readonly boolean[] => {
  const targets = udpTargets([service(isInternalLocal)], "IPv4", ["172.20.0.1"]);
  const flows = parseFlows(lines.join("\n"));
  const stale = new Set(staleFlows(flows, targets, ["10.96.0.0/16"]));
  return flows.map((flow) => stale.has(flow));
};

test("staleFlows: a flow stays with an endpoint while it serves, at each address of its service", () => {
  for (const [address, port] of [
    ["10.96.0.10", 53],
    ["192.0.2.7", 53],
    ["172.20.0.1", 30053],
  ] as const)
    expect([
      address,
      ...areStale(
        ["10.1.0.1", "10.1.1.1", "10.1.1.2", "10.1.1.3", "10.1.1.4"].map((to) =>
          line(address, to, port),
        ),
      ),
    ]).toEqual([address, false, false, false, true, true]);
  expect(areStale([line("10.96.0.10", "10.1.0.1", 53, 5354)])).toEqual([true]);
});

test("staleFlows: a service that stays on the node has no flows to other nodes, but from outside", () => {
  const lines = ["10.96.0.10", "192.0.2.7"].map((address) => line(address, "10.1.1.1"));
  expect(areStale(lines, true)).toEqual([true, false]);
});

test("staleFlows: flows to services that are gone are stale, those of others are not", () => {
  expect({
    gone: areStale([line("10.96.0.11", "10.1.0.1")]),
    untranslated: areStale([line("10.96.0.11", "10.96.0.11")]),
    elsewhere: areStale([line("198.51.100.1", "10.1.0.1")]),
  }).toEqual({ gone: [true], untranslated: [false], elsewhere: [false] });
});

test("deletions: flows of all clients are deleted together; lines that are no flows are skipped", () => {
  const one = line("10.96.0.10", "10.1.0.1");
  const lines = [one, one.replaceAll("10.1.0.9", "10.1.0.8"), line("10.96.0.10", "10.1.0.2")];
  const flows = parseFlows([...lines, "conntrack v1.4.7: 3 flow entries"].join("\n"));
  const deletion = (endpoint: string): string =>
    `-D -p udp -d 10.96.0.10 --dport 53 -r ${endpoint} --reply-port-src 5353`;
  expect([flows.length, ...deletions(flows).map((args) => args.join(" "))]).toEqual([
    ...[3, deletion("10.1.0.1"), deletion("10.1.0.2")],
  ]);
});
