import type { Container } from "../../../api/core/v1/container/container.ts";
import type { Node } from "../../../api/core/v1/node/node.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { sameJson } from "../../../schema/json/json-value.ts";
import { type Amounts, lackOf } from "../admit-pod.ts";
import { NodeUse } from "../node-use.ts";
import type { PodResources } from "./allocation-store.ts";

type PodSpec = Pod["spec"];

/** The spec of a pod that ran before with its allocated resources: those stored, or in the status of its containers. */
export function knownAllocation({ spec, status }: Pod, stored: PodResources | undefined): PodSpec {
  if (stored) return unlessSame(withPodResources(spec, stored), spec);
  const statuses = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];
  if (statuses.length === 0) return spec;
  const known = withResources(spec, (container) => {
    const one = statuses.find(({ name }) => name === container.name);
    return one?.containerID === undefined ? undefined : one.resources;
  });
  return unlessSame(known, spec);
}

function withPodResources(spec: PodSpec, { pod, containers }: PodResources): PodSpec {
  const known = withResources(spec, ({ name }) => containers[name]);
  return { ...known, ...(pod && { resources: pod }) };
}

const unlessSame = (known: PodSpec, spec: PodSpec): PodSpec =>
  hasSameResources(known, spec) ? spec : known;

/** A pod with its allocated resources instead of the requested ones. */
export function allocatedPod(pod: Pod, allocated: PodSpec): Pod {
  if (pod.spec === allocated || hasSameResources(pod.spec, allocated)) return pod;
  const all = [...(allocated.containers ?? []), ...(allocated.initContainers ?? [])];
  const spec = withResources(
    pod.spec,
    (container) => all.find(({ name }) => name === container.name)?.resources,
  );
  return {
    ...pod,
    spec: { ...spec, ...(allocated.resources && { resources: allocated.resources }) },
  };
}

/** Whether two specs request the same resources, for the pod and each container. */
export const hasSameResources = (a: PodSpec, b: PodSpec): boolean =>
  sameJson(resourcesOf(a), resourcesOf(b));

const resourcesOf = ({ containers, initContainers = [], resources: whole = {} }: PodSpec) => [
  whole,
  ...[...(containers ?? []), ...initContainers].map(({ name, resources }) => [
    name,
    resources ?? {},
  ]),
];

/** Why a resize is not possible: infeasible on this node, or deferred. */
export interface ResizeRefusal {
  readonly reason: "Infeasible" | "Deferred";
  readonly message: string;
}

/** Decides whether a resize fits the node; undefined if it does. */
export function refuseResize(pod: Pod, node: Node, others: NodeUse): ResizeRefusal | undefined {
  const never = lackOf(pod, node, new NodeUse());
  if (never) return { reason: "Infeasible", message: capacityText(never) };
  const now = lackOf(pod, node, others);
  return now && { reason: "Deferred", message: now.message };
}

const capacityText = ({ name, requested, capacity }: Amounts): string =>
  `Node didn't have enough capacity: ${name}, requested: ${requested}, capacity: ${capacity}`;

/** The message of a resize event: what the containers of the pod request. */
export function resizeText(pod: Pod, what: string, error = ""): string {
  const summary = (list: readonly Container[] | null | undefined) =>
    (list ?? []).map(({ name, resources = {} }) => ({ name, resources: inOrder(resources) }));
  const initContainers = summary(pod.spec.initContainers);
  const requested = {
    ...(initContainers.length > 0 && { initContainers }),
    containers: summary(pod.spec.containers),
    generation: pod.metadata.generation ?? 0,
    ...(error !== "" && { error }),
  };
  return `Pod resize ${what}: ${JSON.stringify(requested)}`;
}

const inOrder = ({ limits, requests }: Partial<Container["resources"]>) => ({
  ...(limits && { limits: sorted(limits) }),
  ...(requests && { requests: sorted(requests) }),
});

const sorted = (amounts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(amounts).sort(([a], [b]) => (a < b ? -1 : 1)));

function withResources(
  spec: PodSpec,
  resources: (container: Container) => Container["resources"] | undefined,
): PodSpec {
  const changed = (container: Container): Container => {
    const own = resources(container);
    return own ? { ...container, resources: own } : container;
  };
  return {
    ...spec,
    containers: (spec.containers ?? []).map(changed),
    ...(spec.initContainers && { initContainers: spec.initContainers.map(changed) }),
  } as PodSpec;
}
