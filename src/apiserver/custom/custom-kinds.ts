import type { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import type { CustomResourceDefinitionVersion } from "../../api/apiextensions/v1/custom-resource-definition-spec.ts";
import { embeddedMetadata } from "../../api/meta/v1/embedded-metadata.ts";
import type { ScalePaths, Verb, VersionConverter } from "../../schema/language/kind.ts";
import { apiVersionOf } from "../../schema/language/kind.ts";
import { type SchemaResource, schemaForm } from "../../schema/structural/schema-form.ts";
import type { RuleTimes } from "../metrics/cel-metrics.ts";
import type { AnyKind } from "../objects/object.ts";
import { versionOfStored } from "./conversion/version-of-stored.ts";
import { convertCustom } from "./convert-custom.ts";
import { customColumns } from "./custom-columns.ts";
import { customStrategy } from "./custom-strategy.ts";
import { customValidation } from "./custom-validation.ts";
import { deprecationOf } from "./deprecation.ts";
import { modelName, openApiSchemas } from "./open-api-schema.ts";
import { selectableFields } from "./selectable-fields.ts";

/** The state of a definition that changes while its kinds stay the same. */
export interface CustomState {
  /** Whether its objects are being removed, as it will be itself. */
  isTerminating(): boolean;
  /** Has objects converted by the webhook of the definition; absent where nothing can be called. */
  readonly convert?: VersionConverter["convert"];
  /** Measures its rules, when metrics are collected. */
  readonly ruleTimes?: RuleTimes | undefined;
}

/** The kinds of a definition, one for each version, in its order; those that are not served included. */
export function customKinds(
  definition: CustomResourceDefinition,
  state: CustomState,
): readonly AnyKind[] {
  const { spec } = definition;
  const versions = new Map<string, AnyKind>();
  const resource = resourceOf(definition);
  // The stored kind comes first: the others refer to it.
  const inOrder = [...spec.versions].sort((a, b) => Number(b.storage) - Number(a.storage));
  let stored: AnyKind | undefined;
  for (const version of inOrder) {
    const kind = customKind({ definition, version, resource, versions, stored, state });
    stored ??= kind;
    versions.set(`${spec.group}/${version.name}`, kind);
  }
  return spec.versions.map(({ name }) => versions.get(`${spec.group}/${name}`) as AnyKind);
}

/** The same kinds for a forked server, with that server's state of the definition. */
export function kindsElsewhere(kinds: readonly AnyKind[], state: CustomState): readonly AnyKind[] {
  const versions = new Map<string, AnyKind>();
  const inOrder = [...kinds].sort(
    (a, b) => Number(b.storedAs === undefined) - Number(a.storedAs === undefined),
  );
  let stored: AnyKind | undefined;
  for (const kind of inOrder) {
    const copy = withState(kind, { versions, stored, state });
    stored ??= copy;
    versions.set(apiVersionOf(kind), copy);
  }
  return kinds.map((kind) => versions.get(apiVersionOf(kind)) as AnyKind);
}

/** A kind without what depends on which server serves it. */
type StatelessKind = Omit<AnyKind, "verbs" | "strategy" | "converter"> & {
  /** Present if a webhook converts. */
  readonly converter?: object | undefined;
};

/** A kind with what depends on which server serves it. */
const withState = (
  kind: StatelessKind,
  { versions, stored, state }: Pick<Making, "versions" | "stored" | "state">,
): AnyKind => ({
  ...kind,
  storedAs: stored,
  versions,
  get verbs() {
    return state.isTerminating() ? endingVerbs : allVerbs;
  },
  strategy: customStrategy({ hasStatus: kind.subresources.includes("status"), state }),
  converter: kind.converter &&
    state.convert && { versionOf: versionOfStored, convert: state.convert },
});

interface Making {
  readonly definition: CustomResourceDefinition;
  readonly version: CustomResourceDefinitionVersion;
  readonly resource: SchemaResource;
  readonly versions: ReadonlyMap<string, AnyKind>;
  readonly stored: AnyKind | undefined;
  readonly state: CustomState;
}

function customKind({ definition, version, resource, versions, stored, state }: Making): AnyKind {
  const { spec, status } = definition;
  const { group } = spec;
  const { plural, singular = "", kind, shortNames, categories } = status.acceptedNames;
  const apiVersion = `${group}/${version.name}`;
  const at = { group, version: version.name };
  const names = {
    name: modelName(at, kind),
    listName: modelName(at, resource.listKind),
  };
  const { status: ownStatus, scale } = version.subresources ?? {};
  const rules = customValidation(definition, version, { resource, times: state.ruleTimes });
  const fixed: StatelessKind = {
    group,
    version: version.name,
    kind,
    plural,
    singular,
    scope: spec.scope as AnyKind["scope"],
    shortNames: shortNames ?? [],
    categories: categories ?? [],
    stability: "stable",
    deprecated: deprecationOf(spec, version),
    isStored: true,
    storagePrefix: `${group}/${plural}`,
    form: schemaForm(resource, apiVersion, names),
    subresources: [...(ownStatus ? ["status"] : []), ...(scale ? ["scale"] : [])],
    columns: customColumns(version),
    selectableFields: selectableFields(version),
    unknownField: (field) => `field label not supported: ${field}`,
    fieldAnnotations: [],
    validatesMetadata: true,
    scale: scale && scalePaths(scale),
    schemas: (openApi) => openApiSchemas(definition, version, openApi),
    definedBy() {
      const { scope, preserveUnknownFields } = spec;
      const { schema, subresources, selectableFields: fields } = version;
      const { acceptedNames } = status;
      return { scope, preserveUnknownFields, acceptedNames, schema, subresources, fields };
    },
    converter: isConvertedByWebhook(spec) ? {} : undefined,
    ...rules,
  };
  return withState(fixed, { versions, stored, state });
}

const allVerbs: readonly Verb[] = [
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "create",
  "update",
  "watch",
];
const endingVerbs: readonly Verb[] = ["delete", "deletecollection", "get", "list", "watch"];

function resourceOf({ spec, status }: CustomResourceDefinition): SchemaResource {
  const { group, versions } = spec;
  const storage = versions.find((version) => version.storage)?.name ?? "";
  const { kind, listKind = "" } = status.acceptedNames;
  return {
    group,
    kind,
    listKind,
    schemas: new Map(
      versions.map(({ name, schema }) => [`${group}/${name}`, schema?.openAPIV3Schema]),
    ),
    storageVersion: `${group}/${storage}`,
    preservesUnknown: spec.preserveUnknownFields ?? false,
    metadata: embeddedMetadata,
    convert: convertCustom({
      group,
      versions: versions.map(({ name }) => name),
      byWebhook: isConvertedByWebhook(spec),
    }),
  };
}

const isConvertedByWebhook = ({ conversion }: CustomResourceDefinition["spec"]): boolean =>
  conversion?.strategy === "Webhook";

interface Scale {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string | undefined;
}

const scalePaths = ({
  specReplicasPath,
  statusReplicasPath,
  labelSelectorPath,
}: Scale): ScalePaths => ({
  replicas: namesIn(specReplicasPath),
  currentReplicas: namesIn(statusReplicasPath),
  selector: labelSelectorPath ? namesIn(labelSelectorPath) : undefined,
});

const namesIn = (path: string): readonly string[] => path.replace(/^\./, "").split(".");
