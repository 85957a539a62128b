import { type DeleteOptions, validateDeleteOptions } from "../../api/meta/v1/options.ts";
import { conflict, forbidden, invalid, StatusError } from "../../api/meta/v1/status-error.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { At } from "../../schema/language/report.ts";
import { type Address, kindName, resourceName } from "../objects/address.ts";
import type { ApiObject, ObjectDraft } from "../objects/object.ts";
import type { RequestContext } from "../objects/request-context.ts";
import { type Stored, withVersion } from "../objects/stored.ts";
import { serverContext } from "../server-context.ts";
import { type DeletionPlan, planDelete } from "./delete-plan.ts";
import { tolerating } from "./tolerating.ts";
import { type VerbParts, withoutAdmission } from "./verb-parts.ts";

/** The outcome of a deletion: the object as it was last, and whether it is gone. */
export interface Deleted {
  readonly object: ApiObject;
  readonly gone: boolean;
}

export interface Deletion {
  readonly options: DeleteOptions;
  readonly context: RequestContext;
  /** Whether a whole collection is deleted, so that the request names no object. */
  readonly isOneOfMany?: boolean;
}

/**
 * Deletes an object, or marks it for deletion while finalizers or a grace period hold it. Retries if
 * another write came first.
 */
export async function deleteObject(
  parts: VerbParts,
  address: Address,
  deletion: Deletion,
): Promise<Deleted> {
  checkDeleteOptions(deletion.options);
  const refusal = deletion.isOneOfMany || address.kind.strategy.deleteRefusal?.(address.name);
  if (typeof refusal === "string") throw forbidden(resourceName(address), refusal);
  let { options } = deletion;
  let last: ApiObject | undefined;
  for (;;) {
    const existing = await readAgain(parts, address, last);
    if (!existing) return { object: last as ApiObject, gone: true };
    checkPreconditions(address, options, existing.object);
    const plan = planDelete(parts.environment, address.kind, { object: existing.object, options });
    if (plan.type === "pending") return { object: existing.object, gone: false };
    await admit(parts, address, { ...deletion, object: existing.object });
    // An object that has been marked must be removed, even if the request has timed out by then.
    if (!last) deletion.context.checkpoint?.();
    const outcome = await carryOut(parts, address, {
      plan,
      existing,
      context: deletion.context,
    });
    if (outcome === "conflict") continue;
    if (!("toRemove" in outcome)) return outcome;
    last = outcome.toRemove;
    // Marking has changed its version.
    const { resourceVersion: _, ...preconditions } = options.preconditions ?? {};
    options = { ...options, preconditions };
  }
}

/** Throws if options contradict each other. */
export function checkDeleteOptions(options: DeleteOptions): void {
  const at = At.root();
  validateDeleteOptions(options, at);
  if (at.errors.length > 0)
    throw invalid({ group: "meta.k8s.io", resource: "DeleteOptions", name: "" }, at.errors);
}

/** The object; undefined if it was marked before, and another request has removed it since. */
async function readAgain(
  parts: VerbParts,
  address: Address,
  last: ApiObject | undefined,
): Promise<Stored | undefined> {
  try {
    return await parts.reader.read(address);
  } catch (error) {
    if (last && StatusError.is(error, "NotFound")) return undefined;
    throw error;
  }
}

function checkPreconditions(
  address: Address,
  { preconditions }: DeleteOptions,
  { metadata }: ApiObject,
): void {
  const { uid, resourceVersion: version } = preconditions ?? {};
  if (address.kind.strategy.beginDelete) {
    if (uid !== undefined && uid !== metadata.uid)
      throw conflict(resourceName(address), precondition("UID", uid, metadata.uid));
    if (version !== undefined && version !== metadata.resourceVersion)
      throw conflict(
        resourceName(address),
        precondition("ResourceVersion", version, metadata.resourceVersion),
      );
    return;
  }
  if (uid !== undefined && uid !== metadata.uid)
    throw conflict(
      kindName(address),
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
  if (version !== undefined && version !== metadata.resourceVersion)
    throw conflict(
      kindName(address),
      `the ResourceVersion in the precondition (${version}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    );
}

const precondition = (what: string, asked: string, is: string | undefined): string =>
  `Precondition failed: ${what} in precondition: ${asked}, ${what} in object meta: ${is}`;

/** Runs mutating and validating admission. Nothing is changed by it, but either may reject the deletion. */
async function admit(
  { admission }: VerbParts,
  address: Address,
  { object, context, isOneOfMany = false }: Deletion & { readonly object: ApiObject },
): Promise<void> {
  const attributes = {
    operation: "DELETE",
    address: isOneOfMany ? { ...address, name: "" } : address,
    subresource: "",
    old: object,
    context,
  } as const;
  await admission.admit({ ...attributes, object: object as ObjectDraft });
  await admission.validate({ ...attributes, object });
}

interface Attempt {
  readonly plan: Exclude<DeletionPlan, { readonly type: "pending" }>;
  readonly existing: Stored;
  readonly context: RequestContext;
}

/** `toRemove` is an object that was marked, and that another request wrote before it was removed. */
type Outcome = Deleted | { readonly toRemove: ApiObject } | "conflict";

async function carryOut(
  parts: VerbParts,
  address: Address,
  { plan, existing, context }: Attempt,
): Promise<Outcome> {
  const { kind } = address;
  if (plan.type === "mark") {
    const { marked, thenRemove } = plan;
    if (context.dryRun) return { object: marked, gone: thenRemove };
    return mark(parts, address, { marked, thenRemove, existing });
  }
  if (context.dryRun) return { object: existing.object, gone: true };
  const revision = await removeObject(parts, address, existing.revision);
  if (revision === "conflict") return revision;
  return { object: withVersion(kind, existing.object, revision), gone: true };
}

/** Writes the object with its deletion timestamp; then removes it if nothing holds it. */
async function mark(
  parts: VerbParts,
  address: Address,
  {
    marked,
    thenRemove,
    existing,
  }: { readonly marked: ApiObject; readonly thenRemove: boolean; readonly existing: Stored },
): Promise<Outcome> {
  if (!thenRemove && sameJson(marked, existing.object))
    return { object: existing.object, gone: false };
  const { revision: ifRevision } = existing;
  const outcome = await parts.committer.put(address, { object: marked, ifRevision });
  if (typeof outcome === "string") return "conflict";
  if (!thenRemove) return { object: outcome.object, gone: false };
  const revision = await removeObject(parts, address, outcome.revision);
  if (revision === "conflict") return { toRemove: outcome.object };
  return { object: withVersion(address.kind, outcome.object, revision), gone: true };
}

/** Removes an object that was last seen at a revision, and releases its allocations. */
export async function removeObject(
  parts: VerbParts,
  address: Address,
  ifRevision: number,
): Promise<number | "conflict"> {
  const release = await parts.allocator.release(address, ifRevision);
  const outcome = await parts.committer.remove(address, ifRevision, { claim: release?.part });
  if (typeof outcome === "string") return "conflict";
  for (const dependent of release?.dependents ?? []) await deleteDependent(parts, dependent);
  return outcome;
}

/** Deletes a dependent of an object that is already removed, so a failure is only logged. */
async function deleteDependent(parts: VerbParts, address: Address): Promise<void> {
  const deletion = { options: {}, context: serverContext() };
  const work = deleteObject(withoutAdmission(parts), address, deletion);
  await tolerating(["NotFound"], work).catch((error: unknown) =>
    parts.environment.log.error("deleting a dependent object failed", error, {
      kind: address.kind.kind,
      namespace: address.namespace,
      name: address.name,
    }),
  );
}
