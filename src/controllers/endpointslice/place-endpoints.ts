import type { Endpoint } from "../../api/discovery/v1/endpoint.ts";
import { sameJson } from "../../schema/json/json-value.ts";

/** An existing slice. */
export interface PresentSlice {
  readonly name: string;
  readonly endpoints: readonly Endpoint[];
  /** Whether it is written anyway, so that endpoints can be added without another write. */
  readonly isDue: boolean;
}

/** Which endpoints are in which slices. */
export interface Placement {
  /** The endpoints of slices that change, by name. */
  readonly changed: ReadonlyMap<string, readonly Endpoint[]>;
  /** The names of slices that become empty. */
  readonly emptied: readonly string[];
  /** The endpoints of each new slice. */
  readonly added: readonly (readonly Endpoint[])[];
}

/**
 * Places endpoints with few writes: existing endpoints stay in their slice. New ones fill slices that
 * change anyway, the fullest first; the rest goes into the fullest slice that has room for all of it, or
 * else into new slices. Slices are never merged, and may stay half empty.
 */
export function placeEndpoints(
  wanted: readonly Endpoint[],
  slices: readonly PresentSlice[],
  capacity: number,
): Placement {
  const left = new Map(wanted.map((endpoint) => [endpointKey(endpoint), endpoint]));
  const changed = new Map<string, readonly Endpoint[]>();
  const emptied: string[] = [];
  const unchanged: PresentSlice[] = [];
  for (const slice of slices) {
    const kept = takeKept(left, slice.endpoints);
    const isSame =
      kept.length === slice.endpoints.length &&
      kept.every((endpoint, i) => isSameEndpoint(endpoint, slice.endpoints[i] as Endpoint));
    if (isSame && !slice.isDue) unchanged.push(slice);
    else if (isSame) changed.set(slice.name, slice.endpoints);
    else if (kept.length > 0) changed.set(slice.name, kept);
    else emptied.push(slice.name);
  }

  const waiting = [...left.values()];
  const fullestFirst = [...changed].sort(([, a], [, b]) => b.length - a.length);
  for (const [name, endpoints] of fullestFirst)
    changed.set(name, [...endpoints, ...take(waiting, capacity - endpoints.length)]);

  const added: (readonly Endpoint[])[] = [];
  while (waiting.length > 0) {
    const room = waiting.length < capacity ? capacity - waiting.length : -1;
    const roomy = fullest(unchanged.filter(({ endpoints }) => endpoints.length <= room));
    if (roomy) changed.set(roomy.name, [...roomy.endpoints, ...waiting.splice(0)]);
    else added.push(take(waiting, capacity));
  }
  return { changed, emptied, added };
}

/** The endpoints of a slice that are still wanted, in their new form; they are removed from the wanted ones. */
function takeKept(left: Map<string, Endpoint>, endpoints: readonly Endpoint[]): Endpoint[] {
  return endpoints.flatMap((endpoint) => {
    const key = endpointKey(endpoint);
    const found = left.get(key);
    left.delete(key);
    return found ? [found] : [];
  });
}

const fullest = (slices: readonly PresentSlice[]): PresentSlice | undefined =>
  slices.toSorted((a, b) => b.endpoints.length - a.endpoints.length)[0];

/** The identity of an endpoint. */
export const endpointKey = ({ addresses, hostname = "", targetRef }: Endpoint): string =>
  JSON.stringify([
    addresses.toSorted(),
    hostname,
    targetRef?.namespace ?? "",
    targetRef?.name ?? "",
  ]);

/** Whether an endpoint is unchanged, apart from the version of its pod. */
export function isSameEndpoint(a: Endpoint, b: Endpoint): boolean {
  const facts = ({ nodeName, zone, conditions = {}, targetRef = {} }: Endpoint) => {
    const { resourceVersion: _, ...reference } = targetRef;
    const { ready, serving, terminating } = conditions;
    return [nodeName, zone, ready, serving, terminating, reference];
  };
  return sameJson(facts(a), facts(b));
}

function take<T>(from: T[], count: number): T[] {
  return from.splice(0, Math.max(0, count));
}
