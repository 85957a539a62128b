import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { podRequests } from "../../api/core/v1/pod/pod-requests.ts";
import { isPodLevelResource } from "../../api/core/v1/resource-name.ts";
import { parseQuantity, quantityMilliValue } from "../../schema/values/quantity.ts";

/** What is measured: a resource, of a container or of whole pods. */
export interface MeasuredResource {
  readonly resource: string;
  readonly container?: string | undefined;
}

/** How much of a resource each pod requests, in thousandths by name; throws if one requests none. */
export const requestedAmounts = (
  pods: readonly Pod[],
  measured: MeasuredResource,
): ReadonlyMap<string, number> =>
  new Map(pods.map((pod) => [pod.metadata.name ?? "", requestedAmount(pod, measured)]));

function requestedAmount(pod: Pod, { resource, container }: MeasuredResource): number {
  const { name = "" } = pod.metadata;
  const { spec } = pod;
  const ofPod = Object.keys(spec.resources?.requests ?? {}).some(isPodLevelResource);
  if (ofPod && container === undefined) {
    const request = podRequests(spec)[resource];
    if (request === undefined)
      throw new Error(`missing pod-level request for ${resource} in Pod ${name}`);
    return millis(request);
  }
  const sidecars = (spec.initContainers ?? []).filter(
    ({ restartPolicy }) => restartPolicy === "Always",
  );
  const all = [...(spec.containers ?? []), ...sidecars];
  const counted = container === undefined ? all : all.filter((one) => one.name === container);
  if (container !== undefined && counted.length === 0)
    throw new Error(`container ${container} not found in Pod ${name}`);
  return counted.reduce((sum, one) => {
    const request = one.resources?.requests?.[resource];
    if (request === undefined)
      throw new Error(`missing request for ${resource} in container ${one.name} of Pod ${name}`);
    return sum + millis(request);
  }, 0);
}

const millis = (amount: string | number): number =>
  quantityMilliValue(parseQuantity(String(amount)));
