import type { At } from "../../../../../schema/language/report.ts";
import type { ObjectMeta } from "../../../../meta/v1/object-meta.ts";
import { validateContainersOfPod } from "../../container/container-validation.ts";
import type { PodSpec } from "../pod-spec.ts";
import { validatePodAnnotations, validateProfilesMatch } from "./pod-annotation-validation.ts";
import { validatePodSpec } from "./pod-spec-validation.ts";
import type { PodValidationOptions } from "./pod-validation-options.ts";

interface PodLike {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}

/** The rules of a pod at creation and in updates; `at` is the pod, whose metadata is valid. */
export function validatePod(pod: PodLike, at: At, options: PodValidationOptions): void {
  const { metadata, spec } = pod;
  const specAt = at.child("spec");
  validatePodAnnotations(metadata.annotations, at.child("metadata").child("annotations"), {
    spec,
    options,
  });
  validatePodSpec(spec, specAt, { meta: metadata, options });
  if (!spec.serviceAccountName) forbidTokens(spec, specAt);
  validateContainersOfPod(spec.containers ?? [], specAt.child("containers"));
  validateContainersOfPod(spec.initContainers ?? [], specAt.child("initContainers"));
}

/** Tokens are those of the pod's service account. */
function forbidTokens({ volumes = [] }: PodSpec, at: At): void {
  for (const [i, { projected }] of volumes.entries())
    for (const [j, { serviceAccountToken }] of (projected?.sources ?? []).entries())
      if (serviceAccountToken)
        at.child("volumes")
          .index(i)
          .child("projected")
          .child("sources")
          .index(j)
          .forbidden(
            "serviceAccountToken",
            "must not be specified when serviceAccountName is not set",
          );
}

/** What is asked of a new pod beside that. */
export function validateNewPod({ metadata, spec }: PodLike, at: At): void {
  const here = at.child("spec");
  if (spec.ephemeralContainers?.length)
    here.forbidden("ephemeralContainers", "cannot be set on create");
  if (spec.nodeName && spec.schedulingGates?.length)
    here.forbidden("nodeName", "cannot be set until all schedulingGates have been cleared");
  validateProfilesMatch(metadata, spec, here);
}
