import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { isPodLevelResource } from "../../api/core/v1/resource-name.ts";
import { type MilliAmounts, milliOf } from "./resource.ts";

export interface PodAmountsOptions {
  /** Whether what is in force on the node counts, too, where it differs from what is asked for. */
  readonly withStatus?: boolean | undefined;
  /** What each container is taken to ask for that does not say so, in thousandths. */
  readonly missing?: MilliAmounts | undefined;
  /** Whether what the pod says of itself as a whole is left out. */
  readonly skipPodLevel?: boolean | undefined;
}

type Container = Pod["spec"]["containers"][number];
type Amounts = Readonly<Record<string, string | number>>;

/**
 * What a pod asks for, in thousandths. Containers and sidecars run side by side, an init container
 * beside the sidecars before it: the most counts. What the pod says of itself as a whole counts more,
 * and its overhead comes on top.
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

/** Whether a pod says how much it needs as a whole. */
export function hasPodLevelRequests({ spec }: Pod): boolean {
  return Object.keys(spec.resources?.requests ?? {}).some((name) => isPodLevelResource(name));
}

function containerAmounts(pod: Pod, options: PodAmountsOptions): MilliAmounts {
  const { containers, initContainers = [] } = pod.spec;
  const sum: MilliAmounts = new Map();
  for (const container of containers) add(sum, askedBy(pod, container, options));
  if (initContainers.length === 0) return sum;
  const most: MilliAmounts = new Map();
  const sidecars: MilliAmounts = new Map();
  for (const container of initContainers) {
    const isSidecar = container.restartPolicy === "Always";
    const asked = askedBy(pod, container, isSidecar ? options : { missing: options.missing });
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

/** What a container asks for, as a map that nobody else has. */
function askedBy(pod: Pod, container: Container, options: PodAmountsOptions): MilliAmounts {
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

/** The most of what is asked for and what the node gives; not what it will never give. */
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
