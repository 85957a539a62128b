import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { cellsOf, created, read, updated } from "../../kind.test-support.ts";
import { write } from "../../write.test-support.ts";
import { ServiceCIDR } from "./service-cidr.ts";

const range = (...cidrs: readonly string[]) => ({ spec: { cidrs } });

each<[rule: string, body: object, errors: readonly string[]]>([
  ["one of each family is fine", range("10.0.0.0/24", "2001:db8::/64"), []],
  ["there is one at least", {}, ["spec.cidrs: Required value: at least one CIDR required"]],
  [
    "there are two at most",
    range("10.0.0.0/24", "2001:db8::/64", "x"),
    [
      'spec.cidrs: Invalid value: {"CIDRs":["10.0.0.0/24","2001:db8::/64","x"]}: may only hold up to 2 values',
    ],
  ],
  [
    "each is in canonical form",
    range("2001:DB8::/64"),
    ['spec.cidrs[0]: Invalid value: "2001:DB8::/64": must be in canonical form ("2001:db8::/64")'],
  ],
])("ServiceCIDR: %s", (_, body, errors) => {
  expect(created(ServiceCIDR, body)).toEqual(errors);
});

each<[rule: string, body: object, errors: readonly string[]]>([
  ["another family may be added", range("10.0.0.0/24", "2001:db8::/64"), []],
  [
    "what is there stays first",
    range("2001:db8::/64", "10.0.0.0/24"),
    ['spec.cidrs[0]: Invalid value: "2001:db8::/64": field is immutable'],
  ],
  [
    "what is there stays",
    range("10.0.1.0/24"),
    ['spec.cidrs[0]: Invalid value: "10.0.1.0/24": field is immutable'],
  ],
  [
    "what is added is looked at",
    range("10.0.0.0/24", "x"),
    [
      'spec.cidrs[1]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    ],
  ],
  ["nothing can go", {}, ["spec.cidrs: Invalid value: null: field is immutable"]],
])("ServiceCIDR in an update: %s", (_, body, errors) => {
  expect(updated(ServiceCIDR, range("10.0.0.0/24"), body)).toEqual(errors);
});

test("ServiceCIDR: through its status, neither spec nor metadata change", () => {
  const old = read(ServiceCIDR, { metadata: { labels: { a: "b" } }, ...range("10.0.0.0/24") });
  const changed = read(ServiceCIDR, {
    metadata: { finalizers: ["x/y"], deletionTimestamp: "2026-01-01T00:00:00Z" },
    ...range("x"),
  });
  ServiceCIDR.strategy.prepareStatusUpdate?.(changed as never, old as never, write);
  expect([changed.spec, changed.metadata]).toEqual([old.spec, old.metadata]);
});

test("ServiceCIDR: a row shows the ranges", () => {
  expect(cellsOf(ServiceCIDR, range("10.0.0.0/24", "2001:db8::/64"))).toEqual([
    "10.0.0.0/24,2001:db8::/64",
  ]);
});
