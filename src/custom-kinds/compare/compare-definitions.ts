import { sameJson } from "../../schema/json/json-value.ts";
import type { JsonSchema } from "../../schema/structural/json-schema.ts";
import type { Definition } from "../language/kind-definition.ts";
import { type Change, Changes, shown } from "./change.ts";
import { compareSchemas } from "./compare-schemas.ts";

type Spec = Definition["spec"];
type Version = Spec["versions"][number];

/** A manifest as it is in a cluster or a file. */
export type ComparedDefinition = Pick<Definition, "spec"> & {
  readonly status?: { readonly storedVersions?: readonly string[] | undefined } | undefined;
};

/**
 * Compares a manifest with the one that it replaces: what of it breaks clients that were right before, or
 * objects that are stored.
 */
export function compareDefinitions(
  old: ComparedDefinition,
  next: ComparedDefinition,
): readonly Change[] {
  const changes = new Changes();
  compareNames(old.spec, next.spec, changes);
  for (const before of old.spec.versions) {
    const after = next.spec.versions.find(({ name }) => name === before.name);
    if (after) compareVersions(before, after, changes.below(before.name));
    else removedVersion(before, old, changes.below(before.name));
  }
  compareStorage(old.spec, next.spec, changes);
  compareConversion(old.spec, next.spec, changes);
  if (old.spec.preserveUnknownFields && !next.spec.preserveUnknownFields)
    changes
      .below("spec.preserveUnknownFields")
      .incompatible(
        "unknown members are no longer kept",
        "Set x-kubernetes-preserve-unknown-fields where members are not declared.",
      );
  return changes.all;
}

function compareNames(old: Spec, next: Spec, changes: Changes): void {
  const fixed = [
    ["spec.group", old.group, next.group],
    ["spec.scope", old.scope, next.scope],
    ["spec.names.kind", old.names.kind, next.names.kind],
    ["spec.names.plural", old.names.plural, next.names.plural],
  ] as const;
  for (const [path, before, after] of fixed)
    if (before !== after)
      changes
        .below(path)
        .incompatible(
          `was ${shown(before)}, is ${shown(after)}`,
          "It cannot change: declare another kind, and move the objects.",
        );
  for (const list of ["shortNames", "categories"] as const) {
    const gone = (old.names[list] ?? []).filter((name) => !next.names[list]?.includes(name));
    if (gone.length > 0)
      changes
        .below(`spec.names.${list}`)
        .note(`${gone.join(", ")} is gone`, "Scripts may use it with kubectl.");
  }
}

function removedVersion(version: Version, old: ComparedDefinition, changes: Changes): void {
  const { storedVersions = [] } = old.status ?? {};
  if (version.storage || storedVersions.includes(version.name))
    changes.incompatible(
      "the version is removed, and objects may be stored in it",
      "Keep it. Store objects in another version first, write all of them once, and remove this one from status.storedVersions.",
    );
  else if (version.served)
    changes.incompatible(
      "the version is removed, and was served",
      "Keep it, and mark it as deprecated; stop serving it when no client uses it, and remove it then.",
    );
}

function compareVersions(old: Version, next: Version, changes: Changes): void {
  if (old.served && !next.served)
    changes.incompatible(
      "the version is no longer served",
      "Mark it as deprecated, and stop serving it when no client uses it.",
    );
  if (!old.deprecated && next.deprecated)
    changes.note("the version is deprecated", "Clients are warned from now on.");
  compareSubresources(old, next, changes);
  const gone = (old.selectableFields ?? []).filter(
    ({ jsonPath }) => !next.selectableFields?.some((other) => other.jsonPath === jsonPath),
  );
  for (const { jsonPath } of gone)
    changes
      .below(` ${jsonPath}`)
      .incompatible(
        "objects can no longer be selected by it",
        "Requests with such a field selector fail: keep it.",
      );
  const [before, after] = [schemaOf(old), schemaOf(next)];
  if (before && after) compareSchemas(before, after, changes.below(" "));
  else if (after)
    changes.incompatible(
      "the version has a schema, and had none",
      "Members that it does not declare are removed: compare it with the objects there are.",
    );
}

const schemaOf = ({ schema }: Version): JsonSchema | undefined =>
  schema?.openAPIV3Schema as JsonSchema | undefined;

function compareSubresources(old: Version, next: Version, changes: Changes): void {
  const { status, scale } = old.subresources ?? {};
  const { status: nextStatus, scale: nextScale } = next.subresources ?? {};
  if (status && !nextStatus)
    changes.incompatible(
      "the subresource status is gone",
      "Clients that write it get 404: keep it.",
    );
  if (!status && nextStatus)
    changes.incompatible(
      "the subresource status is new",
      "Writes of whole objects no longer change the status: let clients write the subresource in a new version.",
    );
  if (scale && !nextScale)
    changes.incompatible(
      "the subresource scale is gone",
      "Autoscalers and kubectl scale use it: keep it.",
    );
  if (scale && nextScale && !sameJson(scale, nextScale))
    changes.note("the subresource scale has other paths", "Autoscalers see other numbers.");
}

function compareStorage(old: Spec, next: Spec, changes: Changes): void {
  const [before, after] = [old, next].map(({ versions }) => versions.find((one) => one.storage));
  if (before && after && before.name !== after.name)
    changes
      .below("spec.versions")
      .note(
        `objects are stored in ${after.name}, and were in ${before.name}`,
        "Objects stay as they are stored until they are written next: write all of them before you remove the old version.",
      );
}

function compareConversion(old: Spec, next: Spec, changes: Changes): void {
  const [before, after] = [old, next].map(({ conversion }) => conversion?.strategy ?? "None");
  if (before === after) return;
  const here = changes.below("spec.conversion");
  if (before === "Webhook")
    here.incompatible(
      "objects are no longer converted by a webhook",
      "Only the apiVersion changes from now on: that is right only if all versions have the same schema.",
    );
  else
    here.note("objects are converted by a webhook", "It must run before the manifest is applied.");
}
