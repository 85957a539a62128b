import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { DeviceRequest } from "../../../api/resource/v1/device-request.ts";
import { parseQuantity, quantityValue } from "../../../schema/values/quantity.ts";

type Container = Pod["spec"]["containers"][number];
type Mapping = NonNullable<
  NonNullable<Pod["status"]["extendedResourceClaimStatus"]>["requestMappings"]
>[number];

/** The requests of a claim for the extended resources of a pod, and which container gets which. */
export interface ExtendedRequests {
  readonly requests: readonly DeviceRequest[];
  readonly mappings: readonly Mapping[];
}

/** A container's part of one resource. */
interface Share {
  readonly mappings: readonly Mapping[];
  /** What it asks for; undefined if it asks for nothing, or reuses the devices of others. */
  readonly request?: { readonly name: string; readonly count: number } | undefined;
}

/**
 * Converts extended resources to requests for devices of their classes. Containers that run together have
 * devices of their own; init containers reuse those of containers that start later, and share the rest.
 */
export function extendedRequests(pod: Pod, classes: ReadonlyMap<string, string>): ExtendedRequests {
  const { initContainers = [], containers } = pod.spec;
  const all = [...initContainers, ...containers];
  const requests: DeviceRequest[] = [];
  const mappings: Mapping[] = [];
  for (const [resource, className] of [...classes].sort(byFirst)) {
    const isBrief = (i: number): boolean =>
      i < initContainers.length && all[i]?.restartPolicy !== "Always";
    const lasting = all.map((container, i) =>
      isBrief(i) ? none : shareOf(container, { resource, place: i, reusable: [] }),
    );
    const brief = all.flatMap((container, i) =>
      isBrief(i) ? shareOf(container, { resource, place: i, reusable: lasting.slice(i) }) : [],
    );
    // One after the other, they need as many devices as the one that needs the most.
    const most = brief.reduce((one, other) => (countOf(other) > countOf(one) ? other : one), none);
    const replaced = new Set(brief.flatMap(({ request }) => request?.name ?? []));
    mappings.push(
      ...lasting.flatMap((share) => share.mappings),
      ...brief
        .flatMap((share) => share.mappings)
        .map((mapping) =>
          most.request && replaced.has(mapping.requestName)
            ? { ...mapping, requestName: most.request.name }
            : mapping,
        ),
    );
    for (const { request } of [most, ...lasting])
      if (request) {
        const { name, count } = request;
        const exactly = { deviceClassName: className, allocationMode: "ExactCount", count };
        requests.push({ name, exactly });
      }
  }
  return { requests: requests.sort((a, b) => (a.name < b.name ? -1 : 1)), mappings };
}

const none: Share = { mappings: [] };
const countOf = ({ request }: Share): number => request?.count ?? 0;
const byFirst = ([a]: readonly [string, string], [b]: readonly [string, string]): number =>
  a < b ? -1 : a > b ? 1 : 0;

function shareOf(
  { name: containerName, resources }: Container,
  {
    resource,
    place,
    reusable,
  }: { readonly resource: string; readonly place: number; readonly reusable: readonly Share[] },
): Share {
  const amounts = resources?.requests ?? {};
  const wanted = quantityValue(parseQuantity(amounts[resource] ?? "0"));
  if (wanted === 0) return none;
  const mappings: Mapping[] = [];
  const map = (requestName: string): void => {
    mappings.push({ containerName, resourceName: resource, requestName });
  };
  let missing = wanted;
  for (const { request } of reusable) {
    if (!request) continue;
    missing -= request.count;
    map(request.name);
    if (missing <= 0) return { mappings };
  }
  const number = Object.keys(amounts).sort().indexOf(resource);
  const name = `container-${place}-request-${number}`;
  map(name);
  return { mappings, request: { name, count: missing } };
}
