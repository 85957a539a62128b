import type { CelValue } from "../../../cel/values/cel-value.ts";
import { fromJson } from "../../../cel/values/json-value.ts";
import type { Attributes } from "../admission.ts";
import { type NamespaceReader, namespaceNamed } from "../matching/namespace-named.ts";
import { requestedNamespace } from "../matching/requested.ts";

/**
 * The variable `namespaceObject`: the namespace of a request, and null for an object of the cluster, which a
 * namespace is, too. Throws NotFound if the namespace does not exist.
 */
export function namespaceVariable(
  reader: NamespaceReader,
  attributes: Attributes,
): CelValue | Promise<CelValue> {
  const { address, objectKind = address.kind } = attributes;
  const name = requestedNamespace(attributes);
  if (name === "" || (objectKind.group === "" && objectKind.kind === "Namespace")) return null;
  const namespace = namespaceNamed(reader, name);
  return namespace instanceof Promise ? namespace.then(shown) : shown(namespace);
}

/** Expressions see neither owners nor managers of the namespace. */
function shown(namespace: Awaited<ReturnType<typeof namespaceNamed>>): CelValue {
  const { kind: _, apiVersion: __, metadata, ...rest } = namespace;
  const { managedFields: ___, ownerReferences: ____, selfLink: _____, ...known } = metadata;
  return fromJson({ ...rest, metadata: known });
}
