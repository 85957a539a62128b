import type { Endpoint } from "../../api/discovery/v1/endpoint.ts";
import type { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import type { SlicePlan, WantedSlice } from "./plan-slices.ts";
import { type Allocation, allocationsOf, type ZoneRatios } from "./zone-capacity.ts";

/** A plan in which each zone has its share of the endpoints, or why there is none. */
export type ZoneHints =
  | { readonly plan: SlicePlan; readonly hints: ReadonlyMap<string, number> }
  | { readonly fault: string };

type Allocations = ReadonlyMap<string, Allocation>;

/**
 * Assigns every ready endpoint to a zone: its own, unless that would have too many. Slices with good
 * enough hints are not changed.
 */
export function withZoneHints(plan: SlicePlan, ratios: ZoneRatios | undefined): ZoneHints {
  const all = [...plan.create, ...plan.update, ...plan.unchanged];
  const count = all.flatMap(({ endpoints }) => endpoints ?? []).filter(isReady).length;
  const allocations = allocationsOf(ratios, count);
  if ("fault" in allocations) return allocations;

  const hints = new Map<string, number>();
  const unchanged: EndpointSlice[] = [];
  const invalid: EndpointSlice[] = [];
  for (const slice of plan.unchanged) {
    const present = validHints(slice, hints, allocations);
    if (!present) invalid.push(slice);
    else {
      unchanged.push(slice);
      for (const [zone, n] of present) add(hints, zone, n);
    }
  }
  const update = [...plan.update, ...invalid];
  const movable = [...plan.create, ...update].flatMap(({ endpoints }) =>
    (endpoints ?? []).filter(isReady),
  );
  if (movable.some(({ zone }) => !zone))
    return { fault: "One or more endpoints do not have a zone specified" };
  for (const { zone = "" } of movable) add(hints, zone, 1);

  const zones = redistributed(movable, needsOf(allocations, hints));
  for (const [{ zone = "" }, receiver] of zones) {
    add(hints, zone, -1);
    add(hints, receiver, 1);
  }
  if (hints.size === 0) return { fault: "No hints allocated for zones" };
  const hinted = <S extends WantedSlice>(slice: S): S => ({
    ...slice,
    endpoints: (slice.endpoints ?? []).map((endpoint) => {
      if (!isReady(endpoint)) return endpoint;
      return { ...endpoint, hints: { forZones: [{ name: zones.get(endpoint) ?? endpoint.zone }] } };
    }),
  });
  return {
    plan: { ...plan, create: plan.create.map(hinted), update: update.map(hinted), unchanged },
    hints,
  };
}

/** The surplus and deficit of endpoints by zone. */
interface Needs {
  readonly giving: Map<string, number>;
  readonly receiving: Map<string, number>;
}

function needsOf(allocations: Allocations, hints: ReadonlyMap<string, number>): Needs {
  const surplus = new Map<string, number>();
  const lack = new Map<string, number>();
  for (const [zone, { desired }] of allocations) {
    const difference = (hints.get(zone) ?? 0) - desired;
    if (difference > 0) surplus.set(zone, difference);
    if (difference < 0) lack.set(zone, -difference);
  }
  const needs: Needs = { giving: new Map(), receiving: new Map() };
  for (;;) {
    const giver = most(surplus);
    const receiver = most(lack);
    if (!giver || !receiver || Math.min(giver.count, receiver.count) < 0.5) return needs;
    if (giver.count < 1 && receiver.count < 1) return needs;
    add(needs.giving, giver.zone, 1);
    add(surplus, giver.zone, -1);
    add(needs.receiving, receiver.zone, 1);
    add(lack, receiver.zone, -1);
  }
}

function most(zones: ReadonlyMap<string, number>) {
  let best: { readonly zone: string; readonly count: number } | undefined;
  for (const [zone, count] of zones) if (count > (best?.count ?? 0)) best = { zone, count };
  return best;
}

/** Endpoints that are assigned to another zone. */
function redistributed(
  endpoints: readonly Endpoint[],
  { giving, receiving }: Needs,
): ReadonlyMap<Endpoint, string> {
  const moved = new Map<Endpoint, string>();
  for (const endpoint of endpoints) {
    const { zone = "" } = endpoint;
    const [receiver] = receiving.keys();
    if (receiver === undefined || !giving.has(zone)) continue;
    moved.set(endpoint, receiver);
    takeOne(giving, zone);
    takeOne(receiving, receiver);
  }
  return moved;
}

/** How many hints a slice has for each zone; undefined if they must be replaced. */
function validHints(
  { endpoints }: EndpointSlice,
  given: ReadonlyMap<string, number>,
  allocations: Allocations,
): ReadonlyMap<string, number> | undefined {
  const counts = new Map<string, number>();
  for (const { hints } of (endpoints ?? []).filter(isReady)) {
    const { forZones = [] } = hints ?? {};
    if (forZones.length === 0) return undefined;
    for (const { name } of forZones) add(counts, name, 1);
  }
  const isValid = [...counts].every(([zone, n]) => {
    const { maximum = -1 } = allocations.get(zone) ?? {};
    return n + (given.get(zone) ?? 0) <= maximum;
  });
  return isValid ? counts : undefined;
}

const isReady = ({ conditions }: Endpoint): boolean => conditions?.ready === true;

const add = (counts: Map<string, number>, key: string, n: number): void =>
  void counts.set(key, (counts.get(key) ?? 0) + n);

function takeOne(counts: Map<string, number>, key: string): void {
  add(counts, key, -1);
  if (counts.get(key) === 0) counts.delete(key);
}
