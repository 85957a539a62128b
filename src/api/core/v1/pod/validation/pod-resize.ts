import type { At } from "../../../../../schema/language/report.ts";
import type { Draft } from "../../../../../schema/language/struct.ts";
import type { ObjectMeta } from "../../../../meta/v1/object-meta.ts";
import { semanticEqual } from "../../../../meta/v1/semantic-equal.ts";
import { Container } from "../../container/container.ts";
import { ResourceRequirements } from "../../container/resource-requirements.ts";
import type { ResourceList } from "../../resource-list.ts";
import { mirrorPodAnnotation } from "../pod-annotations.ts";
import { dropDisabledPodFields } from "../pod-disabled-fields.ts";
import { computePodQosClass, podQosClass } from "../pod-qos.ts";
import { PodSpec } from "../pod-spec.ts";
import type { PodStatus } from "../pod-status.ts";
import { keepAllBut, type PodDraft, validateWholePod } from "./pod-subresource-update.ts";

interface PodLike {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
  readonly status: PodStatus;
}

/** Through this subresource, nothing but resources and resize policies change. */
export function preparePodResize(pod: PodDraft, old: PodDraft): void {
  const { containers, initContainers = [], resources } = pod.spec;
  const sameNumber =
    (containers ?? []).length === (old.spec.containers ?? []).length &&
    initContainers.length === (old.spec.initContainers ?? []).length;
  // Containers that come or go are left as they are, for validation to refuse.
  if (!sameNumber) {
    dropDisabledPodFields(pod.spec, old.spec);
    return;
  }
  keepAllBut(pod, old, {
    resources,
    containers: withResourcesOf(containers ?? [], old.spec.containers ?? []),
    ...(initContainers.length > 0
      ? { initContainers: withResourcesOf(initContainers, old.spec.initContainers ?? []) }
      : {}),
  } as Partial<Draft<PodSpec>>);
}

type ContainerDraft = Draft<Container>;

function withResourcesOf(
  containers: ContainerDraft[],
  old: readonly ContainerDraft[],
): ContainerDraft[] {
  if (containers.some(({ name }, i) => name !== old[i]?.name)) return containers;
  return containers.map(({ resources, resizePolicy }, i) => ({
    ...(old[i] as ContainerDraft),
    resources,
    resizePolicy,
  }));
}

/** Resources of a running pod: cpu and memory change, nothing is taken away, the class stays. */
export function validatePodResize(pod: PodLike, old: PodLike, at: At): void {
  const refusal = refusalOf(old);
  if (refusal) {
    at.forbidden("[]", refusal);
    return;
  }
  const before = at.errors.length;
  validateWholePod(pod, old, at);
  const here = at.child("spec");
  if (podQosClass(old) !== computePodQosClass(pod))
    here.invalid(
      "",
      pod.status.qosClass ?? "",
      "Pod QOS Class may not change as a result of resizing",
    );
  if (!nodeCanResize(old.status))
    here.forbidden("", "Pod running on node without support for resize");
  validateWholeResources(pod.spec, old.spec, here);
  if (old.status.nodeAllocatableResourceClaimStatuses?.length)
    here.forbidden("", "pods with node allocatable resource claims cannot be resized");
  if (!validateOrder(pod.spec, old.spec, here)) return;
  validateRemovals(pod.spec, old.spec, here);
  validateContainers(pod.spec, old.spec, here);
  validateInitContainers(pod.spec, old.spec, here);
  if (at.errors.length > before) return;
  if (!semanticEqual(PodSpec, unresized(pod.spec, old.spec), old.spec))
    here.forbidden("", "only cpu and memory resources are mutable");
}

function refusalOf({ metadata, spec }: PodLike): string | undefined {
  if (Object.hasOwn(metadata.annotations ?? {}, mirrorPodAnnotation))
    return "static pods cannot be resized";
  return spec.os?.name === "windows" ? "windows pods cannot be resized" : undefined;
}

/** A node that can resize tells the resources of what runs; without that, it is assumed. */
function nodeCanResize({ containerStatuses = [] }: PodStatus): boolean {
  const running = containerStatuses.find(({ state }) => state.running);
  return !running || running.resources !== undefined;
}

const isSet = ({ resources }: PodSpec): boolean =>
  Object.keys({ ...resources?.requests, ...resources?.limits }).length > 0;

