import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { NetworkPolicySpec } from "../../api/networking/v1/network-policy-spec.ts";
import { classLines } from "./class-lines.ts";
import { compilePolicy, type Direction } from "./compiled-policy.ts";
import { addressOf } from "./family.ts";
import { PolicyIndex } from "./policy-index.ts";
import { changeTransaction } from "./policy-transaction.ts";

type Rules = NonNullable<NetworkPolicySpec["ingress"]>;

/** The rules for a pod of this node that a policy selects, as lines of its chain. */
function linesOf(direction: Direction, rules: Rules): readonly string[] {
  const index = new PolicyIndex();
  const [address] = ["10.0.0.1"].flatMap((text) => addressOf(text) ?? []);
  index.setPod("a/p", {
    ...{ namespace: "a", name: "p", uid: "1", createdAt: "", isTerminating: false, isLocal: true },
    ...{ labels: {}, ports: [], addresses: address ? [address] : [] },
  });
  const spec =
    direction === "ingress"
      ? { podSelector: {}, ingress: rules }
      : {
          podSelector: {},
          egress: rules.map(({ from, ports }) => ({ to: from ?? [], ports: ports ?? [] })),
          policyTypes: ["Egress"],
        };
  index.setPolicy({ namespace: "a", name: "n" }, spec);
  const prefix = `add rule ip wherry-policies ${direction}-requests-1 `;
  return changeTransaction(index.contents.take())
    .split("\n")
    .filter((line) => line.startsWith(prefix))
    .map((line) => line.slice(prefix.length))
    .slice(0, -2);
}

const tcp = (port: number, endPort?: number) => ({
  ...{ protocol: "TCP", port },
  ...(endPort !== undefined && { endPort }),
});
const block = (cidr: string, ...except: string[]) => ({ ipBlock: { cidr, except } });

each<[string, Direction, Rules, readonly string[]]>([
  ["no rule", "ingress", [], []],
  ["an empty rule", "ingress", [{}], ["return"]],
  [
    "all ports of a protocol",
    "ingress",
    [{ ports: [{ protocol: "UDP" }] }],
    ["meta l4proto udp return"],
  ],
  [
    "ports that overlap",
    "ingress",
    [{ ports: [tcp(80), tcp(80, 90), tcp(91), tcp(100)] }],
    ["tcp dport { 80-91, 100 } return"],
  ],
  ["a range that ends before it begins", "ingress", [{ ports: [tcp(80, 79)] }], []],
  [
    "a block with exceptions at its ends and inside",
    "ingress",
    [
      {
        from: [
          block("10.1.0.0/24", "10.1.0.0/32", "10.1.0.255/32", "10.1.0.16/28", "10.1.0.24/29"),
        ],
      },
    ],
    ["ip saddr { 10.1.0.1-10.1.0.15, 10.1.0.32-10.1.0.254 } return"],
  ],
  [
    "a block of everything",
    "egress",
    [{ from: [block("0.0.0.0/0")] }],
    ["ip daddr { 0.0.0.0/0 } return"],
  ],
  [
    "a block without the rest",
    "egress",
    [{ from: [block("10.0.0.0/31", "10.0.0.0/32", "10.0.0.1/32")] }],
    [],
  ],
  ["a block of the other family", "egress", [{ from: [block("::/0")] }], []],
  ["a block that cannot be read", "egress", [{ from: [block("10.0.0.0")] }], []],
  ["an exception that cannot be read", "egress", [{ from: [block("10.0.0.0/8", "10.0.0")] }], []],
  [
    "a named port of a peer",
    "egress",
    [{ from: [{ podSelector: {} }], ports: [{ protocol: "TCP", port: "web" }] }],
    ["ip daddr @peers-1 ip daddr . tcp dport @ports-1 return"],
  ],
  [
    "the same peer twice",
    "ingress",
    [
      { from: [{ podSelector: { matchLabels: { a: "1", b: "2" } } }] },
      { from: [{ podSelector: { matchLabels: { b: "2", a: "1" } } }] },
    ],
    ["ip saddr @peers-1 return"],
  ],
])("compilePolicy: %s", (_, direction, rules, lines) => {
  expect(linesOf(direction, rules)).toEqual(lines);
});

each<[string, Partial<NetworkPolicySpec>, readonly string[]]>([
  ["nothing", {}, ["ingress"]],
  ["egress rules", { egress: [{}] }, ["ingress", "egress"]],
  ["types", { policyTypes: ["Egress"], ingress: [{}] }, ["egress"]],
])("compilePolicy: the directions of a policy with %s", (_, spec, directions) => {
  expect(Object.keys(compilePolicy("a", { podSelector: {}, ...spec }).rules)).toEqual(directions);
});

each<[Direction, "requests" | "replies", string]>([
  ["ingress", "requests", "ip6 saddr @peers-1 tcp dport { 80 } return"],
  ["ingress", "replies", "ip6 daddr @peers-1 tcp sport { 80 } return"],
  ["egress", "requests", "ip6 daddr @peers-1 tcp dport { 80 } return"],
  ["egress", "replies", "ip6 saddr @peers-1 tcp sport { 80 } return"],
])("classLines: peers and ports of %s, %s", (direction, way, line) => {
  const ports = { protocol: "TCP" as const, numbers: [{ first: 80, last: 80 }] };
  const allowed = [{ peers: { set: "peers-1" }, ports }];
  expect(classLines("ip6", { direction, way, allowed })[0]).toBe(line);
});
