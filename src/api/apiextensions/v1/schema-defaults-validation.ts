import { sameJson } from "../../../schema/json/json-value.ts";
import { At } from "../../../schema/language/report.ts";
import { coerceEmbedded, validateEmbedded } from "../../../schema/structural/embedded.ts";
import { asResource, metaFields } from "../../../schema/structural/json-schema.ts";
import { prune } from "../../../schema/structural/prune.ts";
import { validateValue } from "../../../schema/structural/validate-value.ts";
import { embeddedMetadata } from "../../meta/v1/embedded-metadata.ts";
import type { JSONSchemaProps } from "./json-schema-props.ts";
import { evaluateRules, ruleBudget } from "./rules/evaluate-rules.ts";
import { ruleTree } from "./rules/rule-tree.ts";
import { itemsOf } from "./subschemas.ts";

/**
 * The rules of the defaults in a structural schema: they are valid, and nothing in them is unknown. What the
 * expressions of all of them cost together is limited.
 */
export function validateDefaults(
  schema: JSONSchemaProps,
  at: At,
  { requirePruned }: { readonly requirePruned: boolean },
): void {
  validateIn(asResource(schema), at, { requirePruned, run: { budget: ruleBudget } });
}

interface Context {
  readonly requirePruned: boolean;
  /** What expressions may still cost; negative: nothing more is looked at. */
  readonly run: { budget: number };
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
  const { requirePruned, run } = context;
  const inside = isResource ? undefined : context.inside;
  if (schema.default !== undefined && schema.default !== null) {
    const here = at.child("default");
    const isFit = inside
      ? validateInMetadata(schema, here, inside)
      : validateDefault(schema, here, requirePruned);
    if (isFit) run.budget = validateByRules(schema, here, run.budget);
    if (run.budget < 0) return;
  }
  const within = (step: Step): Context => ({
    requirePruned,
    run,
    ...(inside && { inside: { ...inside, steps: [...inside.steps, step] } }),
  });
  const items = itemsOf(schema);
  if (items) validateIn(items, at.child("items"), within(item));
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (run.budget < 0) return;
    const here = at.child("properties").key(name);
    if (isResource && metaFields.has(name))
      validateIn(property, here, {
        requirePruned,
        run,
        inside: { resource: schema, steps: [name] },
      });
    else validateIn(property, here, within(name));
  }
}

/** Returns whether expressions can be asked about a default, too. */
function validateDefault(schema: JSONSchemaProps, at: At, requirePruned: boolean): boolean {
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
  return at.errors.length === start;
}

/**
 * Evaluates the rules of a default, as of a value that stays and as of one that is new. Returns what the more
 * expensive of both leaves of the budget.
 */
function validateByRules(schema: JSONSchemaProps, at: At, budget: number): number {
  const isResource = schema["x-kubernetes-embedded-resource"] === true;
  const tree = ruleTree(schema, { isResource });
  if (tree === undefined) return budget;
  const value = schema.default;
  const start = at.errors.length;
  const left = evaluateRules(tree, { value, old: value }, { at, budget });
  if (at.errors.length > start) return left;
  return Math.min(left, evaluateRules(tree, { value }, { at, budget }));
}

/** A default within metadata is looked at in an object that has nothing else. Returns what `validateDefault` does. */
function validateInMetadata(
  schema: JSONSchemaProps,
  at: At,
  { resource, steps }: NonNullable<Context["inside"]>,
): boolean {
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
    const start = at.errors.length;
    validateValue(schema, schema.default, at);
    return at.errors.length === start;
  }
  const shown = texts.length === 1 ? texts[0] : `[${[...new Set(texts)].join(", ")}]`;
  at.invalid("", schema.default, `must result in valid metadata: ${shown}`);
  return false;
}
