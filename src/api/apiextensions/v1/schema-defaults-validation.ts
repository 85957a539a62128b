import { DecodeError, decodeJson } from "../../../schema/decode.ts";
import { isDns1035Label, pathSegmentName } from "../../../schema/names.ts";
import { setKey } from "../../../schema/normalise.ts";
import { At } from "../../../schema/report.ts";
import { sameValue } from "../../../schema/validate.ts";
import { ObjectMeta } from "../../meta/v1/object-meta.ts";
import { validateObjectMeta } from "../../meta/v1/object-meta-validation.ts";
import type { JSONSchemaProps } from "./json-schema-props.ts";
import { validateValue } from "./schema-value.ts";
import { additionalOf, itemsOf, propertyOf } from "./subschemas.ts";

/** The rules of the defaults in a structural schema: they are valid, and nothing in them is unknown. */
export function validateDefaults(
  schema: JSONSchemaProps,
  at: At,
  { requirePruned }: { readonly requirePruned: boolean },
): void {
  validateIn(asResource(schema), at, { requirePruned });
}

interface Context {
  readonly requirePruned: boolean;
  /** Within the metadata of a resource: the resource's schema, and the way from it to here. */
  readonly inside?: { readonly resource: JSONSchemaProps; readonly steps: readonly Step[] };
}
/** The name of a member, or an item of a list. */
type Step = string | typeof item;
const item: unique symbol = Symbol("item");
type Json = Record<string, unknown>;

function validateIn(schema: JSONSchemaProps, at: At, context: Context): void {
  const isResource = schema["x-kubernetes-embedded-resource"] === true;
  const inside = isResource ? undefined : context.inside;
  if (schema.default !== undefined && schema.default !== null) {
    if (inside) validateInMetadata(schema, at.child("default"), inside);
    else validateDefault(schema, at.child("default"), context.requirePruned);
  }
  const within = (step: Step): Context => ({
    requirePruned: context.requirePruned,
    ...(inside && { inside: { ...inside, steps: [...inside.steps, step] } }),
  });
  const items = itemsOf(schema);
  if (items) validateIn(items, at.child("items"), within(item));
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const here = at.child("properties").key(name);
    if (isResource && metaFields.has(name))
      validateIn(property, here, {
        requirePruned: context.requirePruned,
        inside: { resource: schema, steps: [name] },
      });
    else validateIn(property, here, within(name));
  }
}

function validateDefault(schema: JSONSchemaProps, at: At, requirePruned: boolean): void {
  const value = structuredClone(schema.default);
  if (requirePruned) {
    const pruned = structuredClone(value);
    prune(pruned, schema);
    if (!sameJson(pruned, value)) at.invalid("", schema.default, "must not have unknown fields");
  }
  const start = at.errors.length;
  coerceResources(value, schema, at);
  if (at.errors.length === start) validateResources(value, schema, at);
  if (at.errors.length === start) validateValue(schema, value, at);
}

/** A default within metadata is looked at in an object that has nothing else. */
function validateInMetadata(
  schema: JSONSchemaProps,
  at: At,
  { resource, steps }: NonNullable<Context["inside"]>,
): void {
  let object: unknown = structuredClone(schema.default);
  for (const step of [...steps].reverse())
    object = typeof step === "string" ? { [step]: object } : [object];
  const whole = { kind: "Validation", apiVersion: "validation/v1", ...(object as Json) };
  const root = At.root();
  coerceResources(whole, asResource(resource), root);
  if (root.errors.length === 0) validateResources(whole, asResource(resource), root);
  const texts = root.errors.map(({ field, message }) => `${field}: ${message}`);
  if (texts.length === 0) {
    validateValue(schema, schema.default, at);
    return;
  }
  const shown = texts.length === 1 ? texts[0] : `[${[...new Set(texts)].join(", ")}]`;
  at.invalid("", schema.default, `must result in valid metadata: ${shown}`);
}

const metaFields = new Set(["metadata", "kind", "apiVersion"]);
const asResource = (schema: JSONSchemaProps): JSONSchemaProps => ({
  ...schema,
  "x-kubernetes-embedded-resource": true,
});
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const sameJson = (a: unknown, b: unknown): boolean => sameValue(a, b) && shape(a) === shape(b);
const shape = (value: unknown): number => JSON.stringify(value).length;

