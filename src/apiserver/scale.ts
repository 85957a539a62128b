import { type Scale, ScaleKind, scaleOf, validateScale } from "../api/autoscaling/v1/scale.ts";
import { conflict, invalid } from "../api/meta/v1/status-error.ts";
import type { ManagedFieldsEntry } from "../schema/apply/managers.ts";
import { type ScaledKind, scaledFields, scaleFields } from "../schema/apply/scale.ts";
import { apiVersionOf } from "../schema/kind.ts";
import { At } from "../schema/report.ts";
import { checkNamespace } from "./create.ts";
import { trackFields } from "./field-management.ts";
import type { AnyKind, ApiObject, ObjectDraft } from "./object.ts";
import type { Address, Registry, RequestContext } from "./registry.ts";
import { storedKind } from "./stored.ts";
import { type Update, wrongUid } from "./update.ts";

/** What the subresource scale reads and writes. */
export const scaleKind = ScaleKind as AnyKind;

/** The Scale of an object. */
export const scaleOfObject = (object: ApiObject): ApiObject =>
  scaleOf(object as never) as unknown as ApiObject;

/** An update of an object's Scale, as one of the object. */
export function throughScale(
  registry: Registry,
  address: Address,
  { change, isPatch = false, isOwned = false, context }: ScaleUpdate,
): Pick<Update, "change" | "isOwned"> {
  const scaled = scaledKind(registry, address.kind);
  const changed = async (existing: ApiObject | undefined): Promise<ObjectDraft> => {
    // What is not there has no Scale, and is not created by one.
    if (!existing) return change(undefined);
    const entries = existing.metadata.managedFields as readonly ManagedFieldsEntry[] | undefined;
    const before = scaleOfObject(existing);
    const managedFields = scaleFields(scaled, entries) as ObjectDraft["metadata"]["managedFields"];
    const old = { ...before, metadata: { ...before.metadata, managedFields } } as ApiObject;
    const scale = await change(old);
    checkNamespace(address.kind, address.namespace, scale);
    if (!isOwned)
      trackFields(
        registry,
        { kind: scaleKind, subresource: "scale" },
        { draft: scale, old, context },
      );
    check(address, scale, { existing, isPatch });
    return withScale(existing, scale, scaledFields(scaled, entries, managedOf(scale)));
  };
  return { change: changed, isOwned: true };
}

export interface ScaleUpdate extends Pick<Update, "change" | "isPatch" | "isOwned"> {
  readonly context: RequestContext;
}

function check(
  address: Address,
  scale: ObjectDraft,
  { existing, isPatch }: { readonly existing: ApiObject; readonly isPatch: boolean },
): void {
  const { name, kind } = address;
  const { uid } = scale.metadata;
  const is = existing.metadata.uid ?? "";
  if (uid && uid !== is)
    throw conflict(
      { group: kind.group, resource: `${kind.plural}${isPatch ? "/scale" : ""}`, name },
      isPatch
        ? `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${is}`
        : wrongUid(address, uid, is),
    );
  const at = At.root();
  validateScale(scale as unknown as Scale, at);
  if (at.errors.length > 0)
    throw invalid({ group: "autoscaling", resource: "Scale", name }, at.errors);
}

function withScale(
  existing: ApiObject,
  scale: ObjectDraft,
  managedFields: readonly ManagedFieldsEntry[],
): ObjectDraft {
  const draft = structuredClone(existing) as ObjectDraft;
  const spec = draft.spec as { replicas?: number };
  spec.replicas = (scale as unknown as Scale).spec.replicas ?? 0;
  draft.metadata.resourceVersion = scale.metadata.resourceVersion;
  if (managedFields.length > 0)
    draft.metadata.managedFields = managedFields as typeof draft.metadata.managedFields;
  else delete draft.metadata.managedFields;
  return draft;
}

const managedOf = ({ metadata }: ObjectDraft) =>
  metadata.managedFields as readonly ManagedFieldsEntry[] | undefined;

/** Every version of a kind that can be scaled has the number in the same place. */
function scaledKind({ resources }: Registry, kind: AnyKind): ScaledKind {
  return {
    version: apiVersionOf(kind),
    replicasAt(version) {
      const found = resources.findVersion(version, kind.kind);
      const isSame = found && storedKind(found) === storedKind(kind);
      return isSame ? ["f:spec", "f:replicas"] : undefined;
    },
  };
}
