import { value } from "../../../schema/language/field.ts";
import { canonicalise } from "../../../schema/language/normalise.ts";
import type { At } from "../../../schema/language/report.ts";
import type { Draft } from "../../../schema/language/struct.ts";
import { isKnownFormat } from "../../../schema/structural/formats.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { quote } from "../../../schema/values/quote.ts";
import { nameColumn } from "../../meta/v1/columns.ts";
import { createdAtColumn } from "../../meta/v1/created-at-column.ts";
import { kind, type ObjectOf, type ObjectValue } from "../../meta/v1/kind.ts";
import {
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../../meta/v1/object-meta-validation.ts";
import { validateApiApproval } from "./api-approval.ts";
import {
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionStatus,
} from "./custom-resource-definition-spec.ts";
import {
  validateSpec,
  validateSpecUpdate,
  validateStatus,
  validateStoredVersions,
} from "./custom-resource-definition-validation.ts";
import { cleanupFinalizer, setCondition } from "./definition-conditions.ts";
import { creationOptions, someSchema, updateOptions } from "./definition-options.ts";
import { definitionFromV1beta1 } from "./from-v1beta1.ts";
import { internalSpec } from "./internal-form.ts";
import { apiextensions } from "./package.ts";
import { schemaHas } from "./subschemas.ts";

const fields = {
  spec: value(2, CustomResourceDefinitionSpec)
    .expected()
    .doc("What the custom resource should be."),
  status: value(3, CustomResourceDefinitionStatus).doc("What it is at present."),
};
type Definition = ObjectValue<typeof fields>;
type DefinitionDraft = Draft<Definition>;

export const CustomResourceDefinition = kind({
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  shortNames: ["crd", "crds"],
  categories: ["api-extensions"],
  scope: "Cluster",
  package: apiextensions,
  storagePrefix: "apiextensions.k8s.io/customresourcedefinitions",
  storedVersions: { "apiextensions.k8s.io/v1beta1": definitionFromV1beta1 },
  doc: "Declares a resource that the API server then serves.",
  name: nameIsDnsSubdomain,
  fields,
  subresources: ["status"],
  defaults: ({ spec, status }) => {
    const stored = status?.storedVersions ?? [];
    const storage = spec?.versions?.find((version) => version.storage)?.name;
    if (stored.length === 0 && storage !== undefined)
      Object.assign(status ?? {}, { storedVersions: [storage] });
  },
  // The name depends on the spec, and the rules of finalizers are those of all kinds.
  metadataRules: false,
  rules: [
    (definition, at) => {
      const { plural, group } = { ...definition.spec.names, ...definition.spec };
      validateObjectMeta(definition.metadata, at.child("metadata"), {
        namespaced: false,
        name: (name, prefix) => [
          ...nameIsDnsSubdomain(name, prefix),
          ...(name === `${plural}.${group}` ? [] : ['must be spec.names.plural+"."+spec.group']),
        ],
      });
      validateSpec(definition.spec, at.child("spec"), creationOptions);
      validateRest(definition, undefined, at);
    },
  ],
  updateRules(definition, old, { at }) {
    const options = updateOptions(definition, old);
    validateObjectMetaUpdate(definition.metadata, old.metadata, at.child("metadata"));
    validateSpec(definition.spec, at.child("spec"), options);
    validateSpecUpdate(definition.spec, old.spec, at.child("spec"), options);
    validateRest(definition, old, at);
  },
  statusRules({ metadata, status }, old, { at }) {
    validateObjectMetaUpdate(metadata, old.metadata, at.child("metadata"));
    validateStatus(status, at.child("status"));
  },
  strategy: {
    initialStatus: { acceptedNames: { plural: "", kind: "" } } as never,
    generation: { spec: sameSpec },
    prepare(definition) {
      definition.status = structuredClone(definition.status);
      noteStorageVersion(definition);
    },
    conditionalUpdateOnly: true,
    beginDelete({ metadata, status }) {
      const { finalizers = [], deletionTimestamp = "" } = metadata;
      if (!finalizers.includes(cleanupFinalizer))
        metadata.finalizers = [...finalizers, cleanupFinalizer];
      setCondition(
        status,
        {
          type: "Terminating",
          status: "True",
          reason: "InstanceDeletionPending",
          message:
            "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
        },
        deletionTimestamp,
      );
    },
    mayDelete: () => true,
    warnings: unknownFormats,
  },
  columns: [nameColumn, createdAtColumn],
});
export interface CustomResourceDefinition extends ObjectOf<typeof CustomResourceDefinition> {}

function validateRest(definition: Definition, old: Definition | undefined, at: At): void {
  const { spec, status } = definition;
  validateStatus(status, at.child("status"));
  validateStoredVersions(
    status.storedVersions,
    spec.versions,
    at.child("status").child("storedVersions"),
  );
  validateApiApproval(definition, old, at);
  if (spec.preserveUnknownFields && !old?.spec.preserveUnknownFields)
    at.child("spec").invalid(
      "preserveUnknownFields",
      true,
      "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
    );
}

/** Objects will be stored in this version from now on. */
function noteStorageVersion({ spec, status }: DefinitionDraft): void {
  const storage = spec.versions?.find((version) => version.storage)?.name;
  if (storage === undefined || status.storedVersions?.includes(storage)) return;
  status.storedVersions = [...(status.storedVersions ?? []), storage];
}

function sameSpec(a: unknown, b: unknown): boolean {
  const textOf = (spec: unknown) =>
    JSON.stringify(canonicalise(CustomResourceDefinitionSpec, spec));
  return textOf(a) === textOf(b);
}

/** A warning for each format in the schemas that says nothing here, and said nothing before. */
function unknownFormats({ spec }: Definition, old: Definition | undefined): readonly string[] {
  const before = new Set(old ? formatsOf(old.spec) : []);
  return formatsOf(spec)
    .filter((format) => !before.has(format))
    .map((format) => `unrecognized format ${quote(format)}`);
}

function formatsOf(spec: CustomResourceDefinitionSpec): readonly string[] {
  const { shared, versions } = internalSpec(spec);
  const found: string[] = [];
  const places = [{ ...shared, name: "" }, ...(versions ?? [])];
  someSchema({ versions: places } as never, (schema) =>
    schemaHas(schema, ({ format = "", type = "" }) => {
      if (format !== "" && !isKnownFormat(format, type)) found.push(format);
      return false;
    }),
  );
  return found;
}
