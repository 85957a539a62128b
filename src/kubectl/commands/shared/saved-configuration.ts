import { boolFlag } from "../../../cli/flag.ts";
import type { DynamicObject } from "../../../client/resource-kind.ts";
import { sortedKeys } from "../../../schema/values/utf8-order.ts";
import { jsonText, orderedJsonText } from "../../print/json-text.ts";

/** The annotation with the configuration that was applied last. */
export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

export const saveConfigFlags = {
  "save-config": boolFlag({
    usage:
      "If true, the configuration of current object will be saved in its annotation, for a later kubectl apply.",
  }),
};

/** The configuration as the annotation holds it: without that annotation, keys sorted, with a newline. */
function configurationText(object: DynamicObject): string {
  return `${jsonText(withoutSavedConfiguration(object))}\n`;
}

/** An object without the annotation; it has annotations, if only none. */
export function withoutSavedConfiguration(object: DynamicObject): DynamicObject {
  const { [lastAppliedAnnotation]: _, ...annotations } = object.metadata?.annotations ?? {};
  return { ...object, metadata: { ...object.metadata, annotations } };
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

/** An object with members in the order of Go's structs, with its configuration in the annotation. */
export function withSavedStruct<T extends NewStruct>(object: T): T {
  const { annotations, ...metadata } = object.metadata;
  const members = Object.entries(metadata);
  // Owners come after the annotations.
  const at = members.findIndex(([name]) => name === "ownerReferences");
  const place = at < 0 ? members.length : at;
  const withAnnotations = (all: object): T => ({
    ...object,
    metadata: Object.fromEntries(
      members.toSpliced(
        place,
        0,
        ...(Object.keys(all).length > 0 ? ([["annotations", all]] as [string, unknown][]) : []),
      ),
    ),
  });
  const { [lastAppliedAnnotation]: _, ...others } = annotations ?? {};
  const text = `${orderedJsonText(withAnnotations(others))}\n`;
  const all: Record<string, string> = { ...others, [lastAppliedAnnotation]: text };
  return withAnnotations(Object.fromEntries(sortedKeys(all).map((name) => [name, all[name]])));
}

interface NewStruct {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined };
}
