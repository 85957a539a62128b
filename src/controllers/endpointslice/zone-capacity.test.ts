import { expect, test } from "vitest";
import type { Node } from "../../api/core/v1/node/node.ts";
import { allocationsOf, isOverloaded, zoneRatios } from "./zone-capacity.ts";

const node = (zone: string, cpu: string, rest: { labels?: object; ready?: boolean } = {}): Node =>
  ({
    metadata: { labels: { ...(zone && { "topology.kubernetes.io/zone": zone }), ...rest.labels } },
    status: {
      ...(cpu && { allocatable: { cpu } }),
      conditions: [{ type: "Ready", status: rest.ready === false ? "False" : "True" }],
    },
  }) as unknown as Node;

test.each<[string, readonly Node[], Record<string, number> | undefined]>([
  ["no nodes", [], undefined],
  ["one zone", [node("a", "1"), node("a", "1")], undefined],
  ["two zones", [node("a", "1"), node("b", "3000m")], { a: 0.25, b: 0.75 }],
  ["several nodes", [node("a", "1"), node("b", "1"), node("a", "2")], { a: 0.75, b: 0.25 }],
  ["a node without a zone", [node("a", "1"), node("b", "1"), node("", "1")], undefined],
  ["a node without processors", [node("a", "1"), node("b", "")], undefined],
  [
    "a node without a zone that is not ready",
    [node("a", "1"), node("b", "1"), node("", "1", { ready: false })],
    { a: 0.5, b: 0.5 },
  ],
  [
    "a node of the control plane",
    [
      node("a", "1"),
      node("b", "1"),
      node("c", "1", { labels: { "node-role.kubernetes.io/control-plane": "" } }),
    ],
    { a: 0.5, b: 0.5 },
  ],
])("zoneRatios: %s", (_name, nodes, ratios) => {
  const found = zoneRatios(nodes);
  expect(found && Object.fromEntries(found)).toEqual(ratios);
});

const ratios = (all: Record<string, number>) => new Map(Object.entries(all));

test("allocationsOf: each zone gets its share, and tolerates an overload of 20 %", () => {
  expect(allocationsOf(ratios({ a: 0.4, b: 0.4, c: 0.2 }), 10)).toEqual(
    new Map([
      ["a", { minimum: 4, maximum: 4, desired: 4 }],
      ["b", { minimum: 4, maximum: 4, desired: 4 }],
      ["c", { minimum: 2, maximum: 2, desired: 2 }],
    ]),
  );
  expect(allocationsOf(ratios({ a: 0.5, b: 0.5 }), 20)).toEqual(
    new Map([
      ["a", { minimum: 9, maximum: 11, desired: 10 }],
      ["b", { minimum: 9, maximum: 11, desired: 10 }],
    ]),
  );
});

test.each<[string, Record<string, number> | undefined, number, string]>([
  [
    "unknown nodes",
    undefined,
    9,
    "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes",
  ],
  [
    "too few",
    { a: 0.4, b: 0.4, c: 0.2 },
    2,
    "Insufficient number of endpoints (2 endpoints, 3 zones)",
  ],
  [
    "no fair shares",
    { a: 0.49, b: 0.49, c: 0.02 },
    4,
    "Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (4 endpoints, 3 zones)",
  ],
])("allocationsOf: %s", (_name, parts, count, fault) => {
  expect(allocationsOf(parts && ratios(parts), count)).toEqual({ fault });
});

test.each<[string, Record<string, number>, Record<string, number> | undefined, boolean]>([
  ["no hints", {}, { a: 1 }, false],
  ["no nodes any more", { a: 1 }, undefined, true],
  ["fair", { a: 1, b: 1 }, { a: 0.5, b: 0.5 }, false],
  ["a zone without any", { a: 2 }, { a: 0.5, b: 0.5 }, true],
  ["a fifth less", { a: 11, b: 9 }, { a: 0.5, b: 0.5 }, false],
  ["too few", { a: 12, b: 8 }, { a: 0.5, b: 0.5 }, true],
])("isOverloaded: %s", (_name, hints, parts, is) => {
  expect(isOverloaded(ratios(hints), parts && ratios(parts))).toBe(is);
});
