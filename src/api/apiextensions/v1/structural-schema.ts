import type { At, FieldError } from "../../../schema/language/report.ts";
import { regexpFault } from "../../../schema/regexp/go-regexp.ts";
import { compareUtf8 } from "../../../schema/values/utf8-order.ts";
import type { JSONSchemaProps } from "./json-schema-props.ts";
import { additionalOf, isSchema, itemsOf, propertyOf } from "./subschemas.ts";

/** What keeps a schema from being read as a structural one; undefined if nothing does. */
export function structuralFault(schema: JSONSchemaProps | undefined): string | undefined {
  if (schema === undefined) return undefined;
  const { not, allOf = [], anyOf = [], oneOf = [], items, properties = {} } = schema;
  const first = (schemas: readonly (JSONSchemaProps | undefined)[]) => {
    for (const inner of schemas) {
      const fault = structuralFault(inner);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
  return (
    unsupported(schema) ??
    first([not, ...allOf, ...anyOf, ...oneOf]) ??
    (schema["x-kubernetes-preserve-unknown-fields"] === false
      ? "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
      : undefined) ??
    (Array.isArray(items) && items.length > 0
      ? "OpenAPIV3Schema 'items' must be a schema, but is an array"
      : undefined) ??
    first([itemsOf(schema), ...Object.values(properties), additionalOf(schema)])
  );
}

function unsupported(schema: JSONSchemaProps): string | undefined {
  const { id, $schema, $ref, patternProperties, dependencies, additionalItems, definitions } =
    schema;
  const isSet: readonly (readonly [name: string, set: boolean])[] = [
    ["id", !!id],
    ["schema", !!$schema],
    ["$ref", !!$ref],
    ["patternProperties", !isEmpty(patternProperties)],
    ["dependencies", !isEmpty(dependencies)],
    ["additionalItems", additionalItems !== undefined],
    ["definitions", !isEmpty(definitions)],
  ];
  const name = isSet.find(([, set]) => set)?.[0];
  return name === undefined ? undefined : `OpenAPIV3Schema '${name}' is not supported`;
}

const isEmpty = (map: object | undefined): boolean =>
  map === undefined || Object.keys(map).length === 0;

/**
 * The rules of structural schemas: every value has one type, and what stands under allOf, anyOf,
 * oneOf and not only narrows what is said outside of them. Errors are in the order of their texts.
 */
export function validateStructural(schema: JSONSchemaProps, at: At): void {
  const start = at.errors.length;
  validateInvariants(schema, "root", at);
  validateJunctors(schema, { schema, at }, at);
  const text = ({ field, message }: FieldError) => `${field}: ${message}`;
  const found = at.errors.splice(start);
  at.errors.push(...found.sort((a, b) => compareUtf8(text(a), text(b))));
}

type Level = "root" | "item" | "field";

function validateInvariants(schema: JSONSchemaProps, level: Level, at: At): void {
  const items = itemsOf(schema);
  if (schema.type === "array" && !items) at.required("items", "must be specified");
  if (items) validateInvariants(items, "item", at.child("items"));
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    validateInvariants(property, "field", at.child("properties").key(name));
  if (schema.additionalProperties !== undefined) {
    if (level === "root") at.forbidden("additionalProperties", "must not be used at the root");
    const additional = additionalOf(schema);
    if (additional) validateInvariants(additional, "field", at.child("additionalProperties"));
  }
  if (schema["x-kubernetes-int-or-string"]) validateIntOrString(schema, at);
  validateValueRules(schema, at, {
    anyOf: isIntOrString(schema.anyOf),
    allOf: isIntOrString(schema.allOf?.[0]?.anyOf),
  });
  validateType(schema, level, at);
  validateMetadata(schema, level, at);
  if (
    schema["x-kubernetes-embedded-resource"] &&
    !schema["x-kubernetes-preserve-unknown-fields"] &&
    isEmpty(schema.properties)
  )
    at.required(
      "properties",
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
    );
}

function validateIntOrString(schema: JSONSchemaProps, at: At): void {
  const detail = "must be false if x-kubernetes-int-or-string is true";
  for (const name of [
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-embedded-resource",
  ] as const)
    if (schema[name]) at.invalid(name, true, detail);
}

const emptyType: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function validateType(schema: JSONSchemaProps, level: Level, at: At): void {
  const { type = "" } = schema;
  const isResource = schema["x-kubernetes-embedded-resource"] === true;
  const mayBeEmpty =
    schema["x-kubernetes-int-or-string"] || schema["x-kubernetes-preserve-unknown-fields"];
  if (isResource && type !== "object") {
    const detail = "must be object if x-kubernetes-embedded-resource is true";
    if (type === "") at.required("type", detail);
    else at.invalid("type", type, detail);
  } else if (type === "" && !mayBeEmpty) at.required("type", emptyType[level]);
  if (isResource && schema.additionalProperties !== undefined)
    at.forbidden(
      "additionalProperties",
      "must not be used if x-kubernetes-embedded-resource is set",
    );
  if (level === "root" && type !== "" && type !== "object")
    at.invalid("type", type, "must be object at the root");
}

/** Of the metadata, a schema may narrow names at the root, and nothing else. */
function validateMetadata(schema: JSONSchemaProps, level: Level, at: At): void {
  const isResource = level === "root" || schema["x-kubernetes-embedded-resource"] === true;
  for (const name of ["kind", "apiVersion"]) {
    const property = propertyOf(schema, name);
    if (property && isResource && property.type !== "string")
      at.child("properties")
        .key(name)
        .invalid("type", property.type ?? "", "must be string");
  }
  const metadata = propertyOf(schema, "metadata");
  if (!metadata) return;
  const here = at.child("properties").key("metadata");
  if (isResource && metadata.type !== "object")
    here.invalid("type", metadata.type ?? "", "must be object");
  if (level === "root" && !narrowsNamesOnly(metadata))
    here.forbidden(
      "",
      "must not specify anything other than name and generateName, but metadata is implicitly specified",
    );
}

function narrowsNamesOnly({ type: _, default: __, properties = {}, ...rest }: JSONSchemaProps) {
  const namesOnly = Object.keys(properties).every((name) => /^(name|generateName)$/.test(name));
  return namesOnly && Object.values(rest).every((value) => !isSet(value));
}

/** Whether Go would tell a value from zero. */
function isSet(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== false && value !== "";
}

/** `[{type: integer}, {type: string}]`, the one place where types may stand under a junctor. */
function isIntOrString(schemas: readonly JSONSchemaProps[] | undefined): boolean {
  const types = ["integer", "string"];
  return (
    schemas?.length === 2 &&
    schemas.every(({ type, ...rest }, i) => {
      return type === types[i] && !Object.values(rest).some(isSet);
    })
  );
}

interface Skipped {
  readonly anyOf?: boolean;
  /** The anyOf of the first schema of allOf. */
  readonly allOf?: boolean;
}

function validateValueRules(schema: JSONSchemaProps, at: At, skip: Skipped = {}): void {
  const { anyOf = [], allOf = [], oneOf = [], not, pattern } = schema;
  if (!skip.anyOf)
    for (const [i, inner] of anyOf.entries()) validateNested(inner, at.child("anyOf").index(i));
  for (const [i, inner] of allOf.entries())
    validateNested(inner, at.child("allOf").index(i), { anyOf: skip.allOf === true && i === 0 });
  for (const [i, inner] of oneOf.entries()) validateNested(inner, at.child("oneOf").index(i));
  if (not) validateNested(not, at.child("not"));
  if (!pattern) return;
  const fault = regexpFault(pattern);
  if (fault !== undefined)
    at.invalid("pattern", pattern, `must be a valid regular expression, but isn't: ${fault}`);
}

/** What may not stand under a junctor, with the words of the error. */
const outside: readonly (readonly [keyof JSONSchemaProps & string, string])[] = [
  ["type", "must be empty to be structural"],
  ["additionalProperties", "must be undefined to be structural"],
  ["default", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  ["x-kubernetes-preserve-unknown-fields", "must be false to be structural"],
  ["x-kubernetes-embedded-resource", "must be false to be structural"],
  ["x-kubernetes-int-or-string", "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"],
];

/** Of these, a zero counts, too. */
const pointers = new Set<string>(["default", "x-kubernetes-list-type", "x-kubernetes-map-type"]);

function validateNested(schema: JSONSchemaProps, at: At, skip: Skipped = {}): void {
  validateValueRules(schema, at, skip);
  const items = itemsOf(schema);
  if (items) validateNested(items, at.child("items"));
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    validateNested(property, at.child("properties").key(name));
  for (const [name, detail] of outside) {
    const value = schema[name];
    if (pointers.has(name) ? value !== undefined && value !== null : isSet(value))
      at.forbidden(name, detail);
  }
  if (propertyOf(schema, "metadata"))
    at.child("properties")
      .key("metadata")
      .forbidden("", "must not be specified in a nested context");
}

/** What a junctor speaks of, and where: the same place outside of it. */
interface Outside {
  readonly schema: JSONSchemaProps | undefined;
  readonly at: At;
}

/**
 * Every value that is spoken of under a junctor of the root has a schema outside of it, too. Those of
 * other places are not looked at, as upstream does not.
 */
function validateJunctors(schema: JSONSchemaProps, outer: Outside, at: At): void {
  const { not, allOf = [], anyOf = [], oneOf = [] } = schema;
  if (not) validateComplete(not, outer, at.child("not"));
  for (const [i, inner] of allOf.entries())
    validateComplete(inner, outer, at.child("allOf").index(i));
  for (const [i, inner] of anyOf.entries())
    validateComplete(inner, outer, at.child("anyOf").index(i));
  for (const [i, inner] of oneOf.entries())
    validateComplete(inner, outer, at.child("oneOf").index(i));
}

function validateComplete(schema: JSONSchemaProps, outer: Outside, at: At): void {
  if (outer.schema === undefined) {
    outer.at.required("", `because it is defined in ${at.path}`);
    return;
  }
  validateJunctors(schema, outer, at);
  const items = itemsOf(schema);
  if (items)
    validateComplete(
      items,
      { schema: itemsOf(outer.schema), at: outer.at.child("items") },
      at.child("items"),
    );
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const counterpart = propertyOf(outer.schema, name);
    const place = {
      schema: isSchema(counterpart) ? counterpart : undefined,
      at: outer.at.child("properties").key(name),
    };
    validateComplete(property, place, at.child("properties").key(name));
  }
}
