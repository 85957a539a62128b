import type { At } from "../../../../../schema/language/report.ts";
import type { Draft } from "../../../../../schema/language/struct.ts";
import { nameIsDnsSubdomain } from "../../../../../schema/values/names.ts";
import type { ObjectMeta } from "../../../../meta/v1/object-meta.ts";
import {
  validateFinalizerDomain,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../../../../meta/v1/object-meta-validation.ts";
import { resetMetadataForStatus } from "../../../../meta/v1/status-metadata.ts";
import { dropDisabledPodFields } from "../pod-disabled-fields.ts";
import type { PodSpec } from "../pod-spec.ts";
import type { PodStatus } from "../pod-status.ts";
import { podValidationOptions } from "./pod-ratcheting.ts";
import { validatePod } from "./pod-validation.ts";

export interface PodDraft {
  metadata: Draft<ObjectMeta>;
  spec: Draft<PodSpec>;
  status: Draft<PodStatus>;
}

/** What a subresource may change of a pod is a part of its spec: all else is kept. */
export function keepAllBut(pod: PodDraft, old: PodDraft, changed: Partial<Draft<PodSpec>>): void {
  resetMetadataForStatus(pod.metadata, old.metadata);
  pod.spec = { ...old.spec, ...changed };
  pod.status = old.status;
  dropDisabledPodFields(pod.spec, old.spec);
}

interface PodLike {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}

/** What every update of a pod must keep to: the rules of its metadata and spec. */
export function validateWholePod(pod: PodLike, old: PodLike, at: At): void {
  const here = at.child("metadata");
  validateObjectMetaUpdate(pod.metadata, old.metadata, here);
  validateFinalizers(pod.metadata, here);
  validateObjectMeta(pod.metadata, here, { namespaced: true, name: nameIsDnsSubdomain });
  validateFinalizers(pod.metadata, here);
  validatePod(pod, at, { ...podValidationOptions(old), resourceIsPod: true });
}

function validateFinalizers({ finalizers = [] }: ObjectMeta, at: At): void {
  for (const [i, finalizer] of finalizers.entries())
    validateFinalizerDomain(finalizer, at.child("finalizers").index(i));
}
