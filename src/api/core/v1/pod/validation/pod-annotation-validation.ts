import type { At } from "../../../../../schema/language/report.ts";
import { sameValue } from "../../../../../schema/language/validate.ts";
import { quote } from "../../../../../schema/values/quote.ts";
import type { ObjectMeta } from "../../../../meta/v1/object-meta.ts";
import type { AppArmorProfile, SeccompProfile } from "../../container/security-profile.ts";
import { type Toleration, validateTolerations } from "../../scheduling/toleration.ts";
import { validateLocalPath } from "../../volume/local-path.ts";
import {
  appArmorContainerPrefix,
  deletionCostAnnotation,
  mirrorPodAnnotation,
  seccompContainerPrefix,
  seccompPodAnnotation,
  tolerationsAnnotation,
} from "../pod-annotations.ts";
import { allContainers, containersWithPath } from "../pod-containers.ts";
import type { PodSpec } from "../pod-spec.ts";
import type { PodValidationOptions } from "./pod-validation-options.ts";

type Annotations = Readonly<Record<string, string>>;

/** The rules of annotations that mean something in a pod or in a pod template. */
export function validatePodAnnotations(
  annotations: Annotations = {},
  at: At,
  { spec, options }: { readonly spec: PodSpec; readonly options: PodValidationOptions },
): void {
  if (Object.hasOwn(annotations, mirrorPodAnnotation) && !spec.nodeName)
    at.key(mirrorPodAnnotation).invalid(
      "",
      annotations[mirrorPodAnnotation],
      "must set spec.nodeName if mirror pod annotation is set",
    );
  if (annotations[tolerationsAnnotation])
    validateTolerationsText(annotations[tolerationsAnnotation], at, options);
  if (!options.allowInvalidPodDeletionCost && !hasValidDeletionCost(annotations))
    at.key(deletionCostAnnotation).invalid(
      "",
      annotations[deletionCostAnnotation],
      "must be a 32bit integer",
    );
  validateSeccompAnnotations(annotations, at);
  validateAppArmorAnnotations(annotations, spec, at);
}

/** Whether the deletion cost is absent, or an integer of 32 bits in its plainest form. */
export function hasValidDeletionCost(annotations: Annotations = {}): boolean {
  const cost = Object.hasOwn(annotations, deletionCostAnnotation)
    ? annotations[deletionCostAnnotation]
    : undefined;
  if (cost === undefined) return true;
  if (!/^(0|[1-9][0-9]*|-[0-9]+)$/.test(cost)) return false;
  const value = Number(cost);
  return value >= -(2 ** 31) && value < 2 ** 31;
}

function validateTolerationsText(text: string, at: At, options: PodValidationOptions): void {
  let tolerations: readonly Toleration[];
  try {
    tolerations = JSON.parse(text) as readonly Toleration[];
    if (!Array.isArray(tolerations)) throw new TypeError("not a list");
  } catch {
    const first = [...text.trimStart()][0] ?? "";
    at.invalid(
      "",
      tolerationsAnnotation,
      `invalid character '${first}' looking for beginning of value`,
    );
    return;
  }
  validateTolerations(tolerations, at.child(tolerationsAnnotation), options);
}

function validateSeccompAnnotations(annotations: Annotations, at: At): void {
  if (Object.hasOwn(annotations, seccompPodAnnotation))
    validateSeccompName(
      annotations[seccompPodAnnotation] as string,
      at.child(seccompPodAnnotation),
    );
  for (const [key, profile] of Object.entries(annotations))
    if (key.startsWith(seccompContainerPrefix)) validateSeccompName(profile, at.child(key));
}

function validateSeccompName(profile: string, at: At): void {
  if (["runtime/default", "docker/default", "unconfined"].includes(profile)) return;
  if (profile.startsWith(localhost)) validateLocalPath(profile.slice(localhost.length), at);
  else at.invalid("", profile, "must be a valid seccomp profile");
}

const localhost = "localhost/";

