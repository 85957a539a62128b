import type { ObjectMeta } from "../../api/meta/v1/object-meta.ts";
import {
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../../api/meta/v1/object-meta-validation.ts";
import { badRequest, conflict, invalid, notFound } from "../../api/meta/v1/status-error.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { apiVersionOf } from "../../schema/language/kind.ts";
import { At } from "../../schema/language/report.ts";
import { pathSegmentName } from "../../schema/values/names.ts";
import { versionOfStored } from "../custom/conversion/version-of-stored.ts";
import { type Address, keyOf, notFoundAt, resourceName } from "../objects/address.ts";
import type { WriteSet } from "../objects/commit-part.ts";
import { asIfStored } from "../objects/conversions.ts";
import type { AnyKind, ApiObject, ObjectDraft } from "../objects/object.ts";
import type { RequestContext } from "../objects/request-context.ts";
import { type Stored, storedKind, withVersion } from "../objects/stored.ts";
import { checkNamespace, createAt } from "./create.ts";
import { removeObject } from "./delete.ts";
import { dropRepeatedOwners } from "./owner-references.ts";
import { type AwaitedConversions, withConversions } from "./patch/awaited-conversions.ts";
import { trackFields } from "./patch/field-management.ts";
import type { VerbParts } from "./verb-parts.ts";
import { type AdmittedAs, type Written, writeObject } from "./write.ts";

const modified =
  "the object has been modified; please apply your changes to the latest version and try again";

/** An update of an object, or of it through a subresource, as a function of the current object. */
export interface Update {
  readonly address: Address;
  readonly subresource: string;
  /** Whether the new object is made from the current one. Only a whole object carries a uid to compare. */
  readonly isPatch?: boolean;
  /** Whether the new object carries managedFields that count, as after an apply. */
  readonly isOwned?: boolean;
  /** Whether the object is created if it does not exist, whatever the kind. */
  readonly mayCreate?: boolean;
  /** The object that validating admission sees instead; `change` has run mutating admission on it. */
  readonly admittedAs?: AdmittedAs;
  /** The new object; called again with the latest object if another write came first. */
  change(existing: ApiObject | undefined): ObjectDraft | Promise<ObjectDraft>;
}

export interface Updated {
  readonly object: Stored | ApiObject;
  readonly created: boolean;
}

/**
 * Reads, changes and writes an object, again if another write came in between. This ends, because each
 * retry means that another write succeeded.
 */
export async function update(
  parts: VerbParts,
  request: Update,
  context: RequestContext,
): Promise<Updated> {
  const { address } = request;
  for (;;) {
    const warned = context.warnings.length;
    const existing = await parts.reader.find(address);
    if (!existing) {
      const created = await createByUpdate(parts, request, context);
      if (created !== "conflict") return { object: created, created: true };
    } else {
      const outcome = await changeObject(parts, request, { existing, context });
      if (outcome !== "conflict") return { object: outcome, created: false };
    }
    context.warnings.length = warned;
  }
}

async function createByUpdate(
  parts: VerbParts,
  { address, subresource, isOwned = false, mayCreate = false, change }: Update,
  context: RequestContext,
): Promise<Written> {
  const isCreated = mayCreate || address.kind.strategy.createOnUpdate;
  if (!isCreated || subresource !== "") throw notFoundAt(address);
  const draft = await change(undefined);
  checkNamespace(address.kind, address.namespace, draft);
  // A uid or version belongs to an object that existed before.
  const { uid } = draft.metadata;
  if (uid)
    throw conflict(resourceName(address), mayCreate ? noSuchUid(uid) : wrongUid(address, uid, ""));
  if (draft.metadata.resourceVersion) throw notFound(resourceName(address));
  return createAt(parts, address, { draft, context, isOwned, byUpdate: true });
}

const noSuchUid = (uid: string): string =>
  `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;

async function changeObject(
  parts: VerbParts,
  request: Update,
  { existing, context }: { readonly existing: Stored; readonly context: RequestContext },
): Promise<Written> {
  const { address, subresource } = request;
  const { kind } = address;
  const { strategy } = kind;
  const old = parts.reader.cache.recent.read(existing);
  const draft = await request.change(old);
  if (!request.isPatch) {
    checkUid(address, draft, old);
    dropRepeatedOwners(draft, context.warnings);
  }
  checkVersion(address, draft, old);
  const completed = (conversions?: AwaitedConversions) =>
    complete(parts, request, { draft, old, context, conversions });
  if (kind.converter) await withConversions(kind, completed);
  else completed();
  const special = strategy.updates?.[subresource];
  return writeObject(parts, {
    operation: "UPDATE",
    address,
    subresource,
    draft,
    old,
    context,
    admittedAs: request.admittedAs,
    prepare(prepared, write) {
      // A webhook may have changed it.
      checkNamespace(kind, address.namespace, prepared);
      prepared.metadata.generation = old.metadata.generation;
      const prepare =
        special?.prepare ??
        (subresource === "status" ? strategy.prepareStatusUpdate : strategy.prepareUpdate);
      prepare?.call(strategy, prepared as never, old as never, write);
      keepMetadata(prepared, old);
    },
    validate(object, report) {
      const meta = report.child("metadata");
      const namespaced = kind.scope === "Namespaced";
      validateObjectMeta(object.metadata, meta, { namespaced, name: pathSegmentName });
      validateObjectMetaUpdate(object.metadata, old.metadata, meta);
      if (special) special.validate(object as never, old as never, report);
      else if (subresource === "status") kind.validateStatusUpdate(object, old, report);
      else kind.validateUpdate(object, old, report);
    },
    warnings(object) {
      if (subresource === "") return strategy.warnings?.(object as never, old as never) ?? [];
      if (subresource !== "status") return [];
      return strategy.statusWarnings?.(object as never, old as never) ?? [];
    },
    commit: (object, belonging) =>
      commit(parts, address, { object, existing, old, context, belonging }),
  });
}

/** Fills in defaults, and records the manager of the fields that the update changes. */
function complete(
  parts: VerbParts,
  { address, subresource, isOwned = false }: Update,
  { draft, old, context, conversions }: Change,
): void {
  const { kind } = address;
  checkNamespace(kind, address.namespace, draft);
  // As upstream: an object that an apply does not change gets no defaults that its stored version lacks.
  if (!(isOwned && kind.form.completesStored && isSameBesideManagers(draft, old)))
    kind.form.complete(draft);
  // A status update ignores the spec that it sends. Sharing an equal one saves comparing it again later.
  if (subresource === "status" && sameJson(draft.spec, old.spec)) draft.spec = old.spec;
  if (!isOwned) trackFields(parts, { kind, subresource }, { draft, old, context, conversions });
}

function isSameBesideManagers(draft: ObjectDraft, old: ApiObject): boolean {
  const withoutManagers = ({
    metadata: { managedFields: _, ...metadata },
    ...rest
  }: ApiObject) => ({
    ...rest,
    metadata,
  });
  return sameJson(withoutManagers(draft as ApiObject), withoutManagers(old));
}

interface Change {
  readonly draft: ObjectDraft;
  readonly old: ApiObject;
  readonly context: RequestContext;
  readonly conversions?: AwaitedConversions | undefined;
}

async function commit(
  parts: VerbParts,
  address: Address,
  {
    object,
    existing,
    old,
    context,
    belonging,
  }: {
    readonly object: ApiObject;
    readonly existing: Stored;
    readonly old: ApiObject;
    readonly context: RequestContext;
    readonly belonging: Omit<WriteSet, "objects">;
  },
): Promise<Written | "lost"> {
  if (shouldDelete(address.kind, object, old)) {
    if (context.dryRun) return object;
    const removed = await removeObject(parts, address, existing.revision);
    return removed === "conflict" ? removed : withVersion(address.kind, object, removed);
  }
  const isCurrent = sameObject(object, old) && isInStoredVersion(existing);
  if (isCurrent && !(await parts.reader.store.isStale?.(existing.key))) return existing;
  if (context.dryRun) return asIfStored(address.kind, object);
  const write = { object, ifRevision: existing.revision };
  const outcome = await parts.committer.put(address, write, belonging);
  if (typeof outcome !== "string") {
    // The next update starts from the new object.
    existing.forget();
    parts.reader.cache.recent.read(outcome);
  }
  return outcome;
}

/** Whether a custom object is stored in the version in which it would be stored now. */
const isInStoredVersion = ({ kind, entry }: Stored): boolean =>
  kind.versions === undefined || versionOfStored(entry.value) === apiVersionOf(storedKind(kind));

/** The preconditions that an object carries in itself are its uid and its resourceVersion. */
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

/** Upstream's text for an object whose uid, or version, is not the expected one. */
export const wrongUid = (
  address: Address,
  expected: string,
  actual: string,
  what = "UID",
): string =>
  `StorageError: invalid object, Code: 4, Key: ${keyOf(address)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${what} in precondition: ${expected}, ${what} in object meta: ${actual}`;

/** Keeps the metadata that an update cannot change. */
function keepMetadata({ metadata }: ObjectDraft, { metadata: old }: ApiObject): void {
  metadata.uid ||= old.uid;
  if (old.creationTimestamp) metadata.creationTimestamp = old.creationTimestamp;
  if (old.deletionTimestamp) metadata.deletionTimestamp = old.deletionTimestamp;
  metadata.deletionGracePeriodSeconds ??= old.deletionGracePeriodSeconds;
  delete metadata.selfLink;
}

/** Whether the object is being deleted and this write has removed its last finalizer. */
function shouldDelete({ strategy }: AnyKind, object: ApiObject, old: ApiObject): boolean {
  if ((object.metadata.finalizers?.length ?? 0) > 0) return false;
  if (!old.metadata.deletionTimestamp) return false;
  if (strategy.mayDelete && !strategy.mayDelete(object as never)) return false;
  return (old.metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

/** Whether two objects are the same but for the times of their managedFields. */
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