function validateWholeResources(spec: PodSpec, old: PodSpec, at: At): void {
  if (!isSet(spec) && !isSet(old)) return;
  if (old.resources && !spec.resources) {
    at.forbidden("resources", "pod-level resources cannot be removed");
    return;
  }
  if (old.resources)
    for (const side of ["requests", "limits"] as const)
      if (isRemoved(spec.resources?.[side], old.resources[side]))
        at.forbidden(`resources.${side}`, `pod-level resource ${side} cannot be removed`);
  const masked = maskedWhole(spec.resources, old.resources);
  if (!sameResources(masked, old.resources))
    at.forbidden("", "only cpu and memory resources are mutable at pod-level");
}

function sameResources(
  a: ResourceRequirements | undefined,
  b: ResourceRequirements | undefined,
): boolean {
  return a && b ? semanticEqual(ResourceRequirements, a, b) : a === b;
}

function validateOrder(spec: PodSpec, old: PodSpec, at: At): boolean {
  const before = at.errors.length;
  for (const list of ["containers", "initContainers"] as const) {
    const now = spec[list] ?? [];
    const then = old[list] ?? [];
    if (now.length !== then.length)
      at.forbidden(list, `${list} may not be added or removed on resize`);
    else
      for (const [i, { name }] of then.entries())
        if (now[i]?.name !== name)
          at.child(list)
            .index(i)
            .forbidden("name", `${list} may not be renamed or reordered on resize`);
  }
  return at.errors.length === before;
}

function validateRemovals(spec: PodSpec, old: PodSpec, at: At): void {
  for (const list of ["initContainers", "containers"] as const)
    for (const [i, { resources }] of (old[list] ?? []).entries())
      for (const side of ["requests", "limits"] as const)
        if (isRemoved(spec[list]?.[i]?.resources[side], resources[side]))
          at.child(list)
            .index(i)
            .child("resources")
            .forbidden(side, `resource ${side} cannot be removed`);
}

const isRemoved = (list: ResourceList = {}, old: ResourceList = {}): boolean =>
  Object.keys(old).some((name) => !Object.hasOwn(list, name));

function validateContainers(spec: PodSpec, old: PodSpec, at: At): void {
  for (const [i, container] of (spec.containers ?? []).entries()) {
    const before = old.containers[i] as Container;
    if (!semanticEqual(Container, masked(container, before), before))
      at.forbidden("", "only cpu and memory resources are mutable");
  }
}

function validateInitContainers(spec: PodSpec, old: PodSpec, at: At): void {
  for (const [i, container] of (spec.initContainers ?? []).entries()) {
    const before = old.initContainers?.[i] as Container;
    const here = at.child("initContainers").index(i);
    if (!semanticEqual(Container, masked(container, before), before))
      here.forbidden(
        "",
        "only cpu and memory resources for init or sidecar containers are mutable",
      );
    if (container.restartPolicy === "Always" || semanticEqual(Container, container, before))
      continue;
    for (const { restartPolicy } of container.resizePolicy ?? [])
      if (restartPolicy === "RestartContainer")
        here.forbidden(
          "",
          "non-sidecar init containers with a resize policy of RestartContainer cannot be resized",
        );
  }
}

/** The spec with cpu and memory as they were. */
function unresized(spec: PodSpec, old: PodSpec): PodSpec {
  const unsized = (containers: readonly Container[], before: readonly Container[]) =>
    containers.map((container, i) => masked(container, before[i] as Container));
  return {
    ...spec,
    resources:
      isSet(spec) || isSet(old) ? maskedWhole(spec.resources, old.resources) : spec.resources,
    containers: unsized(spec.containers ?? [], old.containers ?? []),
    initContainers: unsized(spec.initContainers ?? [], old.initContainers ?? []),
  };
}

const masked = (container: Container, { resources }: Container): Container => ({
  ...container,
  resources: {
    limits: withOld(container.resources.limits, resources.limits),
    requests: withOld(container.resources.requests, resources.requests),
  },
});

function maskedWhole(
  resources: ResourceRequirements | undefined,
  old: ResourceRequirements | undefined,
): ResourceRequirements | undefined {
  if (!resources) return undefined;
  const limits = withOld(resources.limits, old?.limits);
  const requests = withOld(resources.requests, old?.requests);
  const isNew = !old && !resources.claims?.length;
  if (isNew && Object.keys({ ...limits, ...requests }).length === 0) return undefined;
  return { ...resources, limits, requests };
}

function withOld(list: ResourceList = {}, old: ResourceList = {}): ResourceList {
  const { cpu: _, memory: __, ...others } = list;
  const { cpu, memory } = old;
  return {
    ...others,
    ...(cpu === undefined ? {} : { cpu }),
    ...(memory === undefined ? {} : { memory }),
  };
}
