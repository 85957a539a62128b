import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { isPodLevelResource } from "../../api/core/v1/resource-name.ts";
import { type MilliAmounts, milliOf } from "./resource.ts";

export interface PodAmountsOptions {
  /** Includes the allocated resources in the status, which differ from the spec during a resize. */
  readonly withStatus?: boolean | undefined;
  /** Requests of containers that have none, in thousandths. */
  readonly missing?: MilliAmounts | undefined;
  /** Ignores pod-level requests. */
  readonly skipPodLevel?: boolean | undefined;
}

type Container = Pod["spec"]["containers"][number];
type Amounts = Readonly<Record<string, string | number>>;

/**
 * Returns the requests of a pod, in thousandths: the maximum of the containers with all sidecars, and of
 * each init container with the sidecars before it. Pod-level requests replace that, and overhead is
 * added.
 */
export function podAmounts(pod: Pod, options: PodAmountsOptions = {}): MilliAmounts {
  const { spec, status } = pod;
  const amounts = containerAmounts(pod, options);
  const podLevel = options.skipPodLevel ? undefined : spec.resources?.requests;
  if (podLevel) {
    const inForce =
      options.withStatus && status.resources
        ? inForceAmounts(pod, podLevel, {
            actuated: status.resources.requests,
            allocated: status.allocatedResources,
          })
        : undefined;
    for (const name in podLevel)
      if (isPodLevelResource(name))
        amounts.set(name, inForce ? (inForce.get(name) ?? 0) : milliOf(podLevel[name] ?? "0"));
  }
  if (spec.overhead) add(amounts, amountsOf(spec.overhead));
  return amounts;
}

/** Whether a pod has pod-level requests. */
export function hasPodLevelRequests({ spec }: Pod): boolean {
  return Object.keys(spec.resources?.requests ?? {}).some((name) => isPodLevelResource(name));
}

function containerAmounts(pod: Pod, options: PodAmountsOptions): MilliAmounts {
  const { containers, initContainers = [] } = pod.spec;
  const sum: MilliAmounts = new Map();
  for (const container of containers) add(sum, containerRequests(pod, container, options));
  if (initContainers.length === 0) return sum;
  const most: MilliAmounts = new Map();
  const sidecars: MilliAmounts = new Map();
  for (const container of initContainers) {
    const isSidecar = container.restartPolicy === "Always";
    const asked = containerRequests(
      pod,
      container,
      isSidecar ? options : { missing: options.missing },
    );
    if (isSidecar) {
      add(sum, asked);
      add(sidecars, asked);
      raise(most, sidecars);
    } else {
      add(asked, sidecars);
      raise(most, asked);
    }
  }
  raise(sum, most);
  return sum;
}

/** Returns the requests of a container, in a map that the caller may modify. */
function containerRequests(
  pod: Pod,
  container: Container,
  options: PodAmountsOptions,
): MilliAmounts {
  const { withStatus, missing } = options;
  const requests = container.resources?.requests;
  const status = withStatus ? containerStatus(pod, container.name) : undefined;
  const asked = status?.resources
    ? inForceAmounts(pod, requests, {
        actuated: status.resources.requests,
        allocated: status.allocatedResources,
      })
    : amountsOf(requests);
  for (const [name, amount] of missing ?? []) if (!asked.has(name)) asked.set(name, amount);
  return asked;
}

const containerStatus = ({ status }: Pod, name: string) =>
  status.containerStatuses?.find((one) => one.name === name) ??
  status.initContainerStatuses?.find((one) => one.name === name);

/** Returns the maximum of requested and allocated resources; an infeasible request does not count. */
function inForceAmounts(
  { status }: Pod,
  asked: Amounts | undefined,
  given: { readonly actuated?: Amounts | undefined; readonly allocated?: Amounts | undefined },
): MilliAmounts {
  const resize = status.conditions?.find(({ type }) => type === "PodResizePending");
  const amounts = amountsOf(resize?.reason === "Infeasible" ? undefined : asked);
  raise(amounts, amountsOf(given.actuated));
  raise(amounts, amountsOf(given.allocated));
  return amounts;
}

function amountsOf(list: Amounts | undefined): MilliAmounts {
  const amounts: MilliAmounts = new Map();
  for (const name in list) amounts.set(name, milliOf(list[name] ?? "0"));
  return amounts;
}

function add(amounts: MilliAmounts, more: MilliAmounts): void {
  for (const [name, amount] of more) amounts.set(name, (amounts.get(name) ?? 0) + amount);
}

function raise(amounts: MilliAmounts, other: MilliAmounts): void {
  for (const [name, amount] of other) {
    const present = amounts.get(name);
    if (present === undefined || amount > present) amounts.set(name, amount);
  }
}
