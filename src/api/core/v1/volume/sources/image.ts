import { named, string } from "../../../../../schema/language/field.ts";
import type { At } from "../../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../../schema/language/struct.ts";

const pullPolicies = ["Always", "IfNotPresent", "Never"] as const;

export const ImageVolumeSource = struct("io.k8s.api.core.v1.ImageVolumeSource", {
  reference: string(1).doc("The image or artefact."),
  pullPolicy: named(2, "v1.PullPolicy")
    .known("Always", "Never", "IfNotPresent")
    .doc("When the image is pulled; Always for the tag latest, else IfNotPresent."),
}).doc("The files of an image, read-only.");
export interface ImageVolumeSource extends Infer<typeof ImageVolumeSource> {}

/** A template may leave the reference to those who make pods from it; a pod may not. */
export function validateImageSource(
  { reference, pullPolicy = "" }: ImageVolumeSource,
  at: At,
  { resourceIsPod }: { readonly resourceIsPod?: boolean | undefined },
): void {
  if (resourceIsPod && !reference) at.required("reference");
  if (!pullPolicy) at.required("pullPolicy");
  else if (!(pullPolicies as readonly string[]).includes(pullPolicy))
    at.notSupported("pullPolicy", pullPolicy, pullPolicies);
}
