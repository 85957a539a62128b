import type { EndpointAddress } from "../../api/core/v1/service/endpoint-subset.ts";
import type { Endpoints } from "../../api/core/v1/service/endpoints.ts";
import type { Endpoint, EndpointPort } from "../../api/discovery/v1/endpoint.ts";
import {
  type EndpointSlice,
  managedByLabel,
  serviceNameLabel,
} from "../../api/discovery/v1/endpoint-slice.ts";
import { withController } from "../../controller-runtime/objects/owner-references.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { formatIp, parseIpSloppy, unmap } from "../../schema/values/ip.ts";
import { sortedSlicePorts } from "../endpoints/endpoint-order.ts";
import { repackSubsets } from "../endpoints/repack-subsets.ts";
import { triggerTimeAnnotation } from "../endpoints/trigger-times.ts";
import { type AddressType, portsKey } from "../endpointslice/endpoint-groups.ts";
import { endpointKey, isSameEndpoint } from "../endpointslice/place-endpoints.ts";
import type { SlicePlan, WantedSlice } from "../endpointslice/plan-slices.ts";

/** The value of the managed-by label of slices. */
export const manager = "endpointslicemirroring-controller.k8s.io";

/** The writes that mirror Endpoints into slices. */
export interface MirrorPlan extends Omit<SlicePlan, "unchanged"> {
  /** How many addresses are invalid. */
  readonly invalid: number;
  /** How many addresses are not mirrored, including invalid ones. */
  readonly skipped: number;
}

/** Plans one slice for each subset and address family, with a limited number of addresses. */
export function mirrorPlan(
  endpoints: Endpoints,
  slices: readonly EndpointSlice[],
  capacity: number,
): MirrorPlan {
  const { groups, invalid, skipped } = mirroredGroups(endpoints, capacity);
  const byKey = new Map<string, EndpointSlice[]>();
  for (const slice of slices.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))) {
    const key = groupKey(slice.addressType, slice.ports ?? []);
    byKey.set(key, [...(byKey.get(key) ?? []), slice]);
  }
  const create: WantedSlice[] = [];
  const update: WantedSlice[] = [];
  const surplus: EndpointSlice[] = [];
  for (const [key, group] of groups) {
    const [first, ...others] = byKey.get(key) ?? [];
    if (group.endpoints.size === 0) {
      surplus.push(...(first ? [first, ...others] : []));
      continue;
    }
    surplus.push(...others);
    if (first && isMirror(first, endpoints, group)) continue;
    const { metadata, ...rest } = mirrored(endpoints, group, capacity);
    if (first) update.push({ ...rest, metadata: { ...metadata, name: nameOf(first) } });
    else
      create.push({
        ...rest,
        metadata: { ...metadata, generateName: `${endpoints.metadata.name}-` },
      });
  }
  for (const [key, present] of byKey) if (!groups.has(key)) surplus.push(...present);
  return { ...recycled({ create, update, delete: surplus }), invalid, skipped };
}

/** The plan that reuses slices to delete for slices to create of the same address family. */
function recycled(plan: Omit<SlicePlan, "unchanged">): Omit<SlicePlan, "unchanged"> {
  const surplus = [...plan.delete];
  const create: WantedSlice[] = [];
  const update = [...plan.update];
  for (const next of plan.create) {
    const index = surplus.findIndex(({ addressType }) => addressType === next.addressType);
    if (index < 0) create.push(next);
    else {
      const [old] = surplus.splice(index, 1) as [EndpointSlice];
      update.push({ ...next, metadata: { ...next.metadata, name: nameOf(old) } });
    }
  }
  return { create, update, delete: surplus };
}

interface MirroredGroup {
  readonly type: AddressType;
  readonly ports: readonly EndpointPort[];
  /** By identity. */
  readonly endpoints: Map<string, Endpoint>;
}

