import { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { Draft } from "../../../schema/language/struct.ts";
import type { ApiObject, ObjectDraft } from "../../objects/object.ts";
import type { Attributes } from "../admission.ts";
import { draftOf, isFor } from "../typed-attributes.ts";

export type PodDraft = Draft<Pod>;

/** The pod that a request is about as a whole, or undefined if it is about something else. */
export function podOf(attributes: Attributes<ObjectDraft>): PodDraft | undefined {
  const isWhole = isPod(attributes) && attributes.subresource === "";
  return isWhole ? draftOf(Pod, attributes) : undefined;
}

export const isPod = (attributes: Attributes<ObjectDraft> | Attributes): boolean =>
  isFor(Pod, attributes);

/** The pod as it was, in an update. */
export const oldPod = (old: ApiObject | undefined): Pod | undefined => old as Pod | undefined;
