import { invalid } from "../../api/meta/v1/status-error.ts";
import { type ManagedFieldsEntry, readManagers } from "../../schema/apply/managers.ts";
import { At } from "../../schema/language/report.ts";
import type { Write } from "../../schema/language/write.ts";
import type { Attributes } from "../admission/admission.ts";
import { type Address, kindName } from "../objects/address.ts";
import type { WriteSet } from "../objects/commit-part.ts";
import { now } from "../objects/environment.ts";
import { type AnyKind, type ApiObject, finalObject, type ObjectDraft } from "../objects/object.ts";
import type { RequestContext } from "../objects/request-context.ts";
import type { Stored } from "../objects/stored.ts";
import { dropRepeatedOwners } from "./owner-references.ts";
import type { VerbParts } from "./verb-parts.ts";

/** A create or an update of one object, after defaulting, on its way through admission to the store. */
export interface PlannedWrite {
  readonly operation: "CREATE" | "UPDATE";
  readonly address: Address;
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly draft: ObjectDraft;
  readonly old: ApiObject | undefined;
  readonly context: RequestContext;
  /** The object that admission sees instead, such as a Scale, which has been mutated already. */
  readonly admittedAs?: AdmittedAs | undefined;
  /** Sets the fields that the server owns. */
  prepare(draft: ObjectDraft, write: Write): void;
  validate(object: ApiObject, report: At): void;
  warnings(object: ApiObject): readonly string[];
  /** Checks rights that the authorization of the request did not cover. */
  authorize?(): Promise<void>;
  /** Stores the object, unless this is a dry run. */
  commit(object: ApiObject, parts: Omit<WriteSet, "objects">): Promise<Written | "lost">;
}

export interface AdmittedAs {
  readonly kind: AnyKind;
  of(object: ApiObject): ApiObject;
}

/** The object as it was written, or would be; "conflict" if another write came first. */
export type Written = Stored | ApiObject | "conflict";

/**
 * The steps of every write: mutating admission, allocation, preparation and validation, validating
 * admission, commit. They start over from allocation if another server took an allocated value.
 */
export async function writeObject(parts: VerbParts, write: PlannedWrite): Promise<Written> {
  const { address, subresource, draft, old, context } = write;
  await mutate(parts, write);
  context.checkpoint?.();
  const { warnings, dryRun } = context;
  const warned = warnings.length;
  const allocation =
    subresource === ""
      ? parts.allocator.begin({ kind: address.kind, draft, old, dryRun })
      : undefined;
  for (;;) {
    warnings.length = warned;
    const claim = allocation && (await allocation.claim());
    try {
      const object = await finish(parts, write, claim?.draft ?? draft);
      context.checkpoint?.();
      const charges = dryRun ? [] : parts.admission.charges?.(admitted(write, object));
      const outcome = await write.commit(object, { claim: claim?.part, charges: charges ?? [] });
      if (outcome !== "lost") return outcome;
    } finally {
      claim?.end();
    }
  }
}

/** The object that a write would store if it needed nothing allocated: the server's own first objects. */
export async function preparedObject(parts: VerbParts, write: PlannedWrite): Promise<ApiObject> {
  await mutate(parts, write);
  return finish(parts, write, write.draft);
}

async function mutate(parts: VerbParts, write: PlannedWrite): Promise<void> {
  const { operation, address, subresource, draft, old, context } = write;
  const { managedFields } = draft.metadata;
  if (!write.admittedAs)
    await parts.admission.admit({
      operation,
      // A name that the server generates is not known to admission.
      address: operation === "CREATE" ? { ...address, name: draft.metadata.name ?? "" } : address,
      subresource,
      object: draft,
      old,
      context,
    });
  if (draft.metadata.managedFields !== managedFields)
    keepValidManagers(draft, managedFields, context);
  dropRepeatedOwners(draft, context.warnings, " after mutating admission happens");
}

/** Takes managedFields back that a webhook has spoiled. */
function keepValidManagers(
  { metadata }: ObjectDraft,
  before: ObjectDraft["metadata"]["managedFields"],
  { warnings }: RequestContext,
): void {
  try {
    readManagers(metadata.managedFields as readonly ManagedFieldsEntry[] | undefined);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    metadata.managedFields = before;
    warnings.push(
      `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${error.message}`,
    );
  }
}

/** Prepares and validates a draft, and makes it the object that is stored. */
async function finish(
  { environment, admission }: VerbParts,
  write: PlannedWrite,
  draft: ObjectDraft,
): Promise<ApiObject> {
  const { address, old, context } = write;
  const { features } = environment;
  const by: Write = { now: now(environment), user: context.user, features };
  write.prepare(draft, by);
  const object = draft as ApiObject;
  const report = At.root({ ...environment.validation, ...(old && { old }), write: by });
  write.validate(object, report);
  context.warnings.push(...report.warnings);
  if (report.errors.length > 0) {
    // The kind may have named the object in preparing it.
    const name = old ? address.name : (object.metadata.name ?? "");
    throw invalid(
      { ...kindName({ ...address, name }), ...namedKind(address.kind, object) },
      report.errors,
    );
  }
  context.warnings.push(...write.warnings(object));
  await write.authorize?.();
  await admission.validate(admitted(write, object));
  return finalObject(address.kind, draft);
}

/** A kind that objects name themselves is reported as this one does, be it right or wrong. */
function namedKind({ form }: AnyKind, { kind, apiVersion }: ApiObject): object {
  if (!form.mustNameKind) return {};
  return { group: apiVersion.slice(0, Math.max(apiVersion.indexOf("/"), 0)), resource: kind };
}

/** The attributes of a write for validating admission. */
function admitted(
  { operation, address, subresource, old, context, admittedAs }: PlannedWrite,
  object: ApiObject,
): Attributes {
  const request = { operation, address, subresource, context };
  if (!admittedAs) return { ...request, object, old };
  const { kind, of } = admittedAs;
  return { ...request, objectKind: kind, object: of(object), old: old && of(old) };
}