function validateAppArmorAnnotations(annotations: Annotations, spec: PodSpec, at: At): void {
  const names = new Set(allContainers(spec).map(({ name }) => name));
  for (const [key, profile] of Object.entries(annotations)) {
    if (!key.startsWith(appArmorContainerPrefix)) continue;
    const container = key.slice(appArmorContainerPrefix.length);
    if (!names.has(container)) at.key(key).invalid("", container, "container not found");
    if (!["", "runtime/default", "unconfined"].includes(profile) && !profile.startsWith(localhost))
      at.key(key).invalid("", profile, `invalid AppArmor profile name: ${quote(profile)}`);
  }
}

/** Annotations that mean the same as fields must say the same; `at` is the pod's spec. */
export function validateProfilesMatch(
  { annotations = {} }: Pick<ObjectMeta, "annotations">,
  spec: PodSpec,
  at: At,
): void {
  const podProfile = spec.securityContext?.seccompProfile;
  if (podProfile && Object.hasOwn(annotations, seccompPodAnnotation))
    matchSeccomp(
      podProfile,
      annotations[seccompPodAnnotation] as string,
      at.child("securityContext").child("seccompProfile"),
    );
  for (const [{ name, securityContext }, here] of containersWithPath(spec, at)) {
    const key = seccompContainerPrefix + name;
    if (securityContext?.seccompProfile && Object.hasOwn(annotations, key))
      matchSeccomp(
        securityContext.seccompProfile,
        annotations[key] as string,
        here.child("securityContext").child("seccompProfile"),
      );
  }
  if (spec.os?.name === "windows") return;
  for (const [{ name, securityContext }, here] of containersWithPath(spec, at)) {
    const profile = securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile;
    const key = appArmorContainerPrefix + name;
    if (profile && Object.hasOwn(annotations, key))
      matchAppArmor(
        profile,
        annotations[key] as string,
        here.child("securityContext").child("appArmorProfile"),
      );
  }
}

function matchSeccomp(profile: SeccompProfile, annotation: string, at: At): void {
  matchProfile(profile, at, {
    annotation,
    what: "seccomp",
    runtimeDefault: ["runtime/default", "docker/default"],
  });
}

function matchAppArmor(profile: AppArmorProfile, annotation: string, at: At): void {
  matchProfile(profile, at, { annotation, what: "apparmor", runtimeDefault: ["runtime/default"] });
}

function matchProfile(
  { type, localhostProfile }: SeccompProfile | AppArmorProfile,
  at: At,
  {
    annotation,
    what,
    runtimeDefault,
  }: { annotation: string; what: string; runtimeDefault: string[] },
): void {
  const sameType =
    (type === "Unconfined" && annotation === "unconfined") ||
    (type === "RuntimeDefault" && runtimeDefault.includes(annotation)) ||
    (type === "Localhost" && annotation.startsWith(localhost)) ||
    !["Unconfined", "RuntimeDefault", "Localhost"].includes(type);
  if (!sameType) at.forbidden("type", `${what} type in annotation and field must match`);
  else if (type === "Localhost" && annotation.slice(localhost.length) !== localhostProfile)
    at.forbidden("localhostProfile", `${what} profile in annotation and field must match`);
}

interface AnnotatedPod {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}

/** The rules of annotations in an update, some of which may not change; `at` is the annotations of the pod. */
export function validatePodAnnotationsUpdate(
  { metadata: { annotations = {} }, spec }: AnnotatedPod,
  { metadata: { annotations: old = {} } }: AnnotatedPod,
  { at, options }: { readonly at: At; readonly options: () => PodValidationOptions },
): void {
  // Most updates of a status leave them alone.
  if (sameValue(annotations, old)) return;
  for (const [key, value] of Object.entries(old)) {
    if (Object.hasOwn(annotations, key) && sameValue(annotations[key], value)) continue;
    if (key.startsWith(appArmorContainerPrefix))
      at.key(key).forbidden("", "may not remove or update AppArmor annotations");
    if (key === mirrorPodAnnotation)
      at.key(key).forbidden("", "may not remove or update mirror pod annotation");
  }
  for (const key of Object.keys(annotations)) {
    if (Object.hasOwn(old, key)) continue;
    if (key.startsWith(appArmorContainerPrefix))
      at.key(key).forbidden("", "may not add AppArmor annotations");
    if (key === mirrorPodAnnotation) at.key(key).forbidden("", "may not add mirror pod annotation");
  }
  validatePodAnnotations(annotations, at, { spec, options: options() });
}
