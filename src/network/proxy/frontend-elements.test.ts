import { expect, test } from "vitest";
import type { Frontend } from "../services/frontends.ts";
import type { ProxiedEndpoint } from "../services/proxied-endpoints.ts";
import { frontendElements } from "./frontend-elements.ts";

const endpoint = (address: string, isLocal = false): ProxiedEndpoint => ({
  ...{ address, port: 8080, isLocal, isReady: true, isServing: true, isTerminating: false },
  ...{ forZones: [], forNodes: [] },
});
const far = endpoint("10.1.1.1");
const near = endpoint("10.1.0.1", true);
const plain: Frontend = {
  ...{ name: "default/web:http", family: "IPv4", kind: "cluster-ip", address: "10.96.0.9" },
  ...{ protocol: "TCP", port: 80, endpoints: [far], isMasqueraded: false, affinitySeconds: 0 },
  sourceRanges: [],
};

/** The elements of one frontend, as `CONTAINER KEY VALUE`. */
const lines = (changed: Partial<Frontend>, nodeIPs: readonly string[] = []): readonly string[] =>
  [...frontendElements([{ ...plain, ...changed }], nodeIPs)].flatMap(([container, entries]) =>
    [...entries].map(([key, value]) => [container, key, value].filter(Boolean).join(" | ")),
  );

const service = "10.96.0.9 . tcp . 80";
const clusterIP = "ip cluster-ips | 10.96.0.9";
const pick = `ip service-ips | ${service} | goto pick-tcp-service-cluster-any-1`;
const target = "ip tcp-service-endpoints | 0 . 10.96.0.9 . 80 | 10.1.1.1 . 8080";

test("frontendElements: each kind of frontend has the elements that lead to its endpoints", () => {
  expect({
    clusterIP: lines({}),
    refusing: lines({ endpoints: [], refusal: "reject" }),
    dropping: lines({ endpoints: [], refusal: "drop" }),
    hairpin: lines({ endpoints: [near] }),
    sticky: lines({ affinitySeconds: 60 }),
    masqueraded: lines({ kind: "external-ip", isMasqueraded: true }),
    local: lines({ kind: "load-balancer-ip", localEndpoints: [near] }),
    nodePort: lines({ kind: "node-port", address: undefined, port: 30080, isMasqueraded: true }),
    ipv6: lines({ family: "IPv6", address: "fd00::9", endpoints: [endpoint("fd00:1::1")] }),
  }).toEqual({
    clusterIP: [clusterIP, pick, target],
    refusing: [clusterIP, `ip no-endpoints | ${service} | goto refuse`],
    dropping: [clusterIP, `ip no-endpoints | ${service} | drop`],
    hairpin: [
      ...[clusterIP, pick, target.replace("10.1.1.1", "10.1.0.1")],
      "ip hairpins | 10.1.0.1 . 10.1.0.1 . tcp . 8080",
    ],
    sticky: [
      ...[clusterIP, pick.replace("any", "sticky"), target],
      `ip sticky-services | ${service} | goto remember-60`,
    ],
    masqueraded: [`ip service-policies | ${service} | jump mark-packet`, pick, target],
    local: [
      `ip service-policies | ${service} | jump local-at-service`,
      ...[pick, target, "ip tcp-service-endpoints | 65536 . 10.96.0.9 . 80 | 10.1.0.1 . 8080"],
      `ip local-service-ips | ${service} | goto pick-tcp-service-local-any-1`,
      "ip hairpins | 10.1.0.1 . 10.1.0.1 . tcp . 8080",
    ],
    nodePort: [
      "ip node-port-policies | tcp . 30080 | jump mark-packet",
      "ip node-ports | tcp . 30080 | goto pick-tcp-node-port-cluster-any-1",
      "ip tcp-node-port-endpoints | 0 . 30080 | 10.1.1.1 . 8080",
    ],
    ipv6: [
      "ip6 cluster-ips | fd00::9",
      "ip6 service-ips | fd00::9 . tcp . 80 | goto pick-tcp-service-cluster-any-1",
      "ip6 tcp-service-endpoints | 0 . fd00::9 . 80 | fd00:1::1 . 8080",
    ],
  });
});

test("frontendElements: a node that may use a load balancer may do so with its address as its own", () => {
  const restricted = (nodeIP: string) =>
    lines({ kind: "load-balancer-ip", sourceRanges: ["192.0.2.0/24"] }, [nodeIP]).slice(2);
  const range = `ip source-ranges | ${service} . 192.0.2.0/24`;
  expect({ other: restricted("198.51.100.1"), allowed: restricted("192.0.2.1") }).toEqual({
    other: [`ip restricted-services | ${service}`, range],
    allowed: [
      `ip restricted-services | ${service}`,
      range,
      `ip source-ranges | ${service} . 10.96.0.9`,
    ],
  });
});
