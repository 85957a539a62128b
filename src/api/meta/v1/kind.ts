import { type Field, list as listField, value } from "../../../schema/language/field.ts";
import {
  apiVersionOf,
  type Column,
  type Conversion,
  type Kind,
  type Strategy,
  type Verb,
} from "../../../schema/language/kind.ts";
import type { At } from "../../../schema/language/report.ts";
import {
  type Draft,
  type Fields,
  type Input,
  type Step,
  Struct,
  type Value,
} from "../../../schema/language/struct.ts";
import { type StructFormOptions, structForm } from "../../../schema/language/struct-form.ts";
import { validateAt, validateImmutable } from "../../../schema/language/validate.ts";
import { ListMeta } from "./list-meta.ts";
import { ObjectMeta } from "./object-meta.ts";
import {
  type NameRule,
  validateFinalizerDomain,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "./object-meta-validation.ts";
import { type StandardStrategy, standardStrategy } from "./standard-strategy.ts";
import { metadataDoc, typeMeta } from "./type-meta.ts";

type ObjectFields<F extends Fields> = F & {
  readonly kind: Field<string, "present">;
  readonly apiVersion: Field<string, "present">;
  readonly metadata: Field<ObjectMeta, "present">;
};
/** An object of a kind with these fields, as the server stores and serves it. */
export type ObjectValue<F extends Fields> = Value<ObjectFields<F>>;
/** The object of a kind. */
export type ObjectOf<K extends { readonly $value?: unknown }> = NonNullable<K["$value"]>;

export interface KindDefinition<F extends Fields> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular?: string;
  readonly scope: "Namespaced" | "Cluster";
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** The package of its OpenAPI name, where it is not `io.k8s.api.GROUP.VERSION`. */
  readonly package?: string;
  /** The verbs it is served with; all of them if not given. */
  readonly verbs?: readonly Verb[];
  /** Left out for stable versions. */
  readonly stability?: "beta" | "alpha";
  /** The warning of a version that is on its way out. */
  readonly deprecated?: string;
  /** For what is answered and not kept, such as reviews. */
  readonly isStored?: false;
  /** Under `/registry/`, where that is not the plural. */
  readonly storagePrefix?: string;
  /** Where objects are stored as another kind. */
  readonly conversion?: Conversion;
  /** By other versions in which upstream stores objects, as JSON: what makes them this one. */
  readonly storedVersions?: StructFormOptions["storedVersions"];
  /** What it is, in a sentence: what OpenAPI and `kubectl explain` show. */
  readonly doc: string;
  readonly name: NameRule;
  /** Its own fields beside metadata, in order. */
  readonly fields: F;
  readonly metadataTag?: number;
  /** True where OpenAPI lists the metadata as required. */
  readonly metadataExpected?: true;
  readonly subresources?: readonly string[];
  readonly columns?: readonly Column<ObjectValue<F>>[];
  readonly rowConditions?: (object: ObjectValue<F>) => readonly object[];
  readonly selectableFields?: Readonly<Record<string, (object: ObjectValue<F>) => string>>;
  /** What is said of a field that it cannot be selected on, where that is in words of its own. */
  readonly unknownField?: (field: string) => string;
  readonly strategy?: StandardStrategy<Draft<ObjectValue<F>>>;
  /** Annotations that upstream holds as fields: absent where the metadata is shown alone. */
  readonly fieldAnnotations?: readonly string[];
  /** Defaults that look at the object as a whole. */
  readonly defaults?: (object: Draft<ObjectValue<F>>) => void;
  /** Validation beside that of the metadata, in upstream's order; without it, the fields in order. */
  readonly rules?: readonly Step<ObjectValue<F>>[];
  /** False where the kind's own validation leaves the metadata to the checks common to all kinds. */
  readonly metadataRules?: false;
  /** False where the kind's own validation of an update leaves what may not change of the metadata to those checks. */
  readonly metadataUpdateRules?: false;
  /** False where that holds for the status subresource alone. */
  readonly metadataStatusRules?: false;
  /** True where finalizers need no domain. */
  readonly anyFinalizer?: true;
  /** As `updateRules`, but before what may not change of the metadata is validated. */
  readonly firstUpdateRules?: (
    object: ObjectValue<F>,
    old: ObjectValue<F>,
    update: UpdateCheck,
  ) => void;
  /** Instead of `rules` in an update; what may not change of the metadata has been validated already. */
  readonly updateRules?: (object: ObjectValue<F>, old: ObjectValue<F>, update: UpdateCheck) => void;
  /** For the status subresource; what may not change of the metadata has been validated already. */
  readonly statusRules?: (object: ObjectValue<F>, old: ObjectValue<F>, update: UpdateCheck) => void;
}

