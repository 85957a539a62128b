import { At } from "../../../schema/language/report.ts";
import { sameValue } from "../../../schema/language/validate.ts";
import {
  type ConversionOptions,
  caBundleFault,
  hasKnownReviewVersion,
} from "./custom-resource-conversion-validation.ts";
import type {
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionStatus,
} from "./custom-resource-definition-spec.ts";
import { internalSpec } from "./internal-form.ts";
import type { JSONSchemaProps } from "./json-schema-props.ts";
import { hasLooseItems, hasLooseKeys } from "./list-type-validation.ts";
import type { SchemaContext } from "./open-api-schema-validation.ts";
import { structuralFault, validateStructural } from "./structural-schema.ts";
import { schemaHas } from "./subschemas.ts";

/** How strictly a definition is validated: what was accepted once stays so. */
export interface DefinitionOptions extends ConversionOptions, SchemaContext {
  readonly requireSchemas: boolean;
  readonly requireStructural: boolean;
  readonly requireSameNames: boolean;
  /** Versions that may have more selectable fields than there may be; "" stands for all of them. */
  readonly manySelectableFields: ReadonlySet<string>;
  /** Versions whose schema an update leaves as it is: their rules may cost what they cost. */
  readonly unchangedSchemas: ReadonlySet<string>;
}

/** For a new definition: everything is asked of it. */
export const creationOptions: DefinitionOptions = {
  requireKnownReviewVersion: true,
  // It is not served yet, and others may still put the certificates in.
  allowBadCaBundle: true,
  requireSchemas: true,
  requireStructural: true,
  requireSameNames: false,
  requireValidType: true,
  requireAtomicSets: true,
  requireMapKeys: true,
  manySelectableFields: new Set(),
  unchangedSchemas: new Set(),
};

interface Definition {
  readonly spec: CustomResourceDefinitionSpec;
  readonly status: CustomResourceDefinitionStatus;
}

/** For an update: what the definition broke already may stay as it is. */
export function updateOptions({ spec }: Definition, old: Definition): DefinitionOptions {
  const { clientConfig, conversionReviewVersions } = old.spec.conversion?.webhook ?? {};
  const isEstablished = (old.status.conditions ?? []).some(
    ({ type, status }) => type === "Established" && status === "True",
  );
  const none = (holds: (schema: JSONSchemaProps) => boolean) =>
    !someSchema(old.spec, (schema) => schemaHas(schema, holds));
  return {
    requireKnownReviewVersion: hasKnownReviewVersion(conversionReviewVersions ?? []),
    allowBadCaBundle: !isEstablished || caBundleFault(clientConfig?.caBundle) !== undefined,
    requireSchemas: (old.spec.versions ?? []).every(({ schema }) => schema?.openAPIV3Schema),
    requireStructural: !someSchema(old.spec, isLoose),
    requireSameNames: isEstablished,
    requireValidType: none(({ type }) => !!type && !types.has(type)),
    requireAtomicSets: none(hasLooseItems),
    requireMapKeys: none((schema) => hasLooseKeys(schema, At.root())),
    manySelectableFields: unchangedSelectableFields(spec, old.spec),
    unchangedSchemas: unchangedSchemas(spec, old.spec),
  };
}

/** Whether something holds of the schema of a version. */
export const someSchema = (
  { versions }: CustomResourceDefinitionSpec,
  holds: (schema: JSONSchemaProps) => boolean,
): boolean =>
  (versions ?? []).some(({ schema }) => schema?.openAPIV3Schema && holds(schema.openAPIV3Schema));

const types = new Set(["array", "boolean", "integer", "number", "object", "string"]);

function isLoose(schema: JSONSchemaProps): boolean {
  if (structuralFault(schema) !== undefined) return true;
  const at = At.root();
  validateStructural(schema, at);
  return at.errors.length > 0;
}

function unchangedSchemas(
  { versions }: CustomResourceDefinitionSpec,
  old: CustomResourceDefinitionSpec,
): ReadonlySet<string> {
  const unchanged = (versions ?? []).filter(({ name, schema }) => {
    const before = old.versions?.find((version) => version.name === name);
    return before !== undefined && sameValue(schema, before.schema);
  });
  return new Set(unchanged.map(({ name }) => name));
}

function unchangedSelectableFields(
  spec: CustomResourceDefinitionSpec,
  old: CustomResourceDefinitionSpec,
): ReadonlySet<string> {
  const placesOf = (each: CustomResourceDefinitionSpec) => {
    const { shared, versions } = internalSpec(each);
    const named = (versions ?? []).map(
      ({ name, selectableFields }) => [name, selectableFields] as const,
    );
    return new Map([["", shared.selectableFields] as const, ...named]);
  };
  const before = placesOf(old);
  const unchanged = [...placesOf(spec)].filter(([name, fields]) => {
    const then = before.get(name) ?? [];
    return then.length > 8 && sameValue(fields, then);
  });
  return new Set(unchanged.map(([name]) => name));
}
