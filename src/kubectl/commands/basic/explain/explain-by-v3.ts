import { isMap, type ReadonlyJsonMap, sameJson } from "../../../../schema/json/json-value.ts";
import { goString } from "../../../../schema/values/go-print.ts";
import { sortedKeys } from "../../../../schema/values/utf8-order.ts";
import type { OpenapiDocument } from "../../../factory/openapi-v3.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import type { RequestedFields, VersionedResource } from "./requested-fields.ts";
import { SchemaText } from "./schema-text.ts";

/** Explains fields by the OpenAPI v3 document of the group and version. */
export async function explainByV3(
  { factory, io }: Pick<CommandContext, "factory" | "io">,
  { resource, fields }: RequestedFields,
  { isRecursive, format }: { readonly isRecursive: boolean; readonly format: string },
): Promise<void> {
  const document = await (await factory.openapi()).document(resource);
  const name = `${resource.group}/${resource.version}, Resource=${resource.plural}`;
  if (!document) throw new Error(`couldn't find resource for "${name}"`);
  if (format !== "plaintext") throw new Error(`unrecognized format: ${format}`);
  const gvk = kindOf(document, resource);
  if (!gvk) throw new Error(`GVR (${name}) not found in OpenAPI schema`);
  const { group, kind, version } = gvk;
  if (group) io.stdout.write(`GROUP:      ${goString(group)}\n`);
  io.stdout.write(`KIND:       ${goString(kind)}\nVERSION:    ${goString(version)}\n\n`);
  const schema = schemaOf(document, gvk);
  if (!schema) throw new Error(`GVK ${goString(gvk)} not found in OpenAPI schema`);
  const text = new SchemaText(document).explained(schema, fields, isRecursive);
  if (text === "") throw new Error(`field "${fields.at(-1)}" does not exist`);
  io.stdout.write(`${text}\n`);
}

const methods = ["get", "post", "put", "patch", "delete"];

/** The kind that the operations for a resource name. */
function kindOf(
  { paths = {} }: OpenapiDocument,
  { group, version, plural }: VersionedResource,
): ReadonlyJsonMap | undefined {
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const all = [`${root}/${plural}`, `${root}/namespaces/{namespace}/${plural}`];
  for (const path of all.flatMap((one) => [one, `${one}/{name}`])) {
    const operations = (paths[path] ?? {}) as ReadonlyJsonMap;
    for (const method of methods) {
      const operation = operations[method];
      const gvk = isMap(operation) ? operation["x-kubernetes-group-version-kind"] : undefined;
      if (isMap(gvk)) return gvk;
    }
  }
  return undefined;
}

function schemaOf(
  { components }: OpenapiDocument,
  gvk: ReadonlyJsonMap,
): ReadonlyJsonMap | undefined {
  const schemas = components?.schemas ?? {};
  for (const name of sortedKeys(schemas)) {
    const kinds = schemas[name]?.["x-kubernetes-group-version-kind"];
    if (Array.isArray(kinds) && kinds.some((kind) => sameJson(kind, gvk))) return schemas[name];
  }
  return undefined;
}