function mirroredGroups({ subsets = [] }: Endpoints, capacity: number) {
  const groups = new Map<string, MirroredGroup>();
  let invalid = 0;
  let skipped = 0;
  for (const { addresses = [], notReadyAddresses = [], ports: own = [] } of repackSubsets(
    subsets,
  )) {
    const ports = sortedSlicePorts(
      own.map(({ name = "", protocol = "TCP", port, appProtocol }) => ({
        name,
        protocol,
        port,
        ...(appProtocol !== undefined && { appProtocol }),
      })),
    );
    for (const type of ["IPv4", "IPv6"] as const) {
      const key = groupKey(type, ports);
      groups.set(key, groups.get(key) ?? { type, ports, endpoints: new Map() });
    }
    const all = [
      ...addresses.map((address) => ({ address, ready: true })),
      ...notReadyAddresses.map((address) => ({ address, ready: false })),
    ];
    let added = 0;
    for (const { address, ready } of all) {
      if (added >= capacity) break;
      const found = endpointOf(address, ready);
      if (!found) invalid++;
      else {
        added++;
        const { endpoints } = groups.get(groupKey(found.type, ports)) as MirroredGroup;
        endpoints.set(endpointKey(found.endpoint), found.endpoint);
      }
    }
    skipped += all.length - added;
  }
  return { groups, invalid, skipped };
}

const groupKey = (type: string, ports: readonly EndpointPort[]): string =>
  `${type} ${portsKey(ports)}`;

/** An address as an endpoint; undefined if it is invalid. */
function endpointOf(
  { ip, hostname, nodeName, targetRef }: EndpointAddress,
  ready: boolean,
): { readonly endpoint: Endpoint; readonly type: AddressType } | undefined {
  const parsed = parseIpSloppy(ip);
  if (!parsed) return undefined;
  const address = unmap(parsed);
  const endpoint = {
    addresses: [formatIp(address)],
    conditions: { ready },
    ...(hostname && { hostname }),
    ...(targetRef && { targetRef }),
    ...(nodeName !== undefined && { nodeName }),
  };
  return { endpoint, type: address.version === 6 ? "IPv6" : "IPv4" };
}

/** Whether a slice is up to date. */
function isMirror(
  slice: EndpointSlice,
  endpoints: Endpoints,
  { endpoints: wanted }: MirroredGroup,
) {
  const present = slice.endpoints ?? [];
  const { labels, annotations, ownerReferences = [] } = slice.metadata;
  const { name, uid } = endpoints.metadata;
  const isOfFormer = ownerReferences.some(
    (owner) => owner.kind === "Endpoints" && owner.name === name && owner.uid !== uid,
  );
  return (
    !isOfFormer &&
    present.length === wanted.size &&
    present.every((endpoint) => {
      const found = wanted.get(endpointKey(endpoint));
      return found !== undefined && isSameEndpoint(found, endpoint);
    }) &&
    sameJson(without(labels, managedByLabel, serviceNameLabel), endpoints.metadata.labels ?? {}) &&
    sameJson(annotations ?? {}, mirroredAnnotations(endpoints))
  );
}

/** The slice of a group. */
function mirrored(
  endpoints: Endpoints,
  { type, ports, endpoints: wanted }: MirroredGroup,
  capacity: number,
): WantedSlice {
  const { name = "", namespace, labels } = endpoints.metadata;
  const slice = {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      namespace,
      labels: { ...labels, [serviceNameLabel]: name, [managedByLabel]: manager },
      annotations: mirroredAnnotations(endpoints),
    },
    addressType: type,
    endpoints: [...wanted.values()].slice(0, capacity),
    ports,
  } as const;
  return withController(slice, { ...endpoints, apiVersion: "v1", kind: "Endpoints" });
}

/** The annotations of Endpoints that are copied to slices. */
const mirroredAnnotations = ({ metadata }: Endpoints): Record<string, string> =>
  without(
    metadata.annotations,
    triggerTimeAnnotation,
    "kubectl.kubernetes.io/last-applied-configuration",
  );

const without = (
  entries: Readonly<Record<string, string>> = {},
  ...names: readonly string[]
): Record<string, string> =>
  Object.fromEntries(Object.entries(entries).filter(([name]) => !names.includes(name)));

const nameOf = ({ metadata }: WantedSlice): string => metadata.name ?? "";
