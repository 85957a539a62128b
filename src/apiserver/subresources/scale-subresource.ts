import { type Scale, ScaleKind, scaleOf, validateScale } from "../../api/autoscaling/v1/scale.ts";
import { conflict, invalid } from "../../api/meta/v1/status-error.ts";
import type { ManagedFieldsEntry } from "../../schema/apply/managers.ts";
import { fieldElement } from "../../schema/apply/path-element.ts";
import { type ScaledKind, scaledFields, scaleFields } from "../../schema/apply/scaled-fields.ts";
import type { JsonMap } from "../../schema/json/json-value.ts";
import { apiVersionOf, type ScalePaths } from "../../schema/language/kind.ts";
import { At } from "../../schema/language/report.ts";
import { changeableScale, judgedScale, scaleByPaths, setReplicas } from "../custom/scale-paths.ts";
import type { Address } from "../objects/address.ts";
import type { AnyKind, ApiObject, ObjectDraft } from "../objects/object.ts";
import { anyKind } from "../objects/reader.ts";
import type { RequestContext } from "../objects/request-context.ts";
import { storedKind } from "../objects/stored.ts";
import { checkNamespace } from "../verbs/create.ts";
import { trackFields } from "../verbs/patch/field-management.ts";
import { type Update, wrongUid } from "../verbs/update.ts";
import type { VerbParts } from "../verbs/verb-parts.ts";

/** The kind of the objects that the subresource scale reads and writes. */
export const scaleKind = anyKind(ScaleKind);

/** The Scale of an object; throws if the object has no number of replicas. */
export function scaleOfObject({ scale }: AnyKind, object: ApiObject): ApiObject {
  const shown = scale ? scaleByPaths(scale, object) : scaleOf(object as never);
  return shown as unknown as ApiObject;
}

/** Turns an update of an object's Scale into an update of the object. */
export function throughScale(
  parts: VerbParts,
  address: Address,
  { change, isPatch = false, isOwned = false, context }: ScaleUpdate,
): Pick<Update, "change" | "isOwned" | "admittedAs"> {
  const scaled = scaledKind(parts, address.kind);
  const { scale: paths } = address.kind;
  const changed = async (existing: ApiObject | undefined): Promise<ObjectDraft> => {
    // An update of a Scale does not create the object.
    if (!existing) return change(undefined);
    const entries = existing.metadata.managedFields as readonly ManagedFieldsEntry[] | undefined;
    const before = (
      paths ? changeableScale(paths, existing) : scaleOf(existing as never)
    ) as ApiObject;
    const managedFields = scaleFields(scaled, entries) as ObjectDraft["metadata"]["managedFields"];
    const old = { ...before, metadata: { ...before.metadata, managedFields } } as ApiObject;
    const scale = await change(old);
    checkNamespace(address.kind, address.namespace, scale);
    if (!isOwned)
      trackFields(parts, { kind: scaleKind, subresource: "scale" }, { draft: scale, old, context });
    await parts.admission.admit({
      operation: "UPDATE",
      address,
      subresource: "scale",
      objectKind: scaleKind,
      object: scale,
      old,
      context,
    });
    checkUid(address, scale, { existing, isPatch });
    if (!paths) checkScale(address, scale);
    const owned = scaledFields(scaled, entries, managedOf(scale));
    return withScale(existing, scale, { paths, managedFields: owned });
  };
  const admittedAs = {
    kind: scaleKind,
    of: (object: ApiObject) =>
      (paths ? judgedScale(paths, object) : scaleOf(object as never)) as unknown as ApiObject,
  };
  return { change: changed, isOwned: true, admittedAs };
}

export interface ScaleUpdate extends Pick<Update, "change" | "isPatch" | "isOwned"> {
  readonly context: RequestContext;
}

function checkUid(
  address: Address,
  scale: ObjectDraft,
  { existing, isPatch }: { readonly existing: ApiObject; readonly isPatch: boolean },
): void {
  const { name, kind } = address;
  const { uid } = scale.metadata;
  const actual = existing.metadata.uid ?? "";
  if (uid && uid !== actual)
    throw conflict(
      { group: kind.group, resource: `${kind.plural}${isPatch ? "/scale" : ""}`, name },
      isPatch
        ? `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${actual}`
        : wrongUid(address, uid, actual),
    );
}

/** Validates the Scale of a declared kind. That of a custom resource is validated with the object. */
function checkScale({ name }: Address, scale: ObjectDraft): void {
  const at = At.root();
  validateScale(scale as unknown as Scale, at);
  if (at.errors.length > 0)
    throw invalid({ group: "autoscaling", resource: "Scale", name }, at.errors);
}

function withScale(
  existing: ApiObject,
  scale: ObjectDraft,
  {
    paths = declaredPaths,
    managedFields,
  }: {
    readonly paths: ScalePaths | undefined;
    readonly managedFields: readonly ManagedFieldsEntry[];
  },
): ObjectDraft {
  const draft = structuredClone(existing) as ObjectDraft;
  setReplicas(draft as unknown as JsonMap, paths, scale as unknown as Scale);
  // A Scale without a resourceVersion applies to the current object.
  const { resourceVersion } = scale.metadata;
  if (resourceVersion) draft.metadata.resourceVersion = resourceVersion;
  if (managedFields.length > 0)
    draft.metadata.managedFields = managedFields as typeof draft.metadata.managedFields;
  else delete draft.metadata.managedFields;
  return draft;
}

/** Where declared kinds have their numbers of replicas. */
const declaredPaths: ScalePaths = {
  replicas: ["spec", "replicas"],
  currentReplicas: ["status", "replicas"],
  selector: undefined,
};

const managedOf = ({ metadata }: ObjectDraft) =>
  metadata.managedFields as readonly ManagedFieldsEntry[] | undefined;

/** Every version of a declared kind that can be scaled has the number in the same place. */
function scaledKind({ resources }: VerbParts, kind: AnyKind): ScaledKind {
  const { versions } = kind;
  if (versions)
    return {
      version: apiVersionOf(kind),
      replicasAt(version) {
        const found = versions.get(version);
        return found && (found.scale?.replicas.map(fieldElement) ?? null);
      },
    };
  return {
    version: apiVersionOf(kind),
    replicasAt(version) {
      const found = resources.findVersion(version, kind.kind);
      const isSame = found && storedKind(found) === storedKind(kind);
      return isSame ? ["f:spec", "f:replicas"] : undefined;
    },
  };
}
