import { At } from "../../../../schema/language/report.ts";
import type { Draft } from "../../../../schema/language/struct.ts";
import { sameValue } from "../../../../schema/language/validate.ts";
import type { Write } from "../../../../schema/language/write.ts";
import type { ObjectMeta } from "../../../meta/v1/object-meta.ts";
import { validateAppArmorProfile } from "../container/security-profile.ts";
import { mergeMatchLabelKeys } from "../scheduling/match-label-keys.ts";
import { appArmorContainerPrefix, appArmorProfileOf } from "./pod-annotations.ts";
import { dropDisabledPodStatusFields } from "./pod-disabled-fields.ts";
import { podQosClass } from "./pod-qos.ts";
import type { PodSpec } from "./pod-spec.ts";
import type { PodCondition, PodStatus } from "./pod-status.ts";

interface PodLike {
  metadata: Draft<ObjectMeta>;
  spec: Draft<PodSpec>;
  status: Draft<PodStatus>;
}

/** The status of a new pod: it is pending, and has its class. */
export function newPodStatus({ spec, status }: PodLike, { now }: Write): Draft<PodStatus> {
  return {
    phase: "Pending",
    ...(spec.schedulingGates?.length ? { conditions: [gatedCondition(now)] } : {}),
    qosClass: podQosClass({ status, spec: { ...spec, containers: spec.containers ?? [] } }),
  };
}

/** Completes the selectors of a new pod, and its AppArmor profiles, before it is validated. */
export function prepareNewPod({ metadata, spec }: PodLike): void {
  for (const group of [spec.affinity?.podAffinity, spec.affinity?.podAntiAffinity]) {
    for (const { podAffinityTerm } of group?.preferredDuringSchedulingIgnoredDuringExecution ?? [])
      mergeMatchLabelKeys(podAffinityTerm, metadata.labels);
    for (const term of group?.requiredDuringSchedulingIgnoredDuringExecution ?? [])
      mergeMatchLabelKeys(term, metadata.labels);
  }
  for (const constraint of spec.topologySpreadConstraints ?? [])
    mergeMatchLabelKeys(constraint, metadata.labels);
  applyAppArmorAnnotations({ metadata, spec });
}

const gatedCondition = (now: string): Draft<PodCondition> => ({
  type: "PodScheduled",
  status: "False",
  lastProbeTime: null as never,
  lastTransitionTime: now,
  reason: "SchedulingGated",
  message: "Scheduling is blocked due to non-empty scheduling gates",
});

/** Profiles that stand in annotations, as older clients write them, are put into the fields. */
function applyAppArmorAnnotations({ metadata, spec }: Pick<PodLike, "metadata" | "spec">): void {
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

/** Keeps what a client of the status leaves out, before the status is validated. */
export function preparePodStatus(status: Draft<PodStatus>, old: Draft<PodStatus>): void {
  status.qosClass ||= old.qosClass;
  status.observedGeneration ||= old.observedGeneration;
  keepConditionGenerations(status.conditions ?? [], old.conditions ?? []);
  dropDisabledPodStatusFields(status, old as PodStatus);
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
