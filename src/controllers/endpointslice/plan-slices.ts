import type { Service } from "../../api/core/v1/service/service.ts";
import type { Endpoint, EndpointPort } from "../../api/discovery/v1/endpoint.ts";
import {
  type EndpointSlice,
  headlessLabel,
  managedByLabel,
  serviceNameLabel,
} from "../../api/discovery/v1/endpoint-slice.ts";
import { withController } from "../../controller-runtime/objects/owner-references.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { hasClusterIp } from "../endpoints/services-of-pod.ts";
import { type AddressType, type EndpointGroup, portsKey } from "./endpoint-groups.ts";
import { placeEndpoints } from "./place-endpoints.ts";

/** The value of the managed-by label of slices. */
export const manager = "endpointslice-controller.k8s.io";

/** A slice to write. */
export type WantedSlice = Pick<
  EndpointSlice,
  "apiVersion" | "kind" | "metadata" | "addressType" | "endpoints" | "ports"
>;

/** The writes that bring slices to the desired state. */
export interface SlicePlan {
  readonly create: readonly WantedSlice[];
  readonly update: readonly WantedSlice[];
  readonly delete: readonly EndpointSlice[];
  readonly unchanged: readonly EndpointSlice[];
}

export interface PlanFacts {
  readonly type: AddressType;
  /** The existing slices of this address family, in any order. */
  readonly slices: readonly EndpointSlice[];
  readonly groups: ReadonlyMap<string, EndpointGroup>;
  readonly capacity: number;
}

/** Plans the slices of a service in one address family. */
export function planSlices(service: Service, facts: PlanFacts): SlicePlan {
  const { type, groups } = facts;
  const slices = facts.slices.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const byPorts = new Map<string, EndpointSlice[]>();
  for (const slice of slices.filter((one) => isOwnedBy(one, service))) {
    const key = portsKey(slice.ports ?? []);
    byPorts.set(key, [...(byPorts.get(key) ?? []), slice]);
  }
  const plans = [...groups].map(([key, group]) =>
    planGroup(service, group, { ...facts, slices: byPorts.get(key) ?? [] }),
  );
  const create = plans.flatMap((plan) => plan.create);
  const update = plans.flatMap((plan) => plan.update);
  const surplus = [
    ...slices.filter((slice) => !isOwnedBy(slice, service)),
    ...plans.flatMap((plan) => plan.delete),
    ...[...byPorts].flatMap(([key, present]) => (groups.has(key) ? [] : present)),
  ];

  // Every service has a slice, even if it is empty.
  if (surplus.length === slices.length && create.length === 0) {
    const placeholder = newSlice(service, type, { ports: [], endpoints: [] });
    const [only] = surplus;
    if (surplus.length === 1 && only && isPlaceholder(only, placeholder)) surplus.length = 0;
    else create.push(placeholder);
  }
  const touched = new Set([...update, ...surplus].map(nameOf));
  const unchanged = slices.filter((slice) => !touched.has(nameOf(slice)));
  return { create, update, delete: surplus, unchanged };
}

/** Plans the slices of endpoints that have the same ports. */
function planGroup(
  service: Service,
  { ports, endpoints }: EndpointGroup,
  { type, slices, capacity }: PlanFacts,
): Omit<SlicePlan, "unchanged"> {
  const present = slices.map((slice) => ({
    name: nameOf(slice),
    endpoints: slice.endpoints ?? [],
    isDue: !hasLabelsOf(slice, service),
  }));
  const { changed, emptied, added } = placeEndpoints(endpoints, present, capacity);
  const labels = sliceLabels(service);
  return {
    create: added.map((some) => newSlice(service, type, { ports, endpoints: some })),
    update: slices.flatMap((slice) => {
      const some = changed.get(nameOf(slice));
      return some ? [{ ...slice, metadata: { ...slice.metadata, labels }, endpoints: some }] : [];
    }),
    delete: slices.filter((slice) => emptied.includes(nameOf(slice))),
  };
}

/** The plan that reuses slices to delete for slices to create. */
export function withReuse(plan: SlicePlan, service: Service): SlicePlan {
  const create = [...plan.create];
  const update = [...plan.update];
  const remaining = plan.delete.filter((old) => {
    const next = create.at(-1);
    // A slice of a former service of this name will be garbage collected.
    if (!next || old.addressType !== next.addressType || !isOwnedBy(old, service)) return true;
    create.pop();
    update.push({ ...next, metadata: { ...next.metadata, name: nameOf(old) } });
    return false;
  });
  return { ...plan, create, update, delete: remaining };
}

function newSlice(
  service: Service,
  addressType: AddressType,
  { ports, endpoints }: { ports: readonly EndpointPort[]; endpoints: readonly Endpoint[] },
): WantedSlice {
  const { name = "", namespace } = service.metadata;
  const slice = {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: sliceLabels(service),
    },
    addressType,
    endpoints,
    ports,
  } as const;
  return withController(slice, { ...service, apiVersion: "v1", kind: "Service" });
}

const reserved = [serviceNameLabel, managedByLabel, headlessLabel];

/** The labels of a slice: those of its service, and its own. */
const sliceLabels = (service: Service): Record<string, string> => ({
  ...withoutReserved(service.metadata.labels),
  ...(!hasClusterIp(service) && { [headlessLabel]: "" }),
  [serviceNameLabel]: service.metadata.name ?? "",
  [managedByLabel]: manager,
});

const hasLabelsOf = (slice: EndpointSlice, service: Service): boolean =>
  sameJson(withoutReserved(slice.metadata.labels), withoutReserved(service.metadata.labels));

const withoutReserved = (labels: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).filter(([key]) => !reserved.includes(key)));

const isPlaceholder = (slice: EndpointSlice, placeholder: WantedSlice): boolean =>
  (slice.endpoints ?? []).length === 0 &&
  (slice.ports ?? []).length === 0 &&
  sameJson(slice.metadata.labels ?? {}, placeholder.metadata.labels);

/** Whether a slice is owned by this service, by uid. */
const isOwnedBy = ({ metadata }: EndpointSlice, service: Service): boolean =>
  (metadata.ownerReferences ?? []).some(
    ({ apiVersion, kind, uid }) =>
      uid === service.metadata.uid && kind === "Service" && apiVersion === "v1",
  );

const nameOf = ({ metadata }: WantedSlice): string => metadata.name ?? "";
