import type { Field } from "../language/field.ts";
import type { Struct } from "../language/struct.ts";
import { structOf, type Type, type TypeCode } from "../language/type.ts";
import { publishedDefaults } from "./openapi-defaults.ts";
import { enumTypes } from "./openapi-enums.ts";

/** Which OpenAPI a schema is written for: 2 has no `allOf` around references, and no defaults. */
export type OpenApiVersion = 2 | 3;
export type Schema = Readonly<Record<string, unknown>>;
export interface GroupVersionKind {
  readonly group: string;
  readonly kind: string;
  readonly version: string;
}

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";

/** The names of the types that are no structs and have a schema of their own. */
const openApiNames: Partial<Record<TypeCode, string>> = {
  time: `${meta}.Time`,
  microTime: `${meta}.MicroTime`,
  duration: `${meta}.Duration`,
  fieldsV1: `${meta}.FieldsV1`,
  quantity: "io.k8s.apimachinery.pkg.api.resource.Quantity",
  intOrString: "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
  raw: "io.k8s.apimachinery.pkg.runtime.RawExtension",
  json: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON",
};

/** The name of the schema of every patch. */
export const patchName = `${meta}.Patch`;

/** Where the schema of a name stands in a document. */
export const refTo = (name: string, version: OpenApiVersion): string =>
  `#/${version === 2 ? "definitions" : "components/schemas"}/${name}`;

/** The structs that can be reached from some, by name. */
export function reachableStructs(roots: readonly Struct[]): ReadonlyMap<string, Struct> {
  const found = new Map<string, Struct>();
  const visit = (struct: Struct) => {
    if (found.has(struct.name)) return;
    found.set(struct.name, struct);
    for (const { type } of Object.values(struct.fields)) {
      const inner = structOf(itemType(type));
      if (inner) visit(inner);
    }
  };
  for (const root of roots) visit(root);
  return found;
}

/**
 * The schemas of structs and of all that they hold, by name and in its order. `kindsOf` says which
 * kinds a struct of that name is.
 */
export function schemasOf(
  roots: readonly Struct[],
  version: OpenApiVersion,
  kindsOf: (name: string) => readonly GroupVersionKind[],
): Readonly<Record<string, Schema>> {
  const schemas = new Map<string, Schema>();
  for (const [name, struct] of reachableStructs(roots)) {
    schemas.set(name, structSchema(struct, version, kindsOf(name)));
    for (const { type } of Object.values(struct.fields)) {
      const item = itemType(type);
      const leafName = leafNameOf(item);
      const leaf = leafSchemas[item.code];
      if (leafName !== undefined && leaf) schemas.set(leafName, leaf(version));
    }
  }
  return Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The schema of one struct; what it holds is referred to. */
export function structSchema(
  struct: Struct,
  version: OpenApiVersion,
  kinds: readonly GroupVersionKind[],
): Schema {
  const fields = Object.entries(struct.fields);
  const required = fields.filter(([, field]) => field.isRequired).map(([name]) => name);
  const properties = fields.map(
    ([name, field]) => [name, fieldSchema(field, version, `${struct.name}.${name}`)] as const,
  );
  properties.sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...described(struct.description),
    type: "object",
    ...(required.length > 0 && { required }),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(kinds.length > 0 && { "x-kubernetes-group-version-kind": kinds }),
    ...mapType(struct),
  };
}

/** The schema that the bodies of patches have. */
export const patchSchema: Schema = {
  description: "A change to an object, in the way that its media type says.",
  type: "object",
};

function fieldSchema(field: Field, version: OpenApiVersion, path: string): Schema {
  const { type, listKind, listKeys, patchStrategy, patchMergeKey } = field;
  const extensions = {
    ...(listKind && { "x-kubernetes-list-type": listKind }),
    ...(listKeys && { "x-kubernetes-list-map-keys": listKeys }),
    ...mapType(field),
    ...(patchStrategy && { "x-kubernetes-patch-strategy": patchStrategy }),
    ...(patchMergeKey && { "x-kubernetes-patch-merge-key": patchMergeKey }),
  };
  const preset = version === 3 ? presetOf(field, path) : undefined;
  return {
    ...described(field.description),
    ...typeSchema(type, version, valuesOf(field)),
    ...(preset !== undefined && { default: preset }),
    ...extensions,
  };
}

