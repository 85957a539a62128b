import { At } from "../../../../schema/language/report.ts";
import type { Draft } from "../../../../schema/language/struct.ts";
import { sameValue } from "../../../../schema/language/validate.ts";
import type { ObjectMeta } from "../../../meta/v1/object-meta.ts";
import { validateAppArmorProfile } from "../container/security-profile.ts";
import { mergeMatchLabelKeys } from "../scheduling/match-label-keys.ts";
import { appArmorContainerPrefix, appArmorProfileOf } from "./pod-annotations.ts";
import { dropDisabledPodFields, dropDisabledPodStatusFields } from "./pod-disabled-fields.ts";
import { podQosClass } from "./pod-qos.ts";
import type { PodSpec } from "./pod-spec.ts";
import type { PodCondition, PodStatus } from "./pod-status.ts";

interface PodLike {
  metadata: Draft<ObjectMeta>;
  spec: Draft<PodSpec>;
  status: Draft<PodStatus>;
}

/** What a new pod becomes before it is validated: pending, in its class, its selectors complete. */
export function prepareNewPod(pod: PodLike): void {
  const { metadata, spec } = pod;
  metadata.generation = 1;
  const conditions = spec.schedulingGates?.length ? [gatedCondition(metadata)] : undefined;
  pod.status = {
    phase: "Pending",
    ...(conditions ? { conditions } : {}),
    qosClass: podQosClass({
      status: pod.status,
      spec: { ...spec, containers: spec.containers ?? [] },
    }),
  };
  dropDisabledPodFields(spec, undefined);
  for (const group of [spec.affinity?.podAffinity, spec.affinity?.podAntiAffinity]) {
    for (const { podAffinityTerm } of group?.preferredDuringSchedulingIgnoredDuringExecution ?? [])
      mergeMatchLabelKeys(podAffinityTerm, metadata.labels);
    for (const term of group?.requiredDuringSchedulingIgnoredDuringExecution ?? [])
      mergeMatchLabelKeys(term, metadata.labels);
  }
  for (const constraint of spec.topologySpreadConstraints ?? [])
    mergeMatchLabelKeys(constraint, metadata.labels);
  applyAppArmorAnnotations(pod);
}

const gatedCondition = ({ creationTimestamp }: Draft<ObjectMeta>): Draft<PodCondition> => ({
  type: "PodScheduled",
  status: "False",
  lastProbeTime: null as never,
  lastTransitionTime: (creationTimestamp ?? null) as never,
  reason: "SchedulingGated",
  message: "Scheduling is blocked due to non-empty scheduling gates",
});

/** Profiles that stand in annotations, as older clients write them, are put into the fields. */
function applyAppArmorAnnotations({ metadata, spec }: PodLike): void {
  if (spec.os?.name === "windows") return;
  for (const list of ["initContainers", "containers", "ephemeralContainers"] as const)
    for (const container of spec[list] ?? []) {
      const annotation = metadata.annotations?.[appArmorContainerPrefix + container.name];
      if (annotation === undefined || container.securityContext?.appArmorProfile) continue;
      const profile = appArmorProfileOf(annotation);
      if (!profile || sameValue(profile, spec.securityContext?.appArmorProfile)) continue;
      const at = At.root();
      validateAppArmorProfile(profile, at);
      if (at.errors.length > 0) continue;
      container.securityContext ??= {};
      container.securityContext.appArmorProfile = { ...profile };
    }
}

/** What an update of the status becomes before it is validated: nothing but a status. */
export function preparePodStatus(pod: PodLike, old: PodLike): void {
  pod.spec = old.spec;
  const { status } = pod;
  // Asking for deletion, and belonging to someone else, is not for the status to say.
  delete pod.metadata.deletionTimestamp;
  pod.metadata.ownerReferences = old.metadata.ownerReferences;
  status.qosClass ||= old.status.qosClass;
  status.observedGeneration ||= old.status.observedGeneration;
  keepConditionGenerations(status.conditions ?? [], old.status.conditions ?? []);
  dropDisabledPodStatusFields(status, old.status as PodStatus);
}

/** Conditions that do not say for which generation they hold keep what the old ones said. */
function keepConditionGenerations(
  conditions: readonly Draft<PodCondition>[],
  old: readonly Draft<PodCondition>[],
): void {
  const remembered = [...old];
  for (const condition of conditions) {
    const i = remembered.findIndex(({ type }) => type === condition.type);
    const [before] = i >= 0 ? remembered.splice(i, 1) : [];
    if (before?.observedGeneration) condition.observedGeneration ||= before.observedGeneration;
  }
}
