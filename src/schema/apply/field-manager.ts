import { isMap, type ReadonlyJsonMap as JsonMap, sameJson } from "../json/json-value.ts";
import { createdFields } from "./created-fields.ts";
import { difference, type FieldSet, hasPath, setOf, union } from "./field-set.ts";
import { lastAppliedOf, ownByLastApplied, withLastApplied } from "./last-applied.ts";
import {
  capped,
  entryOf,
  identify,
  type ManagedFieldsEntry,
  type Managers,
  readManagers,
  withSet,
  writeManagers,
} from "./managers.ts";
import { fieldElement } from "./path-element.ts";
import { problemsOf } from "./problems-of.ts";
import { ItemError, problemText } from "./typed.ts";
import {
  applied,
  ConflictError,
  managersAfterUpdate,
  type Setting,
  VersionError,
} from "./updater.ts";

/** Who writes an object, through what, and when. */
export interface Writer extends Setting {
  readonly manager: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** The time, to the second, in RFC 3339. */
  readonly now: string;
  /** An object of the kind that says nothing: what there is before it is created. */
  readonly nothing: JsonMap;
  /** Whether objects may not have the shape of their kind, as after the schema of a custom kind has changed. */
  readonly mayMisfit?: boolean;
}

/** A configuration that does not have the shape of its kind. */
export class ShapeError extends Error {
  override readonly name = "ShapeError";
}

/** An update: the object as it was, where it was, and as it is; with the managedFields it came with. */
export interface Written {
  readonly live: JsonMap | undefined;
  readonly next: JsonMap;
  readonly given: readonly ManagedFieldsEntry[] | undefined;
}

/**
 * The managedFields of an object after an update: what it changed is the writer's. A client may set
 * managedFields, or reset them with an empty list; one that leaves them out keeps them.
 */
export function managedFieldsAfter(writer: Writer, written: Written): ManagedFieldsEntry[] {
  const { live } = written;
  const managers = givenManagers(writer, written);
  if (managers.size === 0 && live !== undefined) return [];
  const before = withoutManaged(live ?? writer.nothing);
  const next = withoutManaged(written.next);
  if (
    writer.mayMisfit &&
    // The status of a new object is dropped, and so never validated.
    (live !== undefined || written.next.status !== undefined) &&
    !(hasShape(writer, before) && hasShape(writer, next))
  )
    return [];
  try {
    if (managers.size === 0) {
      const created = managedFieldsOfNew(writer, next);
      if (created) return created;
    }
    return writeManagers(updated(writer, { live: before, next }, managers));
  } catch (error) {
    // Who owns what cannot be told of such an object; better nobody than garbage.
    if (error instanceof ItemError || error instanceof VersionError) return [];
    throw error;
  }
}

/**
 * The live object after a configuration was applied to it, with its managedFields. Throws ShapeError
 * where the configuration is not of its kind, ConflictError where it would take fields from others.
 */
export function apply(
  writer: Writer,
  live: JsonMap | undefined,
  { config, force }: { readonly config: JsonMap; readonly force: boolean },
): JsonMap {
  const managers = readManagers(managedFieldsOf(live ?? {}), { areStored: true });
  checkShape(writer, config);
  const isKubectl = writer.manager === "kubectl";
  const lastApplied = isKubectl ? lastAppliedOf(live) : undefined;
  let object: JsonMap;
  try {
    object = applyTo(writer, { live, managers }, { config, force });
  } catch (error) {
    if (lastApplied === undefined || !(error instanceof ConflictError)) throw error;
    const own = ownByLastApplied(
      writer.versions.shapeOf(writer.version),
      withoutManaged(live ?? {}),
      {
        lastApplied,
        version: writer.version,
      },
    );
    const rest = error.conflicts.filter(({ path }) => !hasPath(own, path));
    if (rest.length > 0) throw new ConflictError(rest);
    object = applyTo(writer, { live, managers }, { config, force: true });
  }
  return isKubectl && lastAppliedOf(object) !== undefined
    ? withLastApplied(object, config)
    : object;
}

function applyTo(
  writer: Writer,
  { live, managers }: { live: JsonMap | undefined; managers: Managers },
  { config, force }: { config: JsonMap; force: boolean },
): JsonMap {
  const before = withoutManaged(live ?? writer.nothing);
  const known =
    managers.size > 0
      ? managers
      : updated(
          { ...writer, manager: "before-first-apply" },
          { live: writer.nothing, next: before },
          managers,
        );
  const { manager, subresource } = writer;
  const identity = identify({ manager, operation: "Apply", subresource });
  const result = applied(
    writer,
    { live: before, config },
    { managers: known, manager: identity, force },
  );
  const isSame = sameJson(before, result.object);
  const mine = result.managers.get(identity);
  const stripped = mine
    ? withSet(result.managers, identity, difference(mine.set, untracked))
    : result.managers;
  const object = isSame || !isMap(result.object) ? before : result.object;
  return withManaged(object, isSame ? stripped : stamped(stripped, identity, writer.now));
}

