import type { Shape } from "../language/shape.ts";
import { type Comparison, compare } from "./compare.ts";
import {
  difference,
  differenceBelow,
  emptySet,
  type FieldSet,
  intersection,
  isEmpty,
  onlyAlong,
  pathsOf,
  union,
} from "./field-set.ts";
import { type Managers, type Owned, withOwn } from "./managers.ts";
import { merged } from "./merge.ts";
import { withNamedFields } from "./named-fields.ts";
import type { Path } from "./path-element.ts";
import { reconciled } from "./reconcile.ts";
import { without } from "./remove.ts";
import { fieldSetOf } from "./to-field-set.ts";

/** The versions in which an object can be seen. */
export interface Versions {
  /** The shape of the objects of a version; undefined where it is not known, or no longer. */
  shapeOf(version: string): Shape | undefined;
  /** An object of one version as one of another. Both are known. Throws VersionError where its fields do not fit. */
  convert(object: unknown, from: string, to: string): unknown;
}

/** What a request can change: all but some paths and what is below them, or only what lies along some. */
export type FieldFilter = { readonly except: FieldSet } | { readonly along: readonly Path[] };

/** Leaves out of a set what a request cannot change. */
function filtered(filter: FieldFilter | undefined, set: FieldSet): FieldSet {
  if (!filter) return set;
  return "along" in filter ? onlyAlong(set, filter.along) : differenceBelow(set, filter.except);
}

export interface Setting {
  readonly versions: Versions;
  /** The version of the request, whose shape is known. */
  readonly version: string;
  readonly filterOf: (version: string) => FieldFilter | undefined;
}

/** An object that does not have the shape of a version it is to be seen in. */
export class VersionError extends Error {
  override readonly name = "VersionError";
}

/** Says what could not be done because an object does not have the shape of a version. */
function doing<T>(what: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof VersionError ? new VersionError(`${what}: ${error.message}`) : error;
  }
}

/** A field that is another's. */
export interface Conflict {
  readonly manager: string;
  readonly path: Path;
}

/** Fields that a configuration would take from others. */
export class ConflictError extends Error {
  override readonly name = "ConflictError";
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super(`conflicts: ${conflicts.length}`);
    this.conflicts = conflicts;
  }
}

/** What a manager wrote, as it was and as it is. */
export interface Change {
  readonly live: unknown;
  readonly next: unknown;
}

/** The owners after an update: what it changed is the updater's alone. */
export function managersAfterUpdate(
  setting: Setting,
  { live, next }: Change,
  { managers, manager }: { readonly managers: Managers; readonly manager: string },
): Managers {
  const current = reconciledManagers(setting, managers);
  const { rest, comparison } = takeOver(
    setting,
    { live, next },
    { managers: current, manager, force: true },
  );
  const mine = rest.get(manager)?.set ?? emptySet;
  const { removed, modified, added } = comparison;
  const owned = union(union(difference(mine, removed), modified), added);
  const set = filtered(setting.filterOf(setting.version), owned);
  const result = new Map(rest);
  if (isEmpty(set)) result.delete(manager);
  else result.set(manager, { set, version: setting.version, isApplied: false, time: undefined });
  return result;
}

/** The object and its owners after a configuration was applied; throws a ConflictError. */
export function applied(
  setting: Setting,
  { live, config }: { readonly live: unknown; readonly config: unknown },
  { managers, manager, force }: { managers: Managers; manager: string; force: boolean },
): { readonly object: unknown; readonly managers: Managers } {
  const { version, versions } = setting;
  const shape = shapeAt(versions, version);
  const current = reconciledManagers(setting, managers);
  const last = current.get(manager);
  const all = fieldSetOf(shape, config);
  const set = filtered(setting.filterOf(version), all);
  const claimed = new Map(current).set(manager, {
    set,
    version,
    isApplied: true,
    time: last?.time,
  });
  const laid = merged(shape, live, config);
  // Mostly a manager applies what it applied before, and some more: then nothing is to be given up.
  const isKept = !last || (last.version === version && isEmpty(difference(last.set, set)));
  const object = isKept
    ? laid
    : doing("failed to prune fields", () => pruned(setting, laid, { last, managers: claimed }));
  const { rest } = takeOver(setting, { live, next: object }, { managers: claimed, manager, force });
  return { object, managers: rest };
}