/** Where an update is reported, and the validation of creation, to be run at its place among the others. */
export interface UpdateCheck {
  readonly at: At;
  /** All that is asked of a new object, metadata included. */
  create(): void;
  /** What is asked of the metadata of a new object. */
  metadata(): void;
  /** What `rules` asks, without the metadata. */
  rules(): void;
}

const allVerbs: readonly Verb[] = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];

/** Declares a kind: all that the server, its clients and its documents know of it. */
export function kind<const F extends Fields>(
  definition: KindDefinition<F>,
): Kind<ObjectValue<F>, Input<ObjectFields<F>>> {
  type O = ObjectValue<F>;
  const { group, version, kind: name, plural, scope, fields } = definition;
  const prefix =
    definition.package ?? `io.k8s.api.${group === "" ? "core" : group.split(".")[0]}.${version}`;
  const metadata = value(definition.metadataTag ?? 1, ObjectMeta).doc(metadataDoc);
  if (definition.metadataExpected) metadata.expected();
  const object = new Struct<O, Input<ObjectFields<F>>>(`${prefix}.${name}`, {
    ...typeMeta,
    metadata,
    ...fields,
  }).doc(definition.doc);
  if (definition.defaults) object.setDefaults = definition.defaults as (value: never) => void;
  // The status is validated where it is written: through its subresource.
  const own = Object.keys(fields).filter((field) => field !== "status");
  object.steps = definition.rules ?? (own as never);
  const validated = new Struct(
    object.name,
    Object.fromEntries(Object.entries(fields).filter(([field]) => field !== "status")),
  );
  validated.steps = object.steps;
  const list = new Struct(`${prefix}.${name}List`, {
    ...typeMeta,
    metadata: value(1, ListMeta).doc("The version of the list, and where it continues."),
    items: listField(2, object).always().expected().doc(`List of ${plural}.`),
  }).doc(`A list of ${plural}.`);
  const meta = { namespaced: scope === "Namespaced", name: definition.name };
  const checksMetadata = definition.metadataRules ?? true;
  const metadataOf = (value: unknown) => (value as { metadata: ObjectMeta }).metadata;
  const finalizerDomains = (value: unknown, at: At) => {
    if (definition.anyFinalizer) return;
    for (const [i, finalizer] of (metadataOf(value).finalizers ?? []).entries())
      validateFinalizerDomain(finalizer, at.child("metadata").child("finalizers").index(i));
  };
  const metadataUpdate = (value: unknown, old: unknown, at: At) => {
    if (!checksMetadata || definition.metadataUpdateRules === false) return;
    validateObjectMetaUpdate(metadataOf(value), metadataOf(old), at.child("metadata"));
    finalizerDomains(value, at);
  };
  const validateMetadata = (value: O, at: At) => {
    if (!checksMetadata) return;
    validateObjectMeta(metadataOf(value), at.child("metadata"), meta);
    finalizerDomains(value, at);
  };
  const validateCreate = (value: O, at: At) => {
    validateMetadata(value, at);
    validateAt(validated, value, at);
  };
  const updateCheck = (value: O, at: At): UpdateCheck => ({
    at,
    create: () => validateCreate(value, at),
    metadata: () => validateMetadata(value, at),
    rules: () => validateAt(validated, value, at),
  });

  return {
    group,
    version,
    kind: name,
    plural,
    singular: definition.singular ?? name.toLowerCase(),
    scope,
    shortNames: definition.shortNames ?? [],
    categories: definition.categories ?? [],
    verbs: definition.verbs ?? allVerbs,
    stability: definition.stability ?? "stable",
    deprecated: definition.deprecated,
    isStored: definition.isStored ?? true,
    storagePrefix: definition.storagePrefix ?? plural,
    form: structForm({
      apiVersion: apiVersionOf(definition),
      kind: name,
      struct: object,
      list,
      storedVersions: definition.storedVersions,
    }),
    struct: object,
    list,
    conversion: definition.conversion,
    subresources: [...(definition.subresources ?? [])].sort(),
    rowConditions: definition.rowConditions,
    columns: (definition.columns ?? []) as readonly Column[],
    selectableFields: definition.selectableFields ?? {},
    ...(definition.unknownField && { unknownField: definition.unknownField }),
    fieldAnnotations: definition.fieldAnnotations ?? [],
    strategy: standardStrategy(definition.strategy ?? {}) as Strategy<never>,
    validatesMetadata: definition.metadataRules !== false,
    validateCreate,
    validateUpdate(value, old, at) {
      const check = updateCheck(value, at);
      definition.firstUpdateRules?.(value, old, check);
      metadataUpdate(value, old, at);
      if (definition.updateRules) definition.updateRules(value, old, check);
      else check.rules();
      validateImmutable(validated, value, old, at);
    },
    validateStatusUpdate(value, old, at) {
      if (definition.metadataStatusRules !== false) metadataUpdate(value, old, at);
      definition.statusRules?.(value, old, updateCheck(value, at));
    },
  };
}