/** The managedFields of an object that is created, by the short way where that can tell. */
function managedFieldsOfNew(writer: Writer, next: JsonMap): ManagedFieldsEntry[] | undefined {
  const { versions, version, nothing, manager, subresource, now: time } = writer;
  const shape = versions.shapeOf(version);
  const filter = writer.filterOf(version);
  if (!shape || (filter && "along" in filter)) return undefined;
  const unowned = filter ? unownedBeside(filter.except) : unownedFields;
  const fields = createdFields(shape, { nothing, next, unowned });
  if (fields === "unknown") return undefined;
  if (!fields) return [];
  const name = manager === "" ? "unknown" : manager;
  return [entryOf({ manager: name, operation: "Update", version, time, fields, subresource })];
}

const unownedSets = new WeakMap<FieldSet, FieldSet>();

/** What nobody comes to own, with what a request cannot change. */
function unownedBeside(except: FieldSet): FieldSet {
  let set = unownedSets.get(except);
  if (!set) {
    set = union(except, unownedFields);
    unownedSets.set(except, set);
  }
  return set;
}

/** The owners after an update, which is told from its manager's earlier ones until it is over. */
function updated(
  writer: Writer,
  change: { readonly live: JsonMap; readonly next: JsonMap },
  managers: Managers,
): Managers {
  const current = "current-operation";
  const after = managersAfterUpdate(writer, change, { managers, manager: current });
  const mine = after.get(current);
  if (!mine) return capped(after);
  const set = difference(mine.set, untracked);
  const result = new Map(withSet(after, current, set));
  if (result.delete(current)) {
    const { manager, version, subresource, now } = writer;
    const name = manager === "" ? "unknown" : manager;
    const identity = identify({
      manager: name,
      operation: "Update",
      apiVersion: version,
      subresource,
    });
    const earlier = result.get(identity);
    const all = earlier ? union(set, earlier.set) : set;
    result.set(identity, { set: all, version, isApplied: false, time: now });
  }
  return capped(result);
}

/** Fields that nobody owns: what tells an object from others, and what the server writes. */
const unownedFields: FieldSet = setOf([
  ["f:apiVersion"],
  ["f:kind"],
  ...[
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
  ].map((name) => ["f:metadata", fieldElement(name)]),
]);

/** The paths that nobody owns; others below metadata have owners. */
const untracked: FieldSet = union(unownedFields, setOf([["f:metadata"]]));

function stamped(managers: Managers, identity: string, time: string): Managers {
  const owned = managers.get(identity);
  return owned ? new Map(managers).set(identity, { ...owned, time }) : managers;
}

/** The owners that an update goes by: those in it where there are any, else those of the live object. */
function givenManagers({ subresource }: Writer, { live, given }: Written): Managers {
  const old = () => orNone(managedFieldsOf(live ?? {}), { areStored: true });
  if (subresource !== "") return old();
  if (given && isReset(given)) return new Map();
  const managers = orNone(given);
  return managers.size > 0 ? managers : old();
}

function orNone(
  entries: readonly ManagedFieldsEntry[] | undefined,
  how?: { readonly areStored: boolean },
): Managers {
  try {
    return readManagers(entries, how);
  } catch (error) {
    if (error instanceof SyntaxError) return new Map();
    throw error;
  }
}

const isReset = (entries: readonly ManagedFieldsEntry[]): boolean =>
  entries.length === 0 ||
  (entries.length === 1 && Object.values(entries[0] ?? {}).every((value) => value === undefined));

const hasShape = ({ versions, version }: Writer, object: JsonMap): boolean => {
  const shape = versions.shapeOf(version);
  return !shape || problemsOf(shape, object, { allowDuplicates: true }).length === 0;
};

function checkShape({ versions, version }: Writer, config: JsonMap): void {
  const shape = versions.shapeOf(version);
  const problems = shape ? problemsOf(shape, config, { allowDuplicates: false }) : [];
  if (problems.length > 0) throw new ShapeError(problemText(problems));
}

function managedFieldsOf({ metadata }: JsonMap): readonly ManagedFieldsEntry[] | undefined {
  const entries = isMap(metadata) ? metadata.managedFields : undefined;
  return Array.isArray(entries) ? (entries as ManagedFieldsEntry[]) : undefined;
}

function withoutManaged(object: JsonMap): JsonMap {
  if (!isMap(object.metadata) || object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function withManaged(object: JsonMap, managers: Managers): JsonMap {
  if (managers.size === 0) return object;
  const metadata = isMap(object.metadata) ? object.metadata : {};
  return { ...object, metadata: { ...metadata, managedFields: writeManagers(managers) } };
}