/** Takes from the others what a change touched; without force, that is a conflict. */
function takeOver(
  { versions, version, filterOf }: Setting,
  { live, next }: Change,
  { managers, manager, force }: { managers: Managers; manager: string; force: boolean },
): { readonly rest: Managers; readonly comparison: Comparison } {
  const changeable = (at: string, { removed, modified, added }: Comparison): Comparison => {
    const filter = filterOf(at);
    return {
      removed: filtered(filter, removed),
      modified: filtered(filter, modified),
      added: filtered(filter, added),
    };
  };
  const comparison = changeable(version, compare(shapeAt(versions, version), live, next));
  const byVersion = new Map([[version, comparison]]);
  const comparisonAt = (at: string): Comparison | undefined => {
    const known = byVersion.get(at);
    const shape = versions.shapeOf(at);
    if (known || !shape) return known;
    const was = doing("failed to convert old object", () => versions.convert(live, version, at));
    const is = doing("failed to convert new object", () => versions.convert(next, version, at));
    const found = changeable(at, compare(shape, was, is));
    byVersion.set(at, found);
    return found;
  };
  const rest = new Map<string, Owned>();
  const conflicts: Conflict[] = [];
  for (const [other, owned] of managers) {
    if (other === manager) {
      if (!isEmpty(owned.set)) rest.set(other, owned);
      continue;
    }
    const changed = comparisonAt(owned.version);
    if (!changed) continue;
    const { modified, added, removed } = changed;
    const taken = union(intersection(owned.set, modified), intersection(owned.set, added));
    if (!force) conflicts.push(...pathsOf(taken).map((path) => ({ manager: other, path })));
    const set = difference(difference(owned.set, taken), removed);
    if (!isEmpty(set)) rest.set(other, withOwn(owned, set));
  }
  if (!force && conflicts.length > 0) throw new ConflictError(conflicts);
  return { rest, comparison };
}

/**
 * The object without what its manager applied last time and no longer does, unless another owns it.
 * `managers` holds the manager's new claim.
 */
function pruned(
  { versions, version }: Setting,
  object: unknown,
  { last, managers }: { readonly last: Owned; readonly managers: Managers },
): unknown {
  const shape = versions.shapeOf(last.version);
  if (!shape || isEmpty(last.set)) return object;
  const at = last.version;
  const whole = doing("failed to convert merged object to last applied version", () =>
    versions.convert(object, version, at),
  );
  const lastSet = withNamedFields(shape, last.set);
  const bare = without(shape, whole, lastSet);
  const kept = withOwned({ versions, version: at }, { whole, bare }, managers);
  const keptSet = withNamedFields(shape, fieldSetOf(shape, kept));
  const wholeSet = withNamedFields(shape, fieldSetOf(shape, whole));
  const gone = intersection(difference(wholeSet, keptSet), lastSet);
  return versions.convert(without(shape, whole, gone), at, version);
}

/** The object with all that anybody owns of the whole, version by version. */
function withOwned(
  { versions, version }: { readonly versions: Versions; readonly version: string },
  { whole, bare }: { readonly whole: unknown; readonly bare: unknown },
  managers: Managers,
): unknown {
  const byVersion = new Map<string, FieldSet>([[version, emptySet]]);
  for (const owned of managers.values())
    byVersion.set(owned.version, union(byVersion.get(owned.version) ?? emptySet, owned.set));
  let kept = bare;
  for (const [at, owned] of byVersion) {
    const shape = versions.shapeOf(at);
    if (!shape || isEmpty(owned)) continue;
    const all = versions.convert(whole, version, at);
    const some = versions.convert(kept, version, at);
    const allSet = withNamedFields(shape, fieldSetOf(shape, all));
    const someSet = withNamedFields(shape, fieldSetOf(shape, some));
    const gone = difference(allSet, union(someSet, withNamedFields(shape, owned)));
    kept = versions.convert(without(shape, all, gone), at, version);
  }
  return kept;
}

/** The owners as the present schemas have their fields; those of versions that are gone are gone. */
function reconciledManagers({ versions }: Setting, managers: Managers): Managers {
  const result = new Map<string, Owned>();
  for (const [identity, owned] of managers) {
    const shape = versions.shapeOf(owned.version);
    if (shape) result.set(identity, withOwn(owned, reconciled(shape, owned.set)));
  }
  return result;
}

function shapeAt(versions: Versions, version: string): Shape {
  const shape = versions.shapeOf(version);
  if (!shape) throw new Error(`no shape is known of version ${version}`);
  return shape;
}
