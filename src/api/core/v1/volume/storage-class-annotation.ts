import type { ObjectMeta } from "../../../meta/v1/object-meta.ts";

/** The class of a volume or claim, as it was named before there was a field for it. */
export const storageClassAnnotation = "volume.beta.kubernetes.io/storage-class";

/** The class of a volume or claim; the annotation goes first. */
export const storageClassOf = (metadata: ObjectMeta, className: string | undefined): string =>
  metadata.annotations?.[storageClassAnnotation] ?? className ?? "";

/** What to tell the client that still uses the annotation. */
export const storageClassAnnotationWarnings = ({ annotations }: ObjectMeta): readonly string[] =>
  annotations?.[storageClassAnnotation] === undefined
    ? []
    : [
        `metadata.annotations[${storageClassAnnotation}]: deprecated since v1.8; use "storageClassName" attribute instead`,
      ];
