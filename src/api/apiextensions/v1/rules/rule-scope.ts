import type { DeclType } from "../../../../cel/checking/decl-type.ts";
import { escapeName } from "../../../../cel/syntax/escape.ts";
import { At } from "../../../../schema/language/report.ts";
import type { JSONSchemaProps } from "../json-schema-props.ts";
import { ruleType } from "./rule-types.ts";

/** The rules of a whole schema: what is wrong with them, and what they cost together. */
export interface RuleReport {
  readonly at: At;
  total: number;
  /** Those that cost most, the most expensive first. */
  expensive: { readonly path: string; readonly cost: number }[];
}

/** Where in a schema rules are: what their values are, and how many of them there can be. */
export interface RuleScope {
  readonly report: RuleReport;
  /** How many values there can be here, if that is known. */
  readonly count: number | undefined;
  readonly schema: JSONSchemaProps;
  /** The type of the values here; only asked for where there are rules, or above. */
  type(): DeclType | undefined;
  property(schema: JSONSchemaProps, name: string): RuleScope;
  items(schema: JSONSchemaProps): RuleScope;
  additional(schema: JSONSchemaProps): RuleScope;
}

/** The scope of the rules of the root of a schema. */
export function rootRuleScope(schema: JSONSchemaProps): RuleScope {
  const report: RuleReport = { at: At.root(), total: 0, expensive: [] };
  return createScope({
    schema,
    report,
    count: 1,
    isWithinRules: hasRules(schema),
    ownType: () => ruleType(schema, { isResource: true }),
  });
}

interface Place {
  readonly schema: JSONSchemaProps;
  readonly report: RuleReport;
  readonly count: number | undefined;
  /** Whether there are rules here or above: then types come from above. */
  readonly isWithinRules: boolean;
  readonly ownType: () => DeclType | undefined;
}

function createScope(place: Place): RuleScope {
  const { schema, report, count, isWithinRules } = place;
  let type: { readonly known: DeclType | undefined } | undefined;
  const typeHere = (): DeclType | undefined => {
    type ??= { known: place.ownType() };
    return type.known;
  };
  const child = (
    inner: JSONSchemaProps,
    typeFrom: (outer: DeclType) => DeclType | undefined,
  ): RuleScope => {
    const isResource = inner["x-kubernetes-embedded-resource"] === true;
    const most = maxElements(schema);
    return createScope({
      schema: inner,
      report,
      count: count === undefined || most === undefined ? undefined : count * most,
      isWithinRules: isWithinRules || hasRules(inner),
      ownType: () => {
        if (!isWithinRules) return ruleType(inner, { isResource });
        const outer = typeHere();
        return outer && (typeFrom(outer) ?? ruleType(inner, { isResource }));
      },
    });
  };
  return {
    report,
    count,
    schema,
    type: typeHere,
    property: (inner, name) => child(inner, ({ fields }) => fields?.get(escapeName(name) ?? "")),
    items: (inner) => child(inner, ({ element }) => element),
    additional: (inner) => child(inner, ({ element }) => element),
  };
}

const hasRules = (schema: JSONSchemaProps): boolean =>
  (schema["x-kubernetes-validations"] ?? []).length > 0;

/** How many values there can be in one of a schema, if that is known. */
function maxElements(schema: JSONSchemaProps): number | undefined {
  if (schema.type === "object" && schema.additionalProperties !== undefined) {
    return atLeastZero(schema.maxProperties);
  }
  return schema.type === "array" ? atLeastZero(schema.maxItems) : 1;
}

const atLeastZero = (value: number | undefined): number | undefined =>
  value === undefined ? undefined : Math.max(value, 0);
