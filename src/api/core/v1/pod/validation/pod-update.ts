import type { At } from "../../../../../schema/language/report.ts";
import { isInRange } from "../../../../../schema/values/names.ts";
import type { ObjectMeta } from "../../../../meta/v1/object-meta.ts";
import { semanticEqual } from "../../../../meta/v1/semantic-equal.ts";
import { validateContainerUpdates } from "../../container/container-validation.ts";
import { type Toleration, validateTolerations } from "../../scheduling/toleration.ts";
import { PodSpec } from "../pod-spec.ts";
import { podSpecDiff } from "../pod-spec-diff.ts";
import { validatePodAnnotationsUpdate } from "./pod-annotation-validation.ts";
import { validateGatedUpdate } from "./pod-gated-update.ts";
import { podValidationOptions } from "./pod-ratcheting.ts";
import { validatePod } from "./pod-validation.ts";

interface PodLike {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}

/** What may change in a pod; `at` is the pod, whose metadata is valid. */
export function validatePodUpdate(pod: PodLike, old: PodLike, at: At): void {
  const options = { ...podValidationOptions(old), resourceIsPod: true };
  const here = at.child("spec");
  validatePod(pod, at, options);
  validatePodAnnotationsUpdate(pod, old, {
    at: at.child("metadata").child("annotations"),
    options: () => options,
  });
  for (const list of ["containers", "initContainers"] as const)
    if (!validateContainerUpdates(pod.spec[list] ?? [], here.child(list), old.spec[list] ?? []))
      return;
  if (!validateDeadline(pod.spec, old.spec, here)) return;
  if (tolerationsAreKept(pod.spec, old.spec))
    validateTolerations(pod.spec.tolerations ?? [], here.child("tolerations"), options);
  else
    here.forbidden(
      "tolerations",
      "existing toleration can not be modified except its tolerationSeconds",
    );
  validateGates(pod.spec, old.spec, here);
  if (semanticEqual(PodSpec, pod.spec, old.spec)) return;
  validateRest(pod.spec, old.spec, here);
}

const maxSeconds = 2 ** 31 - 1;

/** A deadline may be set and shortened; false where the update is not looked at further. */
function validateDeadline(spec: PodSpec, old: PodSpec, at: At): boolean {
  const { activeDeadlineSeconds: deadline } = spec;
  const before = old.activeDeadlineSeconds;
  if (deadline === undefined) {
    if (before !== undefined)
      at.invalid(
        "activeDeadlineSeconds",
        null,
        "must not update from a positive integer to nil value",
      );
    return true;
  }
  const messages = isInRange(deadline, 0, maxSeconds);
  at.invalidEach("activeDeadlineSeconds", deadline, messages);
  if (messages.length > 0) return false;
  if (before === undefined || before >= deadline) return true;
  at.invalid("activeDeadlineSeconds", deadline, "must be less than or equal to previous value");
  return false;
}

/** Whether every toleration is still there, be it for another time. */
const tolerationsAreKept = (
  { tolerations = [] }: PodSpec,
  { tolerations: old = [] }: PodSpec,
): boolean => old.every((before) => tolerations.some((after) => sameTaints(before, after)));

const sameTaints = (a: Toleration, b: Toleration): boolean =>
  (["key", "operator", "value", "effect"] as const).every(
    (field) => (a[field] ?? "") === (b[field] ?? ""),
  );

/** Gates are cleared one by one, never added. */
function validateGates(
  { schedulingGates = [] }: PodSpec,
  { schedulingGates: old = [] }: PodSpec,
  at: At,
): void {
  const known = new Set(old.map(({ name }) => name));
  const added = new Map(schedulingGates.map(({ name }, i) => [name, i]));
  for (const [name, i] of added)
    if (!known.has(name))
      at.child("schedulingGates")
        .index(i)
        .forbidden("name", `only deletion is allowed, but found new scheduling gate '${name}'`);
}

const updatable = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
];

/** Beside what was looked at already, nothing changes; but for where a gated pod may be placed. */
function validateRest(spec: PodSpec, old: PodSpec, at: At): void {
  const expected: PodSpec = {
    ...spec,
    containers: withImagesOf(old.containers ?? [], spec.containers ?? []),
    initContainers:
      spec.initContainers && withImagesOf(old.initContainers ?? [], spec.initContainers),
    activeDeadlineSeconds: old.activeDeadlineSeconds,
    schedulingGates: old.schedulingGates,
    tolerations: old.tolerations,
    ...(old.terminationGracePeriodSeconds < 0 && spec.terminationGracePeriodSeconds === 1
      ? { terminationGracePeriodSeconds: old.terminationGracePeriodSeconds }
      : {}),
  };
  const rest = old.schedulingGates?.length ? validateGatedUpdate(expected, old, at) : expected;
  if (semanticEqual(PodSpec, rest, old)) return;
  at.forbidden(
    "",
    `pod updates may not change fields other than ${updatable.join(",")}\n${podSpecDiff(old, rest)}`,
  );
}

const withImagesOf = <C extends { readonly image?: string | undefined }>(
  old: readonly C[],
  containers: readonly C[],
): readonly C[] => containers.map((container, i) => ({ ...container, image: old[i]?.image }));
