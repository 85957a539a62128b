import type { DeclType } from "../../../../cel/checking/decl-type.ts";
import { withResourceFields } from "../../../../cel/schema-values/resource-schema.ts";
import {
  type ReadSchemaValue,
  schemaValueReader,
} from "../../../../cel/schema-values/schema-value.ts";
import { escapeName } from "../../../../cel/syntax/escape.ts";
import { followPath } from "../field-path.ts";
import type { JSONSchemaProps } from "../json-schema-props.ts";
import { additionalOf, itemsOf } from "../subschemas.ts";
import { type CompiledRule, createRuleCompiler } from "./rule-expression.ts";
import { ruleType } from "./rule-types.ts";

/** The rules at a place of a schema, ready to be evaluated, and those of the places below that have any. */
export interface RuleTree {
  readonly schema: JSONSchemaProps;
  readonly properties: ReadonlyMap<string, RuleTree>;
  readonly additional: RuleTree | undefined;
  readonly items: RuleTree | undefined;
  /** The rules of this place; compiled when they are first asked for. */
  rules(): ReadyRules;
}

/** The rules of a place, or why there cannot be any. */
export type ReadyRules =
  | {
      readonly rules: readonly ReadyRule[];
      /** Makes a value what the rules see. */
      readonly read: ReadSchemaValue;
    }
  | { readonly fault: string };

export interface ReadyRule extends CompiledRule {
  /** The place that errors name, from here; empty if that is this place. */
  readonly fieldPath: string;
}

/** The rules of a schema, which is that of a whole object if it `isResource`; undefined if it has none. */
export function ruleTree(
  schema: JSONSchemaProps,
  { isResource }: { readonly isResource: boolean },
): RuleTree | undefined {
  return hasRules(schema)
    ? treeOf(schema, isResource, ruleType(schema, { isResource }))
    : undefined;
}

function hasRules(schema: JSONSchemaProps | undefined): boolean {
  if (schema === undefined) return false;
  return (
    rulesOf(schema).length > 0 ||
    hasRules(itemsOf(schema)) ||
    hasRules(additionalOf(schema)) ||
    Object.values(schema.properties ?? {}).some(hasRules)
  );
}

const rulesOf = (schema: JSONSchemaProps) => schema["x-kubernetes-validations"] ?? [];

const isResource = (schema: JSONSchemaProps): boolean =>
  schema["x-kubernetes-embedded-resource"] === true;

function treeOf(
  schema: JSONSchemaProps,
  asResource: boolean,
  type: DeclType | undefined,
): RuleTree | undefined {
  const within = (inner: JSONSchemaProps | undefined, innerType: DeclType | undefined) =>
    inner && treeOf(inner, isResource(inner), innerType);
  const items = within(itemsOf(schema), type?.element);
  const additional = within(additionalOf(schema), type?.element);
  const properties = new Map<string, RuleTree>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const propertyType = typeOfProperty(type, name, property);
    const tree = propertyType && within(property, propertyType);
    if (tree) properties.set(name, tree);
  }
  if (rulesOf(schema).length === 0 && !items && !additional && properties.size === 0)
    return undefined;
  let ready: ReadyRules | undefined;
  const rules = (): ReadyRules => {
    ready ??= readyRules(schema, asResource, type);
    return ready;
  };
  return { schema, properties, additional, items, rules };
}

/** A property whose type cannot be declared is not looked at, nor is anything below it. */
function typeOfProperty(
  outer: DeclType | undefined,
  name: string,
  property: JSONSchemaProps,
): DeclType | undefined {
  const escaped = escapeName(name);
  return escaped === undefined
    ? ruleType(property, { isResource: isResource(property) })
    : outer?.fields?.get(escaped);
}

function readyRules(
  schema: JSONSchemaProps,
  asResource: boolean,
  type: DeclType | undefined,
): ReadyRules {
  const read = schemaValueReader(asResource ? withResourceFields(schema) : schema);
  const all = rulesOf(schema);
  if (all.length === 0) return { rules: [], read };
  if (type === undefined)
    return { fault: "failed to convert to declType for CEL validation rules" };
  const compile = createRuleCompiler(type);
  const rules = all.map((rule) => {
    const path = followPath(rule.fieldPath ?? "", schema);
    return { ...compile(rule), fieldPath: "shown" in path ? path.shown : "" };
  });
  return { rules, read };
}
