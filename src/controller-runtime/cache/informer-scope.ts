import { type SelectOptions, selectorText } from "../../client/call-options.ts";
import type { KubernetesObject, ResourceKind } from "../../client/resource-kind.ts";
import { parseFieldSelector } from "../../schema/selectors/field-selector.ts";
import { parseLabelSelector } from "../../schema/selectors/label-selector.ts";

/**
 * Whether an informer with this scope follows an object; undefined where that depends on fields which
 * only the server can read.
 */
export function isInScope(
  kind: ResourceKind,
  { namespace, labelSelector, fieldSelector }: SelectOptions,
  object: KubernetesObject,
): boolean | undefined {
  const { metadata } = object;
  if (namespace && namespace !== metadata.namespace) return false;
  const labels = selectorText(labelSelector);
  if (labels && !parseLabelSelector(labels).matches(metadata.labels)) return false;
  const fields = selectorText(fieldSelector);
  return fields ? matchesFields(kind, fields, object) : true;
}

function matchesFields(
  kind: ResourceKind,
  text: string,
  object: KubernetesObject,
): boolean | undefined {
  const { selectableFields = {} } = kind as { readonly selectableFields?: FieldReaders };
  let result: boolean | undefined = true;
  for (const { field, operator, value } of parseFieldSelector(text)) {
    const read = metadataFields[field] ?? selectableFields[field];
    if (!read) result = undefined;
    else if ((read(object) === value) !== (operator === "=")) return false;
  }
  return result;
}

type FieldReaders = Readonly<Record<string, (object: KubernetesObject) => string>>;

const metadataFields: FieldReaders = {
  "metadata.name": ({ metadata }) => metadata.name ?? "",
  "metadata.namespace": ({ metadata }) => metadata.namespace ?? "",
};
