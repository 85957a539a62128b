import type { Draft } from "../../../schema/language/struct.ts";
import type { ObjectMeta } from "../../meta/v1/object-meta.ts";
import { int64Annotation } from "./int64-annotation.ts";

export const templateGenerationAnnotation = "deprecated.daemonset.template.generation";

/** How often the template of a daemon set has changed: a former field, kept as an annotation. */
export function templateGeneration({ annotations }: ObjectMeta): bigint {
  const text = annotations?.[templateGenerationAnnotation];
  return text === undefined ? 0n : int64Annotation({ kind: "DaemonSet", text });
}

export function setTemplateGeneration(metadata: Draft<ObjectMeta>, generation: bigint): void {
  metadata.annotations = {
    ...metadata.annotations,
    [templateGenerationAnnotation]: `${generation}`,
  };
}