/** A field's type. Beside a reference, OpenAPI 3 allows nothing: it stands in an `allOf`. */
function typeSchema(type: Type, version: OpenApiVersion, values?: readonly string[]): Schema {
  if (type.code === "list" && type.of)
    return { type: "array", items: itemSchema(type.of, version, values) };
  if (type.code === "map" && type.of)
    return { type: "object", additionalProperties: itemSchema(type.of, version, values) };
  const name = openApiName(type);
  if (name !== undefined) {
    const ref = { $ref: refTo(name, version) };
    return version === 2 ? ref : { allOf: [ref] };
  }
  return { ...plainSchemas[type.code], ...(values && { enum: values }) };
}

function itemSchema(type: Type, version: OpenApiVersion, values?: readonly string[]): Schema {
  const leafName = leafNameOf(type);
  if (leafName !== undefined) return { $ref: refTo(leafName, version) };
  const preset = version === 3 ? zeroValues[type.code] : undefined;
  return {
    ...typeSchema(type, version, values),
    ...(preset !== undefined && { default: preset }),
  };
}

/** The name of a type's schema; undefined where it has none of its own. */
export const openApiName = (type: Type): string | undefined =>
  leafNameOf(type) ?? structOf(type)?.name;
const leafNameOf = (type: Type): string | undefined => type.either?.name ?? openApiNames[type.code];

/**
 * The default that a field's schema shows: Go's zero value where the field always has one, and the few
 * that upstream declares. `path` is the name of its struct and its own.
 */
export function presetOf(field: Field, path: string): unknown {
  const published = publishedDefaults.get(path);
  if (published !== undefined) return published;
  return field.zero === "always" ? zeroValues[field.type.code] : undefined;
}

function valuesOf({ type, constants }: Field): readonly string[] | undefined {
  const isEnum = constants && enumTypes.has(itemType(type).goType);
  return isEnum ? [...constants].sort() : undefined;
}

const itemType = (type: Type): Type => (type.of ? itemType(type.of) : type);
function mapType({ isAtomic, isGranular }: { isAtomic: boolean; isGranular?: boolean }): Schema {
  if (isGranular) return { "x-kubernetes-map-type": "granular" };
  return isAtomic ? { "x-kubernetes-map-type": "atomic" } : {};
}
const described = (description: string) => (description === "" ? {} : { description });

const zeroValues: Partial<Record<TypeCode, unknown>> = {
  string: "",
  bool: false,
  int32: 0,
  int64: 0,
  double: 0,
  struct: {},
};
const plainSchemas: Partial<Record<TypeCode, Schema>> = {
  string: { type: "string" },
  bool: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  double: { type: "number", format: "double" },
  bytes: { type: "string", format: "byte" },
};
const leafSchemas: Partial<Record<TypeCode, (version: OpenApiVersion) => Schema>> = {
  time: () => ({
    description: "A time to the second, as RFC 3339 writes it.",
    type: "string",
    format: "date-time",
  }),
  microTime: () => ({
    description: "A time to the microsecond, as RFC 3339 writes it.",
    type: "string",
    format: "date-time",
  }),
  duration: () => ({ description: "A length of time, such as `1h30m`.", type: "string" }),
  fieldsV1: () => ({
    description: "A set of fields, as a trie of `f:NAME`, `k:KEYS`, `v:VALUE` and `i:INDEX`.",
    type: "object",
  }),
  quantity: (version) => ({
    description: "An amount: a decimal number with a suffix such as `m`, `k`, `Mi` or `e3`.",
    ...(version === 2 ? { type: "string" } : { oneOf: [{ type: "string" }, { type: "number" }] }),
  }),
  intOrString: (version) => ({
    description: "A whole number or a text, often a percentage.",
    format: "int-or-string",
    ...(version === 2 ? { type: "string" } : { oneOf: [{ type: "integer" }, { type: "string" }] }),
  }),
  raw: () => ({ description: "Any object, kept as it is.", type: "object" }),
  json: () => ({ description: "Any JSON value." }),
  either: () => ({ description: "An object, or a value of another shape that stands for it." }),
};
