import { boolFlag } from "../../../cli/flag.ts";
import type { DynamicObject } from "../../../client/resource-kind.ts";
import { jsonText } from "../../print/json-text.ts";

/** The annotation with the configuration that was applied last. */
export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

export const saveConfigFlags = {
  "save-config": boolFlag({
    usage:
      "If true, the configuration of current object will be saved in its annotation, for a later kubectl apply.",
  }),
};

/** The configuration as the annotation holds it: without that annotation, keys sorted, with a newline. */
export function configurationText(object: DynamicObject): string {
  const { [lastAppliedAnnotation]: _, ...annotations } = object.metadata?.annotations ?? {};
  return `${jsonText({ ...object, metadata: { ...object.metadata, annotations } })}\n`;
}

/** The object with its configuration in the annotation. */
export function withSavedConfiguration(object: DynamicObject): DynamicObject {
  const annotations = {
    ...object.metadata?.annotations,
    [lastAppliedAnnotation]: configurationText(object),
  };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** With `--save-config`, or where an object has the annotation already, it gets the new configuration. */
export function withUpdatedConfiguration(object: DynamicObject, saves: boolean): DynamicObject {
  const has = object.metadata?.annotations?.[lastAppliedAnnotation] !== undefined;
  return saves || has ? withSavedConfiguration(object) : object;
}
