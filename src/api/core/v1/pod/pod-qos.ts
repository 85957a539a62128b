import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
  quantitySign,
} from "../../../../schema/values/quantity.ts";
import type { Container } from "../container/container.ts";
import type { ResourceRequirements } from "../container/resource-requirements.ts";
import type { ResourceList } from "../resource-list.ts";

export type PodQosClass = "Guaranteed" | "Burstable" | "BestEffort";

/** What of a pod decides on its class. */
export interface QosPod {
  readonly spec: {
    /** Null where the client left them out: the class is computed before validation. */
    readonly containers: readonly Pick<Container, "resources">[] | null;
    readonly initContainers?: readonly Pick<Container, "resources">[] | undefined;
    readonly resources?: ResourceRequirements | undefined;
  };
  readonly status?: { readonly qosClass?: string | undefined } | undefined;
}

/** The quality of service class of a pod: as its status has it, or as its resources say. */
export const podQosClass = (pod: QosPod): string => pod.status?.qosClass || computePodQosClass(pod);

/**
 * The class that a pod's cpu and memory say: best effort if it asks for none, guaranteed if limits
 * for both are set everywhere and equal the requests, else burstable.
 */
export function computePodQosClass({ spec }: QosPod): PodQosClass {
  const { containers, initContainers = [], resources } = spec;
  const sources = resources
    ? [resources]
    : [...(containers ?? []), ...initContainers].map((container) => container.resources);
  const requests = total(sources.map((source) => source.requests));
  const limits = total(sources.map((source) => source.limits));
  if (requests.size === 0 && limits.size === 0) return "BestEffort";
  const limited = sources.every((source) => total([source.limits]).size === 2);
  return limited && sameAmounts(requests, limits) ? "Guaranteed" : "Burstable";
}

type Amounts = ReadonlyMap<string, Quantity>;

/** The sums of what counts: cpu and memory above zero. */
function total(lists: readonly (ResourceList | undefined)[]): Amounts {
  const sums = new Map<string, Quantity>();
  for (const list of lists)
    for (const name of ["cpu", "memory"]) {
      const amount = list?.[name];
      if (amount === undefined) continue;
      const quantity = parseQuantity(amount);
      if (quantitySign(quantity) <= 0) continue;
      const sum = sums.get(name);
      sums.set(name, sum ? addQuantities(sum, quantity) : quantity);
    }
  return sums;
}

function sameAmounts(requests: Amounts, limits: Amounts): boolean {
  if (requests.size !== limits.size) return false;
  return [...requests].every(([name, request]) => {
    const limit = limits.get(name);
    return limit !== undefined && compareQuantities(request, limit) === 0;
  });
}
