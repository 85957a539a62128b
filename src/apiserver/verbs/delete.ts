import { type DeleteOptions, validateDeleteOptions } from "../../api/meta/v1/options.ts";
import { conflict, forbidden, invalid, StatusError } from "../../api/meta/v1/status-error.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { At } from "../../schema/language/report.ts";
import type { ApiObject, ObjectDraft } from "../objects/object.ts";
import {
  type Address,
  kindName,
  put,
  type Registry,
  type RequestContext,
  read,
  remove,
  resourceName,
} from "../objects/registry.ts";
import { type Stored, withVersion } from "../objects/stored.ts";
import { type DeletionPlan, planDelete } from "./delete-plan.ts";

/** What came of a deletion: the object as it was last, and whether it is gone. */
export interface Deleted {
  readonly object: ApiObject;
  readonly gone: boolean;
}

export interface Deletion {
  readonly options: DeleteOptions;
  readonly context: RequestContext;
  /** Whether it is one of many that are deleted together: then nobody asked for it by name. */
  readonly isOneOfMany?: boolean;
}

/**
 * Deletes an object, or marks it for deletion while something holds it. Tried anew whenever another
 * write came first.
 */
export async function deleteObject(
  registry: Registry,
  address: Address,
  deletion: Deletion,
): Promise<Deleted> {
  checkDeleteOptions(deletion.options);
  const refusal = deletion.isOneOfMany || address.kind.strategy.deleteRefusal?.(address.name);
  if (typeof refusal === "string") throw forbidden(resourceName(address), refusal);
  let { options } = deletion;
  let last: ApiObject | undefined;
  for (;;) {
    const existing = await readAgain(registry, address, last);
    if (!existing) return { object: last as ApiObject, gone: true };
    checkPreconditions(address, options, existing.object);
    const plan = planDelete(registry, address.kind, { object: existing.object, options });
    if (plan.type === "pending") return { object: existing.object, gone: false };
    await admit(registry, address, { ...deletion, object: existing.object });
    // Once it is marked, it is removed, too.
    if (!last) deletion.context.checkpoint?.();
    const outcome = await carryOut(registry, address, {
      plan,
      existing,
      context: deletion.context,
    });
    if (outcome === "conflict") continue;
    if (!("toRemove" in outcome)) return outcome;
    last = outcome.toRemove;
    // It has another version now because of us.
    const { resourceVersion: _, ...preconditions } = options.preconditions ?? {};
    options = { ...options, preconditions };
  }
}

/** Throws where options contradict each other. */
export function checkDeleteOptions(options: DeleteOptions): void {
  const at = At.root();
  validateDeleteOptions(options, at);
  if (at.errors.length > 0)
    throw invalid({ group: "meta.k8s.io", resource: "DeleteOptions", name: "" }, at.errors);
}

/** The object; undefined where somebody else has removed one that was about to be removed. */
async function readAgain(
  registry: Registry,
  address: Address,
  last: ApiObject | undefined,
): Promise<Stored | undefined> {
  try {
    return await read(registry, address);
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

/** Nothing is changed, but whoever may change objects has a say in their end, too. */
async function admit(
  { admission }: Registry,
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

/** `toRemove` is an object that was marked, and met another write before it was removed. */
type Outcome = Deleted | { readonly toRemove: ApiObject } | "conflict";

async function carryOut(
  registry: Registry,
  address: Address,
  { plan, existing, context }: Attempt,
): Promise<Outcome> {
  const { kind } = address;
  if (plan.type === "mark") {
    const { marked, thenRemove } = plan;
    if (context.dryRun) return { object: marked, gone: thenRemove };
    return mark(registry, address, { marked, thenRemove, existing });
  }
  if (context.dryRun) return { object: existing.object, gone: true };
  const revision = await remove(registry, address, existing.revision);
  if (revision === "conflict") return revision;
  return { object: withVersion(kind, existing.object, revision), gone: true };
}

/** Writes the object as it is to be while it ends; removes it after that if nothing holds it. */
async function mark(
  registry: Registry,
  address: Address,
  {
    marked,
    thenRemove,
    existing,
  }: { readonly marked: ApiObject; readonly thenRemove: boolean; readonly existing: Stored },
): Promise<Outcome> {
  if (!thenRemove && sameJson(marked, existing.object))
    return { object: existing.object, gone: false };
  const outcome = await put(registry, address, { object: marked, ifRevision: existing.revision });
  if (outcome === "conflict") return outcome;
  if (!thenRemove) return { object: outcome.object, gone: false };
  const revision = await remove(registry, address, outcome.revision);
  if (revision === "conflict") return { toRemove: outcome.object };
  return { object: withVersion(address.kind, outcome.object, revision), gone: true };
}
