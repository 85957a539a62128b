import { sameJson } from "../../../schema/json/json-value.ts";
import { At } from "../../../schema/language/report.ts";
import { coerceEmbedded, validateEmbedded } from "../../../schema/structural/embedded.ts";
import { asResource, metaFields } from "../../../schema/structural/json-schema.ts";
import { prune } from "../../../schema/structural/prune.ts";
import { validateValue } from "../../../schema/structural/validate-value.ts";
import { embeddedMetadata } from "../../meta/v1/embedded-metadata.ts";
import type { JSONSchemaProps } from "./json-schema-props.ts";
import { itemsOf } from "./subschemas.ts";

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
const metadata = embeddedMetadata;

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
  coerceEmbedded(value, schema, { at, metadata });
  if (at.errors.length === start) validateEmbedded(value, schema, { at, metadata });
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
  const place = { at: root, metadata };
  coerceEmbedded(whole, asResource(resource), place);
  if (root.errors.length === 0) validateEmbedded(whole, asResource(resource), place);
  const texts = root.errors.map(({ field, message }) => `${field}: ${message}`);
  if (texts.length === 0) {
    validateValue(schema, schema.default, at);
    return;
  }
  const shown = texts.length === 1 ? texts[0] : `[${[...new Set(texts)].join(", ")}]`;
  at.invalid("", schema.default, `must result in valid metadata: ${shown}`);
}
