import type { EndpointAddress, EndpointSubset } from "../../api/core/v1/service/endpoint-subset.ts";
import type { Endpoints } from "../../api/core/v1/service/endpoints.ts";
import type { Service } from "../../api/core/v1/service/service.ts";
import { headlessLabel } from "../../api/discovery/v1/endpoint-slice.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { repackSubsets } from "./repack-subsets.ts";
import { hasClusterIp } from "./services-of-pod.ts";
import { withTriggerTime } from "./trigger-times.ts";

/** The maximum number of addresses in Endpoints. */
const capacity = 1000;
const overCapacityAnnotation = "endpoints.kubernetes.io/over-capacity";
const managedByLabel = "endpoints.kubernetes.io/managed-by";
const manager = "endpoint-controller";

/** Endpoints to write: the existing ones with changes, or new ones. */
export type WantedEndpoints = Pick<Endpoints, "apiVersion" | "kind" | "metadata" | "subsets">;

/** The Endpoints of a service; undefined if `current` is up to date. */
export function wantedEndpoints(
  service: Service,
  subsets: readonly EndpointSubset[],
  { current, triggerTime }: { current: Endpoints | undefined; triggerTime: string | undefined },
): WantedEndpoints | undefined {
  if (current && isUpToDate(current, service, subsets)) return undefined;
  const { [headlessLabel]: _, ...labels } = service.metadata.labels ?? {};
  const kept = truncated(subsets);
  const { [overCapacityAnnotation]: _over, ...annotations } = withTriggerTime(
    current?.metadata.annotations,
    triggerTime,
  );
  return {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: {
      ...(current?.metadata ?? { name: service.metadata.name ?? "" }),
      labels: {
        ...labels,
        ...(!hasClusterIp(service) && { [headlessLabel]: "" }),
        [managedByLabel]: manager,
      },
      annotations: { ...annotations, ...(kept && { [overCapacityAnnotation]: "truncated" }) },
    },
    subsets: kept ?? subsets,
  };
}

function isUpToDate(
  { metadata, subsets = [] }: Endpoints,
  service: Service,
  wanted: readonly EndpointSubset[],
): boolean {
  const { labels = {}, annotations = {} } = metadata;
  const isSame = (told: readonly EndpointSubset[]): boolean =>
    sameJson(told.map(comparable), wanted.map(comparable));
  return (
    !(overCapacityAnnotation in annotations) &&
    sizeOf(subsets) <= capacity &&
    areLabelsRight(labels, service.metadata.labels ?? {}) &&
    (isSame(subsets) || isSame(repackSubsets(subsets)))
  );
}

type Labels = Readonly<Record<string, string>>;

/** Whether labels are those of the service and of the controller; the headless label does not matter. */
function areLabelsRight(labels: Labels, wanted: Labels): boolean {
  if (labels[managedByLabel] !== manager) return false;
  const { [managedByLabel]: _, [headlessLabel]: _h, ...rest } = labels;
  return sameJson(rest, wanted);
}

/** A subset without irrelevant parts: empty lists, and the versions of pods. */
function comparable({ addresses = [], notReadyAddresses = [], ports = [] }: EndpointSubset) {
  const plain = ({ targetRef, ...rest }: EndpointAddress) => {
    if (!targetRef) return rest;
    const { resourceVersion: _, ...reference } = targetRef;
    return { ...rest, targetRef: reference };
  };
  return { ready: addresses.map(plain), waiting: notReadyAddresses.map(plain), ports };
}

const sizeOf = (subsets: readonly EndpointSubset[]): number =>
  subsets.reduce(
    (sum, { addresses = [], notReadyAddresses = [] }) =>
      sum + addresses.length + notReadyAddresses.length,
    0,
  );

/**
 * The addresses within the limit: ready ones first, and the same share of each subset; undefined if all
 * are within the limit.
 */
function truncated(subsets: readonly EndpointSubset[]): readonly EndpointSubset[] | undefined {
  if (sizeOf(subsets) <= capacity) return undefined;
  const ready = subsets.reduce((sum, { addresses = [] }) => sum + addresses.length, 0);
  const isReadyCut = ready > capacity;
  const room = isReadyCut ? capacity : capacity - ready;
  const total = isReadyCut ? ready : sizeOf(subsets) - ready;
  let left = room;
  return subsets.map((subset) => {
    const { addresses = [], notReadyAddresses = [], ...rest } = subset;
    const all = isReadyCut ? addresses : notReadyAddresses;
    const kept = all.slice(0, Math.min(Math.ceil((all.length / total) * room), left));
    left -= kept.length;
    return isReadyCut
      ? { ...rest, addresses: kept }
      : { ...rest, addresses, notReadyAddresses: kept };
  });
}
