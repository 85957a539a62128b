import type { At } from "../../../../../schema/language/report.ts";
import type { Draft } from "../../../../../schema/language/struct.ts";
import { quote } from "../../../../../schema/values/quote.ts";
import type { ObjectMeta } from "../../../../meta/v1/object-meta.ts";
import { semanticEqual } from "../../../../meta/v1/semantic-equal.ts";
import { EphemeralContainer } from "../../container/ephemeral-container.ts";
import { mirrorPodAnnotation } from "../pod-annotations.ts";
import type { PodSpec } from "../pod-spec.ts";
import { goDiff } from "../pod-spec-diff.ts";
import { validatePodAnnotationsUpdate } from "./pod-annotation-validation.ts";
import { podValidationOptions } from "./pod-ratcheting.ts";
import { keepAllBut, type PodDraft, validateWholePod } from "./pod-subresource-update.ts";

interface PodLike {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}

/** Through this subresource, nothing but the ephemeral containers of a pod changes. */
export function prepareEphemeralContainers(pod: PodDraft, old: PodDraft): void {
  const { ephemeralContainers } = pod.spec;
  keepAllBut(pod, old, { ephemeralContainers } as Partial<Draft<PodSpec>>);
}

/** Ephemeral containers come, and stay as they are. */
export function validateEphemeralContainersUpdate(pod: PodLike, old: PodLike, at: At): void {
  if (Object.hasOwn(old.metadata.annotations ?? {}, mirrorPodAnnotation)) {
    at.forbidden("[]", "static pods do not support ephemeral containers");
    return;
  }
  validateWholePod(pod, old, at);
  validatePodAnnotationsUpdate(pod, old, {
    at: at.child("metadata").child("annotations"),
    options: () => ({ ...podValidationOptions(old), resourceIsPod: true }),
  });
  const here = at.child("spec").child("ephemeralContainers");
  const containers = new Map(
    (pod.spec.ephemeralContainers ?? []).map((container) => [container.name, container]),
  );
  for (const before of old.spec.ephemeralContainers ?? []) {
    const after = containers.get(before.name);
    const which = `existing ephemeral containers ${quote(before.name)}`;
    if (!after) here.forbidden("", `${which} may not be removed\n`);
    else if (!semanticEqual(EphemeralContainer, before, after))
      here.forbidden(
        "",
        `${which} may not be changed\n${goDiff(EphemeralContainer, before, after)}`,
      );
  }
}
