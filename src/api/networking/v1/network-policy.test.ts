import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { cellsOf, created, read, updated, warningsOf } from "../../kind.test-support.ts";
import { write } from "../../write.test-support.ts";
import { NetworkPolicy } from "./network-policy.ts";

const from = (...peers: readonly object[]) => ({ spec: { ingress: [{ from: peers }] } });
const ports = (...list: readonly object[]) => ({ spec: { egress: [{ ports: list }] } });
const block = (cidr: string, ...except: readonly string[]) => from({ ipBlock: { cidr, except } });
const port = "spec.egress[0].ports[0]";
const peer = "spec.ingress[0].from[0]";

each<[rule: string, body: object, errors: readonly string[]]>([
  ["an empty policy is about all pods", {}, []],
  ["a port may be left out", ports({ protocol: "UDP" }), []],
  [
    "a range has a first port",
    ports({ endPort: 5 }),
    [`${port}.endPort: Invalid value: 5: may not be specified when \`port\` is not specified`],
  ],
  [
    "a range ends after it begins, and the error shows where it begins",
    ports({ port: 10, endPort: 5 }),
    [`${port}.endPort: Invalid value: 10: must be greater than or equal to \`port\``],
  ],
  [
    "protocols are those of services",
    ports({ protocol: "ICMP" }),
    [`${port}.protocol: Unsupported value: "ICMP": supported values: "TCP", "UDP", "SCTP"`],
  ],
  ["a peer is somebody", from({}), [`${peer}: Required value: must specify a peer`]],
  [
    "addresses stand alone",
    from({ ipBlock: { cidr: "10.0.0.0/8" }, podSelector: {} }),
    [`${peer}: Forbidden: may not specify both ipBlock and another peer`],
  ],
  [
    "an exception is smaller than the block and lies in it",
    block("10.0.0.0/8", "10.0.0.0/8", "11.0.0.0/16", "10.1.0.0/16", "2001:db8::/64"),
    [
      `${peer}.ipBlock.except[0]: Invalid value: "10.0.0.0/8": must be a strict subset of \`cidr\``,
      `${peer}.ipBlock.except[1]: Invalid value: "11.0.0.0/16": must be a strict subset of \`cidr\``,
      `${peer}.ipBlock.except[3]: Invalid value: "2001:db8::/64": must be a strict subset of \`cidr\``,
    ],
  ],
  [
    "a block has no bits beyond its prefix",
    block("10.1.0.0/8"),
    [
      `${peer}.ipBlock.cidr: Invalid value: "10.1.0.0/8": must not have bits set beyond the prefix length`,
    ],
  ],
  [
    "there are two directions",
    { spec: { policyTypes: ["Ingress", "Both"] } },
    ['spec.policyTypes[1]: Unsupported value: "Both": supported values: "Ingress", "Egress"'],
  ],
])("NetworkPolicy: %s", (_, body, errors) => {
  expect(created(NetworkPolicy, body)).toEqual(errors);
});

test("NetworkPolicy: CIDRs that it had stay valid, wherever they stand", () => {
  const old = block("10.1.0.0/8");
  expect([
    updated(NetworkPolicy, old, {
      spec: { egress: [{ to: [{ ipBlock: { cidr: "10.1.0.0/8" } }] }] },
    }),
    updated(NetworkPolicy, old, block("10.2.0.0/8")).length,
  ]).toEqual([[], 1]);
});

test("NetworkPolicy: values that its selector had wrong do not hold up an update", () => {
  const bad = { matchExpressions: [{ key: "a", operator: "In", values: ["b c"] }] };
  expect([
    updated(NetworkPolicy, { spec: { podSelector: bad } }, from({ podSelector: bad })),
    updated(NetworkPolicy, {}, from({ podSelector: bad })).length,
  ]).toEqual([[], 1]);
});

test("NetworkPolicy: egress is meant where there are rules for it", () => {
  const typesOf = (body: object) => read(NetworkPolicy, body).spec.policyTypes;
  expect([typesOf({}), typesOf(ports({})), typesOf({ spec: { policyTypes: ["Egress"] } })]).toEqual(
    [["Ingress"], ["Ingress", "Egress"], ["Egress"]],
  );
});

test("NetworkPolicy: a CIDR in an odd form is warned of", () => {
  expect(warningsOf(NetworkPolicy, block("2001:DB8::/64"))).toEqual([
    `${peer}.ipBlock.cidr: IPv6 CIDR value "2001:DB8::/64" should be in RFC 5952 canonical format ("2001:db8::/64")`,
  ]);
});

test("NetworkPolicy: a row shows which pods it is about", () => {
  const podSelector = { matchLabels: { a: "b" } };
  expect([cellsOf(NetworkPolicy, {}), cellsOf(NetworkPolicy, { spec: { podSelector } })]).toEqual([
    ["<none>"],
    ["a=b"],
  ]);
});

test("NetworkPolicy: an empty list counts as a change where there was none", () => {
  const old = read(NetworkPolicy, { metadata: { generation: 3 }, ...ports({ port: 1 }) });
  const generation = (spec: object) => {
    const changed = structuredClone(old);
    Object.assign(changed.spec, spec);
    NetworkPolicy.strategy.prepareUpdate?.(changed as never, old as never, write);
    return changed.metadata.generation;
  };
  expect([generation({}), generation({ ingress: [] }), generation({ egress: [{}] })]).toEqual([
    3, 4, 4,
  ]);
});
