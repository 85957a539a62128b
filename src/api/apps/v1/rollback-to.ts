import type { Draft } from "../../../schema/language/struct.ts";
import type { ObjectMeta } from "../../meta/v1/object-meta.ts";
import { int64Annotation } from "./int64-annotation.ts";

export const rollbackToAnnotation = "deprecated.deployment.rollback.to";

/** The revision that a deployment is to go back to: a former field, kept as an annotation. */
export function rollbackTo({ annotations }: ObjectMeta): bigint | undefined {
  const text = annotations?.[rollbackToAnnotation] ?? "";
  const context = `failed to parse annotation[${rollbackToAnnotation}]=${text} as int64: `;
  return text === "" ? undefined : int64Annotation({ kind: "Deployment", text, context });
}

/** Has that annotation be as numbers are written; one that is empty goes. */
export function tidyRollbackTo(metadata: Draft<ObjectMeta>): void {
  const { [rollbackToAnnotation]: given, ...others } = metadata.annotations ?? {};
  if (given === undefined) return;
  const revision = rollbackTo(metadata);
  metadata.annotations =
    revision === undefined ? others : { ...others, [rollbackToAnnotation]: `${revision}` };
}