/** Removes what a schema does not name, in place. */
function prune(value: unknown, schema: JSONSchemaProps | undefined): void {
  if (schema?.["x-kubernetes-preserve-unknown-fields"]) {
    pruneKnown(value, schema);
    return;
  }
  if (Array.isArray(value)) for (const each of value) prune(each, schema && itemsOf(schema));
  if (!isObject(value)) return;
  for (const name of Object.keys(value)) {
    if (schema?.["x-kubernetes-embedded-resource"] && metaFields.has(name)) continue;
    const property = schema && propertyOf(schema, name);
    if (property) prune(value[name], property);
    else if (schema?.additionalProperties !== undefined) prune(value[name], additionalOf(schema));
    else delete value[name];
  }
}

/** Removes nothing here, but what is unknown within members that have a schema. */
function pruneKnown(value: unknown, schema: JSONSchemaProps | undefined): void {
  if (schema === undefined) return;
  if (Array.isArray(value)) for (const each of value) pruneKnown(each, itemsOf(schema));
  if (!isObject(value)) return;
  for (const [name, held] of Object.entries(value)) {
    if (schema["x-kubernetes-embedded-resource"] && metaFields.has(name)) continue;
    const property = propertyOf(schema, name);
    if (property) prune(held, property);
    else if (schema.additionalProperties !== undefined) prune(held, additionalOf(schema));
  }
}

/** Puts the metadata of resources in order, in place; stops at the first that is of a wrong type. */
function coerceResources(value: unknown, schema: JSONSchemaProps | undefined, at: At): boolean {
  if (schema === undefined) return true;
  if (Array.isArray(value))
    return value.every((each, i) => coerceResources(each, itemsOf(schema), at.index(i)));
  if (!isObject(value)) return true;
  return Object.keys(value).every((name) => {
    if (schema["x-kubernetes-embedded-resource"] && !coerceMember(value, name, at)) return false;
    const property = propertyOf(schema, name);
    if (property) return coerceResources(value[name], property, at.child(name));
    return coerceResources(value[name], additionalOf(schema), at.key(name));
  });
}

function coerceMember(resource: Json, name: string, at: At): boolean {
  const value = resource[name];
  if ((name === "apiVersion" || name === "kind") && typeof value !== "string") {
    at.invalid(name, value, "must be a string");
    return false;
  }
  if (name !== "metadata") return true;
  try {
    setKey(resource, name, decodeJson(ObjectMeta, JSON.stringify(value)).value);
    return true;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    at.invalid(name, value, error.message);
    return false;
  }
}

/** The rules of the metadata of resources that stand in a value. */
function validateResources(value: unknown, schema: JSONSchemaProps | undefined, at: At): void {
  if (schema === undefined) return;
  if (Array.isArray(value))
    for (const [i, each] of value.entries()) validateResources(each, itemsOf(schema), at.index(i));
  if (!isObject(value)) return;
  if (schema["x-kubernetes-embedded-resource"]) validateResource(value, at);
  for (const [name, held] of Object.entries(value)) {
    const property = propertyOf(schema, name);
    if (property) validateResources(held, property, at.child(name));
    else validateResources(held, additionalOf(schema), at.key(name));
  }
}

function validateResource(resource: Json, at: At): void {
  const { apiVersion, kind, metadata } = resource;
  for (const name of ["apiVersion", "kind"]) if (!Object.hasOwn(resource, name)) at.required(name);
  if (apiVersion === "") at.invalid("apiVersion", "", "must not be empty");
  else if (typeof apiVersion === "string" && apiVersion.split("/").length > 2)
    at.invalid("apiVersion", apiVersion, `unexpected GroupVersion string: ${apiVersion}`);
  if (kind === "") at.invalid("kind", "", "must not be empty");
  else if (typeof kind === "string") {
    const faults = isDns1035Label(kind.toLowerCase());
    if (faults.length > 0)
      at.invalid(
        "kind",
        kind,
        `may have mixed case, but should otherwise match: ${faults.join(",")}`,
      );
  }
  if (!isObject(metadata)) return;
  const meta = { ...(metadata as unknown as ObjectMeta) };
  validateObjectMeta(meta.name ? meta : { ...meta, name: "fakename" }, at.child("metadata"), {
    namespaced: !!meta.namespace,
    name: pathSegmentName,
  });
}
