import type { ObjectMeta } from "../../api/meta/v1/object-meta.ts";
import {
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../../api/meta/v1/object-meta-validation.ts";
import { badRequest, conflict, invalid, notFound } from "../../api/meta/v1/status-error.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { At } from "../../schema/language/report.ts";
import { pathSegmentName } from "../../schema/values/names.ts";
import { type Attributes, committedBy } from "../admission/admission.ts";
import type { AnyKind, ApiObject, ObjectDraft } from "../objects/object.ts";
import {
  type Address,
  absent,
  type Commit,
  find,
  keyOf,
  kindName,
  now,
  put,
  type Registry,
  type RequestContext,
  remove,
  resourceName,
  sealed,
} from "../objects/registry.ts";
import { type Stored, withVersion } from "../objects/stored.ts";
import { checkNamespace, createPrepared } from "./create.ts";
import { dropRepeatedOwners } from "./owner-references.ts";
import { trackFields } from "./patch/field-management.ts";

const modified =
  "the object has been modified; please apply your changes to the latest version and try again";

/** An update of an object or of its status, as a function of what is there. */
export interface Update {
  readonly address: Address;
  readonly subresource: string;
  /** Whether it changes what is there: only a whole object carries the uid of the one that it is for. */
  readonly isPatch?: boolean;
  /** Whether the new object says itself who owns its fields. */
  readonly isOwned?: boolean;
  /** Whether it creates what is not there, whatever the kind. */
  readonly mayCreate?: boolean;
  /** What admission judges in place of the object; who changes it has had a say in that already. */
  readonly judged?: { readonly kind: AnyKind; of(object: ApiObject): ApiObject };
  /** The new object; called again with the latest one when another write came first. */
  change(existing: ApiObject | undefined): ObjectDraft | Promise<ObjectDraft>;
}

export interface Updated {
  readonly object: Stored | ApiObject;
  readonly created: boolean;
}

/**
 * Reads, changes and writes back until no other write comes between. That it ends is sure: who fails
 * was overtaken by one who did not.
 */
export async function update(
  registry: Registry,
  request: Update,
  context: RequestContext,
): Promise<Updated> {
  const { address } = request;
  for (;;) {
    const before = context.warnings.length;
    const existing = await find(registry, address);
    if (!existing) {
      const created = await createByUpdate(registry, request, context);
      if (created !== "conflict") return { object: created, created: true };
    } else {
      const outcome = await change(registry, request, { existing, context });
      if (outcome !== "conflict") return { object: outcome, created: false };
    }
    context.warnings.length = before;
  }
}

async function createByUpdate(
  registry: Registry,
  { address, subresource, isOwned = false, mayCreate = false, change }: Update,
  context: RequestContext,
): Promise<Stored | ApiObject | "conflict"> {
  const isCreated = mayCreate || address.kind.strategy.createOnUpdate;
  if (!isCreated || subresource !== "") throw absent(address);
  const draft = await change(undefined);
  checkNamespace(address.kind, address.namespace, draft);
  // A version or an identity can only be that of an object that is gone.
  const { uid } = draft.metadata;
  if (uid)
    throw conflict(resourceName(address), mayCreate ? noSuchUid(uid) : wrongUid(address, uid, ""));
  if (draft.metadata.resourceVersion) throw notFound(resourceName(address));
  return createPrepared(registry, address, { draft, context, isOwned, byUpdate: true });
}

const noSuchUid = (uid: string): string =>
  `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;

async function change(
  registry: Registry,
  request: Update,
  { existing, context }: { readonly existing: Stored; readonly context: RequestContext },
): Promise<Stored | ApiObject | "conflict"> {
  const { address } = request;
  const old = existing.object;
  const draft = await request.change(old);
  if (!request.isPatch) {
    checkUid(address, draft, old);
    dropRepeatedOwners(draft, context.warnings);
  }
  checkVersion(address, draft, old);
  await admit(registry, request, { draft, old, context });
  context.checkpoint?.();
  dropRepeatedOwners(draft, context.warnings, " after mutating admission happens");
  const run = async (whole: ObjectDraft, commit?: Commit) => {
    const object = await finish(registry, request, { draft: whole, old, context });
    context.checkpoint?.();
    const by = committedBy(registry, judgedAttributes(request, { object, old, context }), commit);
    return write(registry, address, { object, existing, context, commit: by });
  };
  if (request.subresource !== "") return run(draft);
  const { warnings, dryRun } = context;
  const told = warnings.length;
  return registry.allocator.write({ kind: address.kind, draft, old, dryRun }, (whole, commit) => {
    warnings.length = told;
    return run(whole, commit);
  });
}

async function write(
  registry: Registry,
  address: Address,
  {
    object,
    existing,
    context,
    commit,
  }: { object: ApiObject; existing: Stored; context: RequestContext; commit: Commit | undefined },
): Promise<Stored | ApiObject | "conflict"> {
  const old = existing.object;
  if (shouldDelete(address.kind, object, old)) {
    if (context.dryRun) return object;
    const removed = await remove(registry, address, existing.revision);
    return removed === "conflict" ? removed : withVersion(address.kind, object, removed);
  }
  if (sameObject(object, old)) return existing;
  if (context.dryRun) return object;
  return put(registry, address, { object, ifRevision: existing.revision, commit });
}

/** The preconditions that an object carries itself: its uid and its version. */
function checkUid(address: Address, { metadata: { uid } }: ObjectDraft, old: ApiObject): void {
  if (uid && uid !== old.metadata.uid)
    throw conflict(resourceName(address), wrongUid(address, uid, old.metadata.uid ?? ""));
}

function checkVersion(address: Address, draft: ObjectDraft, old: ApiObject): void {
  const { resourceVersion } = draft.metadata;
  if (!resourceVersion || resourceVersion === "0") {
    if (address.kind.strategy.conditionalUpdateOnly) {
      const report = At.root();
      report.invalid("metadata.resourceVersion", 0, "must be specified for an update");
      throw invalid(resourceName(address), report.errors);
    }
    draft.metadata.resourceVersion = old.metadata.resourceVersion;
  } else if (resourceVersion !== old.metadata.resourceVersion)
    throw conflict(resourceName(address), modified);
}

/** What the store says of an object that is not the one that was meant. */
export const wrongUid = (address: Address, asked: string, is: string, what = "UID"): string =>
  `StorageError: invalid object, Code: 4, Key: ${keyOf(address)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${what} in precondition: ${asked}, ${what} in object meta: ${is}`;

interface Change {
  readonly draft: ObjectDraft;
  readonly old: ApiObject;
  readonly context: RequestContext;
}

async function admit(
  registry: Registry,
  { address, subresource, isOwned = false, judged }: Update,
  { draft, old, context }: Change,
): Promise<void> {
  const { kind } = address;
  checkNamespace(kind, address.namespace, draft);
  kind.form.complete(draft);
  // What a write of the status says of the spec does not count: mostly it is the same, and is looked at no more.
  if (subresource === "status" && sameJson(draft.spec, old.spec)) draft.spec = old.spec;
  if (!isOwned) trackFields(registry, { kind, subresource }, { draft, old, context });
  if (judged) return;
  await registry.admission.admit({
    operation: "UPDATE",
    address,
    subresource,
    object: draft,
    old,
    context,
  });
}

async function finish(
  registry: Registry,
  request: Update,
  { draft, old, context }: Change,
): Promise<ApiObject> {
  const { address, subresource } = request;
  const { kind } = address;
  const { strategy } = kind;
  draft.metadata.generation = old.metadata.generation;
  const special = strategy.updates?.[subresource];
  const prepared =
    special?.prepare ??
    (subresource === "status" ? strategy.prepareStatusUpdate : strategy.prepareUpdate);
  const write = { now: now(registry), user: context.user };
  prepared?.call(strategy, draft as never, old as never, write);
  keepMetadata(draft, old);
  const object = draft as ApiObject;
  const report = At.root({ ...registry.ruling, old, write });
  const meta = report.child("metadata");
  validateObjectMeta(object.metadata, meta, {
    namespaced: kind.scope === "Namespaced",
    name: pathSegmentName,
  });
  validateObjectMetaUpdate(object.metadata, old.metadata, meta);
  if (special) special.validate(object as never, old as never, report);
  else if (subresource === "status") kind.validateStatusUpdate(object, old, report);
  else kind.validateUpdate(object, old, report);
  if (report.errors.length > 0) throw invalid(kindName(address), report.errors);
  if (subresource === "")
    context.warnings.push(...(strategy.warnings?.(object as never, old as never) ?? []));
  if (subresource === "status")
    context.warnings.push(...(strategy.statusWarnings?.(object as never, old as never) ?? []));
  await registry.admission.validate(judgedAttributes(request, { object, old, context }));
  return sealed(kind, draft);
}

const judgedAttributes = (
  { address, subresource, judged }: Update,
  { object, old, context }: { object: ApiObject; old: ApiObject; context: RequestContext },
): Attributes => ({
  operation: "UPDATE",
  address,
  subresource,
  context,
  ...(judged
    ? { objectKind: judged.kind, object: judged.of(object), old: judged.of(old) }
    : { object, old }),
});

/** What an update cannot change is taken from the object as it was. */
function keepMetadata({ metadata }: ObjectDraft, { metadata: old }: ApiObject): void {
  metadata.uid ||= old.uid;
  if (old.creationTimestamp) metadata.creationTimestamp = old.creationTimestamp;
  if (old.deletionTimestamp) metadata.deletionTimestamp = old.deletionTimestamp;
  metadata.deletionGracePeriodSeconds ??= old.deletionGracePeriodSeconds;
  delete metadata.selfLink;
}

/** Its deletion had been asked for, and nothing holds it any more. */
function shouldDelete({ strategy }: AnyKind, object: ApiObject, old: ApiObject): boolean {
  if ((object.metadata.finalizers?.length ?? 0) > 0) return false;
  if (!old.metadata.deletionTimestamp) return false;
  if (strategy.mayDelete && !strategy.mayDelete(object as never)) return false;
  return (old.metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

/** Whether two objects are the same. That somebody wrote the same again, later, is no difference. */
function sameObject({ metadata: a, ...mine }: ApiObject, { metadata: b, ...theirs }: ApiObject) {
  const timeless = ({ managedFields }: ObjectMeta) =>
    managedFields?.map(({ time: _, ...entry }) => entry);
  return (
    sameJson(mine, theirs) &&
    sameJson({ ...a, managedFields: undefined }, { ...b, managedFields: undefined }) &&
    sameJson(timeless(a), timeless(b))
  );
}

/** The name in an object that is written must be the one in the path. */
export function checkName(address: Address, { metadata }: ObjectDraft): void {
  if (!metadata.name)
    throw badRequest(
      `the name of the object (${address.name} based on URL) was undeterminable: name must be provided`,
    );
  if (metadata.name !== address.name)
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${address.name})`,
    );
}
