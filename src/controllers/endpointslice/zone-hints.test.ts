import { expect, test } from "vitest";
import type { Endpoint } from "../../api/discovery/v1/endpoint.ts";
import type { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import type { SlicePlan } from "./plan-slices.ts";
import { withZoneHints } from "./zone-hints.ts";

/** `a` is an endpoint in zone a, `a>b` one whose traffic comes from b, `a!` one that is not ready. */
function endpoint(text: string): Endpoint {
  const [zone = "", hint] = text.replace("!", "").split(">");
  return {
    addresses: ["10.0.0.1"],
    conditions: { ready: !text.endsWith("!") },
    ...(zone !== "?" && { zone }),
    ...(hint && { hints: { forZones: [{ name: hint }] } }),
  };
}

const slice = (text: string): EndpointSlice =>
  ({ metadata: { name: text }, endpoints: text.split(" ").map(endpoint) }) as never;

const textOf = ({ endpoints }: Pick<EndpointSlice, "endpoints">): string =>
  (endpoints ?? [])
    .map(({ zone, hints, conditions }) => {
      const hint = hints?.forZones?.[0]?.name;
      return `${zone}${hint ? `>${hint}` : ""}${conditions.ready ? "" : "!"}`;
    })
    .join(" ");

const plan = ({ create = [], update = [], unchanged = [] }: Texts): SlicePlan => ({
  create: create.map(slice),
  update: update.map(slice),
  unchanged: unchanged.map(slice),
  delete: [],
});

interface Texts {
  readonly create?: readonly string[];
  readonly update?: readonly string[];
  readonly unchanged?: readonly string[];
}
interface Row {
  readonly name: string;
  readonly before: Texts;
  readonly after: Texts;
  readonly hints: Readonly<Record<string, number>>;
}

const halves = new Map([
  ["a", 0.5],
  ["b", 0.5],
]);

test.each<Row>([
  {
    name: "endpoints stay in their zone if the distribution is balanced",
    before: { create: ["a b"], update: ["a b"] },
    after: { create: ["a>a b>b"], update: ["a>a b>b"] },
    hints: { a: 2, b: 2 },
  },
  {
    name: "a zone with a surplus gives endpoints to others",
    before: { create: ["a a a b"] },
    after: { create: ["a>b a>a a>a b>b"] },
    hints: { a: 2, b: 2 },
  },
  {
    name: "endpoints are not divided",
    before: { create: ["a a a a a a b b b b b"] },
    after: { create: ["a>a a>a a>a a>a a>a a>a b>b b>b b>b b>b b>b"] },
    hints: { a: 6, b: 5 },
  },
  {
    name: "endpoints that are not ready are not counted",
    before: { create: ["a b a!"] },
    after: { create: ["a>a b>b a!"] },
    hints: { a: 1, b: 1 },
  },
  {
    name: "slices with good hints stay as they are",
    before: { update: ["a b"], unchanged: ["a>a b>b"] },
    after: { update: ["a>a b>b"], unchanged: ["a>a b>b"] },
    hints: { a: 2, b: 2 },
  },
  {
    name: "slices without hints get some, and those with hints for other zones other ones",
    before: { unchanged: ["a b", "a>c b>b"] },
    after: { update: ["a>a b>b", "a>a b>b"] },
    hints: { a: 2, b: 2 },
  },
  {
    name: "hints are recomputed if a zone has too few endpoints",
    before: { unchanged: ["a>a a>a a>a", "b>b"] },
    after: { update: ["a>b a>a a>a"], unchanged: ["b>b"] },
    hints: { a: 2, b: 2 },
  },
])("withZoneHints: $name", ({ before, after, hints }) => {
  const found = withZoneHints(plan(before), halves);
  if ("fault" in found) throw new Error(found.fault);
  const { create, update, unchanged } = found.plan;
  expect({
    create: create.map(textOf),
    update: update.map(textOf),
    unchanged: unchanged.map(textOf),
    hints: Object.fromEntries(found.hints),
  }).toEqual({ create: [], update: [], unchanged: [], ...after, hints });
});

test("withZoneHints: an endpoint without a zone removes all hints", () => {
  expect(withZoneHints(plan({ create: ["a a b ?"] }), halves)).toEqual({
    fault: "One or more endpoints do not have a zone specified",
  });
});

test("withZoneHints: zones give to those that need most", () => {
  const thirds = new Map([
    ["a", 1 / 3],
    ["b", 1 / 3],
    ["c", 1 / 3],
  ]);
  const found = withZoneHints(plan({ create: ["a a a a a a a b b"] }), thirds);
  expect("hints" in found && Object.fromEntries(found.hints)).toEqual({ a: 3, b: 3, c: 3 });
});
