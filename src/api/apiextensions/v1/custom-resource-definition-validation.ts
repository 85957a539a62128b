import type { At } from "../../../schema/language/report.ts";
import { sameValue } from "../../../schema/language/validate.ts";
import { isDns1123Subdomain } from "../../../schema/values/names.ts";
import { validateConversion } from "./custom-resource-conversion-validation.ts";
import type {
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionStatus,
  CustomResourceDefinitionVersion,
} from "./custom-resource-definition-spec.ts";
import { validateLabel, validateNames } from "./custom-resource-names-validation.ts";
import { validateDeprecation, validatePerVersion } from "./custom-resource-version-validation.ts";
import { type DefinitionOptions, someSchema } from "./definition-options.ts";
import { goVersions, type InternalSpec, internalSpec } from "./internal-form.ts";
import type { JSONSchemaProps } from "./json-schema-props.ts";
import { schemaHas } from "./subschemas.ts";

/** The rules of a definition's spec. */
export function validateSpec(
  spec: CustomResourceDefinitionSpec,
  at: At,
  given: DefinitionOptions,
): void {
  const { names, conversion, preserveUnknownFields = false } = spec;
  const internal = internalSpec(spec);
  const hasDefault = someSchema(spec, (schema) => schemaHas(schema, isDefaulted));
  const requireStructural =
    given.requireStructural ||
    !preserveUnknownFields ||
    hasDefault ||
    someSchema(spec, (schema) => schemaHas(schema, isExtended));
  const options = { ...given, requireStructural };
  validateGroup(spec.group, at);
  if (!spec.scope) at.required("scope");
  else if (spec.scope !== "Cluster" && spec.scope !== "Namespaced")
    at.notSupported("scope", spec.scope, ["Cluster", "Namespaced"]);
  validateHasSchemas(spec, at, given);
  if (hasDefault && preserveUnknownFields)
    at.invalid(
      "preserveUnknownFields",
      true,
      "must be false in order to use defaults in the schema",
    );
  validateVersions(internal, at, options);
  for (const name of ["plural", "singular", "kind", "listKind"] as const)
    if (!names[name]) at.child("names").required(name);
  validateNames(names, at.child("names"));
  validatePerVersion(internal.shared, at, {
    ...options,
    schemaName: "validation",
    noSchema: "may only be set when validations.schema is included",
    hasStatus: [internal.shared, ...(internal.versions ?? [])].some(
      ({ subresources }) => subresources?.status !== undefined,
    ),
    allowManySelectableFields: options.manySelectableFields.has(""),
    allowRuleCosts: options.unchangedSchemas.has(spec.versions?.[0]?.name ?? ""),
  });
  if (!conversion) return;
  if (conversion.strategy !== "None" && preserveUnknownFields)
    at.child("conversion").invalid(
      "strategy",
      conversion.strategy,
      "must be None if spec.preserveUnknownFields is true",
    );
  validateConversion(conversion, at.child("conversion"), options);
}

/** What an update of a definition may not change. */
export function validateSpecUpdate(
  spec: CustomResourceDefinitionSpec,
  old: CustomResourceDefinitionSpec,
  at: At,
  { requireSameNames }: DefinitionOptions,
): void {
  const same = (field: string, now: string, before: string) => {
    if (now !== before) at.invalid(field, now, "field is immutable");
  };
  if (requireSameNames) {
    same("scope", spec.scope, old.scope);
    same("names.kind", spec.names.kind, old.names.kind);
  }
  same("group", spec.group, old.group);
  same("names.plural", spec.names.plural, old.names.plural);
}

export function validateStatus({ acceptedNames }: CustomResourceDefinitionStatus, at: At): void {
  validateNames(acceptedNames, at.child("acceptedNames"));
}

/** Every version that objects may be stored in is declared, and the one they will be stored in is noted. */
export function validateStoredVersions(
  storedVersions: readonly string[] | null | undefined,
  versions: readonly CustomResourceDefinitionVersion[] | null | undefined,
  at: At,
): void {
  const stored = storedVersions ?? [];
  if (stored.length === 0) {
    at.invalid("", storedVersions, "must have at least one stored version");
    return;
  }
  const left = new Set(stored);
  for (const { name, storage } of versions ?? []) {
    if (storage && !left.has(name)) at.invalid("", stored, `must have the storage version ${name}`);
    // A name that is given twice is found once, as upstream finds it.
    left.delete(name);
  }
  for (const [i, name] of stored.entries())
    if (left.has(name) && stored.lastIndexOf(name) === i)
      at.index(i).invalid(
        "",
        name,
        `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
      );
}

function validateGroup(group: string, at: At): void {
  const faults = isDns1123Subdomain(group);
  if (!group) at.required("group");
  else if (faults.length > 0) at.invalid("group", group, faults.join(","));
  else if (!group.includes("."))
    at.invalid("group", group, "should be a domain with at least one dot");
}

function validateHasSchemas(
  { versions, preserveUnknownFields }: CustomResourceDefinitionSpec,
  at: At,
  { requireSchemas }: DefinitionOptions,
): void {
  if (!requireSchemas && preserveUnknownFields) return;
  for (const [i, { served, schema }] of (versions ?? []).entries())
    if (!schema?.openAPIV3Schema && (requireSchemas || served))
      at.child("versions")
        .index(i)
        .child("schema")
        .required(
          "openAPIV3Schema",
          requireSchemas ? "" : "because otherwise all fields are pruned",
        );
}

function validateVersions(
  { shared, versions }: InternalSpec,
  at: At,
  options: DefinitionOptions,
): void {
  const all = versions ?? [];
  const areTheirOwn = all.some(({ subresources }) => subresources !== undefined);
  for (const [i, version] of all.entries()) {
    const here = at.child("versions").index(i);
    validateLabel("name", version.name, here);
    validateDeprecation(version, here);
    validatePerVersion(version, here, {
      ...options,
      schemaName: "schema",
      noSchema: "may only be set when `version.schema.openAPIV3Schema` is not included",
      hasStatus: (areTheirOwn ? version : shared).subresources?.status !== undefined,
      allowManySelectableFields: options.manySelectableFields.has(version.name),
      allowRuleCosts: options.unchangedSchemas.has(version.name),
    });
  }
  if (new Set(all.map(({ name }) => name)).size < all.length)
    at.invalid("versions", goVersions(versions), "must contain unique version names");
  if (all.filter(({ storage }) => storage).length !== 1)
    at.invalid(
      "versions",
      goVersions(versions),
      "must have exactly one version marked as storage version",
    );
  const first = all[0]?.name;
  if (first) validateLabel("version", first, at);
}

const isDefaulted = (schema: JSONSchemaProps): boolean =>
  schema.default !== undefined && schema.default !== null;

const isExtended = (schema: JSONSchemaProps): boolean =>
  schema["x-kubernetes-embedded-resource"] === true ||
  schema["x-kubernetes-preserve-unknown-fields"] !== undefined ||
  schema["x-kubernetes-int-or-string"] === true ||
  !sameValue(schema["x-kubernetes-list-map-keys"], undefined) ||
  schema["x-kubernetes-list-type"] !== undefined ||
  !sameValue(schema["x-kubernetes-validations"], undefined);
