import { setMember } from "../../../../schema/json/strict-json.ts";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  isZeroQuantity,
  parseQuantity,
} from "../../../../schema/values/quantity.ts";
import type { ResourceList } from "../resource-list.ts";
import { isPodLevelResource } from "../resource-name.ts";

interface WithResources {
  readonly restartPolicy?: string | undefined;
  readonly resources?: { readonly [K in Side]?: Amounts | undefined } | undefined;
}
interface Containers {
  readonly containers?: readonly WithResources[] | null | undefined;
  readonly initContainers?: readonly WithResources[] | undefined;
}
interface PodSpecLike extends Containers {
  readonly resources?: { readonly [K in Side]?: Amounts | undefined } | undefined;
  readonly overhead?: Amounts | undefined;
}
type Side = "requests" | "limits";
type Amounts = Readonly<Record<string, string | number>>;

/**
 * What the containers of a pod take together. Containers and sidecars run side by side; an init
 * container runs alone, but for the sidecars that started before it: the most of both counts.
 *
 *     sidecar 1, init 5, sidecar 2, container 2  →  max(1 + 2 + 2, 1, 1 + 5, 1 + 2) = 6
 */
export function containerResources(
  { containers, initContainers = [] }: Containers,
  side: Side,
): ResourceList {
  const sum: Record<string, string> = {};
  const most: Record<string, string> = {};
  const sidecars: Record<string, string> = {};
  for (const container of containers ?? []) add(sum, container.resources?.[side]);
  for (const { restartPolicy, resources } of initContainers) {
    const own = resources?.[side];
    if (restartPolicy === "Always") {
      add(sum, own);
      add(sidecars, own);
      raise(most, sidecars);
    } else {
      const alone: Record<string, string> = {};
      add(alone, own);
      add(alone, sidecars);
      raise(most, alone);
    }
  }
  raise(sum, most);
  return sum;
}

/** What a pod asks for: what it says of itself as a whole counts more than its containers; the runtime comes on top. */
export function podRequests(spec: PodSpecLike): ResourceList {
  const requests: Record<string, string> = { ...containerResources(spec, "requests") };
  for (const [name, amount] of Object.entries(spec.resources?.requests ?? {}))
    if (isPodLevelResource(name)) setMember(requests, name, `${amount}`);
  add(requests, spec.overhead);
  return requests;
}

/** The limits of a pod, in the same way; the runtime comes on top only of those that there are. */
export function podLimits(spec: PodSpecLike): ResourceList {
  const limits: Record<string, string> = { ...containerResources(spec, "limits") };
  for (const [name, amount] of Object.entries(spec.resources?.limits ?? {}))
    if (isPodLevelResource(name)) setMember(limits, name, `${amount}`);
  for (const [name, amount] of Object.entries(spec.overhead ?? {})) {
    const limit = own(limits, name);
    if (limit !== undefined && !isZeroQuantity(parseQuantity(limit)))
      add(limits, { [name]: amount });
  }
  return limits;
}

function add(list: Record<string, string>, more: Amounts = {}): void {
  for (const [name, amount] of Object.entries(more)) {
    const present = own(list, name);
    const total = present
      ? formatQuantity(addQuantities(parseQuantity(present), parseQuantity(`${amount}`)))
      : `${amount}`;
    setMember(list, name, total);
  }
}

/** Makes each amount of a list as much as in another, where that is more. */
export function raise(list: Record<string, string>, other: ResourceList = {}): void {
  for (const [name, amount] of Object.entries(other)) {
    const present = own(list, name);
    if (present === undefined || exceeds(amount, present)) setMember(list, name, amount);
  }
}

const own = (list: ResourceList, name: string): string | undefined =>
  Object.hasOwn(list, name) ? list[name] : undefined;

/** Whether one amount is more than another. */
export const exceeds = (amount: string, limit: string): boolean =>
  compareQuantities(parseQuantity(amount), parseQuantity(limit)) > 0;
