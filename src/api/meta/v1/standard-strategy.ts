import type { Strategy, SubresourceUpdate } from "../../../schema/language/kind.ts";
import type { Draft, Struct } from "../../../schema/language/struct.ts";
import { sameValue } from "../../../schema/language/validate.ts";
import type { Write } from "../../../schema/language/write.ts";
import type { ObjectMeta } from "./object-meta.ts";
import { semanticEqual } from "./semantic-equal.ts";
import { resetMetadataForStatus } from "./status-metadata.ts";

/** The strategy of a kind as it is declared: what kinds have in common, and the kind's own steps. */
export interface StandardStrategy<O> extends Omit<Strategy<O>, Derived> {
  /**
   * The status of a new object, whatever the client sent; undefined for none. A kind that declares it
   * has a status subresource: a write of the object keeps the status, a write of the status the spec.
   */
  readonly initialStatus?: InitialStatus<O>;
  /** What a write of the status keeps beside the spec: `metadata`, or a path such as `metadata.labels`. */
  readonly statusKeeps?: readonly string[];
  /**
   * The parts of the object, by path, that bump the generation when they change, each with the
   * comparison that detects a change. A kind that declares it gives new objects generation 1.
   */
  readonly generation?: Readonly<Record<string, Comparison>> | Comparator;
  /** True where new objects have no generation, and the first change counts as 1. */
  readonly startsWithoutGeneration?: true;
  /** The kind's own step in a create or update, before the generation. `old` is absent in a create. */
  prepare?(object: O, old: O | undefined, write: Write): void;
  /** The kind's own step after the generation, for changes that must not bump it. */
  finish?(object: O, old: O | undefined, write: Write): void;
  /** The kind's own step in an update of the status. */
  prepareStatus?(object: O, old: O, write: Write): void;
}

type Derived = "prepareCreate" | "prepareUpdate" | "prepareStatusUpdate";
/** A struct compares values by meaning: quantities by amount, and an empty list or map as none. */
type Comparison = Struct | Comparator;
type Comparator = (a: unknown, b: unknown) => boolean;
type StatusOf<O> = O extends { status?: infer S } ? S : never;
type MakeStatus<O> = (object: O, write: Write) => StatusOf<O> | undefined;
type InitialStatus<O> = StatusOf<O> | MakeStatus<O>;

/** The steps that the API server runs, and the fields that a write resets, for a declared strategy. */
export function standardStrategy<O>(declared: StandardStrategy<O>): Strategy<O> {
  const {
    initialStatus,
    statusKeeps = [],
    generation,
    startsWithoutGeneration = false,
    prepare,
    finish,
    prepareStatus,
    updates,
    resets,
    ...others
  } = declared;
  const hasStatus = initialStatus !== undefined;
  const keptByStatus = ["spec", ...statusKeeps];
  const bumpGeneration = (object: O, old: O) => {
    if (generation && !sameParts(generation, object, old))
      metadataOf(object).generation = (metadataOf(old).generation ?? 0) + 1;
  };
  return {
    ...others,
    prepareCreate(object, write) {
      if (hasStatus) setStatus(object, initialStatus, write);
      if (generation && !startsWithoutGeneration) metadataOf(object).generation = 1;
      prepare?.(object, undefined, write);
      finish?.(object, undefined, write);
    },
    prepareUpdate(object, old, write) {
      if (hasStatus) keep("status", object, old);
      prepare?.(object, old, write);
      bumpGeneration(object, old);
      finish?.(object, old, write);
    },
    prepareStatusUpdate(object, old, write) {
      if (hasStatus) for (const path of keptByStatus) keep(path, object, old);
      prepareStatus?.(object, old, write);
    },
    ...(updates && { updates: mapUpdates(updates, bumpGeneration) }),
    resets: { ...(hasStatus && { "": ["status"], status: keptByStatus }), ...resets },
  };
}

/** Whether two maps are equal; an absent map equals an empty one. */
export const sameMap: Comparator = (a, b) => sameValue(a ?? {}, b ?? {});

type Members = Record<string, unknown>;
const membersOf = (object: unknown): Members => object as Members;
const metadataOf = (object: unknown) => (object as { metadata: Draft<ObjectMeta> }).metadata;

const valueAt = (path: string, object: unknown): unknown =>
  path.split(".").reduce((value, name) => membersOf(value)[name], object);

function sameParts(
  parts: Readonly<Record<string, Comparison>> | Comparator,
  object: unknown,
  old: unknown,
): boolean {
  if (typeof parts === "function") return parts(object, old);
  return Object.entries(parts).every(([path, comparison]) => {
    const [a, b] = [valueAt(path, object), valueAt(path, old)];
    return typeof comparison === "function" ? comparison(a, b) : semanticEqual(comparison, a, b);
  });
}

function setStatus<O>(object: O, initial: InitialStatus<O>, write: Write): void {
  const status =
    typeof initial === "function"
      ? (initial as MakeStatus<O>)(object, write)
      : structuredClone(initial);
  if (status === undefined) delete membersOf(object).status;
  else membersOf(object).status = status;
}

/** Takes a part of an object from the object as it was. */
function keep(path: string, object: unknown, old: unknown): void {
  if (path === "metadata") {
    resetMetadataForStatus(metadataOf(object), metadataOf(old));
    return;
  }
  const end = path.lastIndexOf(".");
  const name = path.slice(end + 1);
  const holderIn = (whole: unknown) =>
    membersOf(end < 0 ? whole : valueAt(path.slice(0, end), whole));
  if (Object.hasOwn(holderIn(old), name)) holderIn(object)[name] = holderIn(old)[name];
  else delete holderIn(object)[name];
}

/** Updates through subresources, each followed by another step. */
function mapUpdates<O>(
  updates: Readonly<Record<string, SubresourceUpdate<O>>>,
  then: (object: O, old: O) => void,
): Readonly<Record<string, SubresourceUpdate<O>>> {
  return Object.fromEntries(
    Object.entries(updates).map(([subresource, { prepare, validate }]) => [
      subresource,
      {
        prepare(object: O, old: O, write: Write) {
          prepare(object, old, write);
          then(object, old);
        },
        validate,
      },
    ]),
  );
}
