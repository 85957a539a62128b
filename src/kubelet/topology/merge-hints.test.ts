import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { mergeHints } from "./merge-hints.ts";
import { allMasks, maskOf, nodesOf } from "./numa-mask.ts";
import type { TopologyHint } from "./topology-hint.ts";
import type { TopologyPolicy } from "./topology-policy.ts";

/** `01` for nodes 0 and 1, with `!` if they are preferred; `*` for any. */
function hint(text: string): TopologyHint {
  const isPreferred = text.endsWith("!");
  const nodes = text.replace("!", "");
  return { affinity: nodes === "*" ? undefined : maskOf([...nodes].map(Number)), isPreferred };
}

const text = ({ affinity, isPreferred }: TopologyHint): string =>
  `${affinity === undefined ? "*" : nodesOf(affinity).join("")}${isPreferred ? "!" : ""}`;

/** Resources are separated by `;`, hints by spaces; `any` for no preference, `none` for no possibility. */
const resources = (list: string): ReadonlyMap<string, readonly TopologyHint[] | undefined> =>
  new Map(
    list.split(";").map((one, index): [string, readonly TopologyHint[] | undefined] => {
      if (one === "any") return [`r${index}`, undefined];
      return [`r${index}`, one === "none" ? [] : one.split(" ").map(hint)];
    }),
  );

function merge(
  name: TopologyPolicy["name"],
  providers: readonly string[],
  { nodes = [0, 1], preferClosest = false, distances = [] as readonly (readonly number[])[] } = {},
): string {
  const { hint, isAdmitted } = mergeHints(
    { name, scope: "container", preferClosest },
    providers.map((one) => (one === "" ? new Map() : resources(one))),
    { nodes, distance: (from, to) => distances[from]?.[to] ?? 10 },
  );
  return `${text(hint)}${isAdmitted ? "" : " refused"}`;
}

each<[what: string, providers: readonly string[], expected: Record<string, string>]>([
  ["nobody has a preference", [""], { "best-effort": "01!", "single-numa-node": "*!" }],
  ["a resource has none", ["any"], { "best-effort": "01!", "single-numa-node": "*!" }],
  [
    "a resource fits nowhere",
    ["none"],
    { "best-effort": "01", restricted: "01 refused", "single-numa-node": "* refused" },
  ],
  ["one resource on one node", ["1! 01"], { "best-effort": "1!", "single-numa-node": "1!" }],
  [
    "two resources that share a node",
    ["0! 1! 01", "1! 01"],
    { "best-effort": "1!", restricted: "1!", "single-numa-node": "1!" },
  ],
  [
    "two resources on different nodes",
    ["0!", "1!"],
    { "best-effort": "01", restricted: "01 refused", "single-numa-node": "* refused" },
  ],
  [
    "two nodes are preferred by one, one by the other",
    ["01!", "0! 1! 01"],
    { "best-effort": "01", restricted: "01 refused", "single-numa-node": "* refused" },
  ],
  [
    "both need two nodes",
    ["01!", "01!"],
    { "best-effort": "01!", restricted: "01!", "single-numa-node": "* refused" },
  ],
  ["the lower node of two", ["0! 1! 01", "0! 1! 01"], { "best-effort": "0!" }],
  [
    "what is not preferred does not replace what is",
    ["0 1!", "0 1!"],
    { "best-effort": "1!", "single-numa-node": "1!" },
  ],
])("mergeHints: %s", (_, providers, expected) => {
  for (const [policy, hint] of Object.entries(expected))
    expect(merge(policy as TopologyPolicy["name"], providers), policy).toBe(hint);
});

const four = { nodes: [0, 1, 2, 3] };
each<[what: string, providers: readonly string[], expected: string]>([
  ["as many nodes as the neediest has at least", ["012 123", "01 23 012"], "012"],
  ["fewer if there are not as many, but many", ["0123", "0 01 23"], "01"],
  ["more only if there is nothing else", ["0 1", "any"], "0"],
])("mergeHints: of hints that are not preferred, %s", (_, providers, expected) => {
  expect(merge("best-effort", providers, four)).toBe(expected);
});

test("mergeHints: close nodes are preferred where the policy says so", () => {
  const distances = [
    [10, 21, 11, 21],
    [21, 10, 21, 11],
    [11, 21, 10, 21],
    [21, 11, 21, 10],
  ];
  const pairs = ["01! 02! 13! 23!"];
  const options = { ...four, distances };
  expect(merge("best-effort", pairs, options)).toBe("01!");
  expect(merge("best-effort", pairs, { ...options, preferClosest: true })).toBe("02!");
  expect(merge("restricted", pairs, { ...options, preferClosest: true })).toBe("02!");
  expect(merge("best-effort", ["01! 02! 13! 3!"], { ...options, preferClosest: true })).toBe("3!");
});

test("mergeHints: eight nodes and six resources take no time", () => {
  const nodes = [0, 1, 2, 3, 4, 5, 6, 7];
  const every = new Map(
    ["a", "b", "c"].map((name) => [
      name,
      allMasks(nodes).map((affinity) => ({ affinity, isPreferred: false })),
    ]),
  );
  const started = performance.now();
  const policy = { name: "best-effort", scope: "pod", preferClosest: false } as const;
  const { hint } = mergeHints(policy, [every, every], { nodes, distance: () => 10 });
  expect(text(hint)).toBe("0");
  expect(performance.now() - started).toBeLessThan(2000);
});
