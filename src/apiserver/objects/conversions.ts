import { StatusError } from "../../api/meta/v1/status-error.ts";
import { DecodeError } from "../../schema/json/decode.ts";
import { stringifyJson } from "../../schema/json/strict-json.ts";
import { apiVersionOf } from "../../schema/language/kind.ts";
import { type AnyKind, type ApiObject, canonical } from "./object.ts";
import { encodeStored, type Stored, storedKind } from "./stored.ts";

/** How many objects are converted by one call of a webhook. */
const mostAtOnce = 100;
/** The size of their bytes in the store after which no more are added to a call. */
const mostBytes = 2 ** 20;

/** The conversions of objects that are under way. */
const pending = new WeakMap<Stored, Promise<void>>();

/**
 * Converts objects to a kind, so that they can be read as it, where a webhook does that. Each is converted at most
 * once per revision and version. Throws the error of the first object that cannot be converted.
 */
export async function convertStored(kind: AnyKind, objects: readonly Stored[]): Promise<void> {
  if (!kind.converter) return;
  const views = objects.map((stored) => stored.as(kind)).filter((view) => view.needsConversion);
  const started = views.filter((view) => !pending.has(view));
  for (const group of groupsOf(started)) {
    const done = convertGroup(kind, group).finally(() => {
      for (const view of group) pending.delete(view);
    });
    for (const view of group) pending.set(view, done);
    // Awaited below, with those that others have started.
    done.catch(() => {});
  }
  for (const view of views) await pending.get(view);
}

/** Objects of one version for each call. */
function* groupsOf(views: readonly Stored[]): Generator<readonly Stored[]> {
  const groups = new Map<string, { views: Stored[]; bytes: number }>();
  for (const view of views) {
    const version = view.kind.converter?.versionOf(view.entry.value) ?? "";
    const group = groups.get(version) ?? { views: [], bytes: 0 };
    groups.set(version, group);
    group.views.push(view);
    group.bytes += view.size;
    if (group.views.length < mostAtOnce && group.bytes < mostBytes) continue;
    yield group.views;
    groups.delete(version);
  }
  for (const group of groups.values()) yield group.views;
}

/** If a call for several fails, each is converted on its own: one bad object does not keep others from being read. */
async function convertGroup(kind: AnyKind, views: readonly Stored[]): Promise<void> {
  try {
    const objects = views.map((view) => view.unconverted);
    const converted = await convertAll(kind, objects);
    for (const [i, view] of views.entries()) view.setConverted(converted[i] as ApiObject);
  } catch (error) {
    if (views.length === 1) throw error;
    const outcomes = await Promise.allSettled(views.map((view) => convertGroup(kind, [view])));
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  }
}

/** The object as one of another version of its kind. */
export async function convertTo(kind: AnyKind, object: ApiObject): Promise<ApiObject> {
  if (!kind.converter || object.apiVersion === apiVersionOf(kind)) return object;
  const { resourceVersion: _, ...metadata } = object.metadata;
  const [converted] = await convertAll(kind, [{ ...object, metadata }]);
  return converted as ApiObject;
}

/** An object that a dry run does not store, as reading it back would give it. */
export async function asIfStored(kind: AnyKind, object: ApiObject): Promise<ApiObject> {
  if (!kind.form.completesStored) return object;
  const stored = kind.converter ? storedKind(kind) : kind;
  const { bytes } = encodeStored(stored, await convertTo(stored, object));
  const read = await convertTo(kind, stored.form.fromBytes(bytes) as ApiObject);
  const { resourceVersion } = object.metadata;
  if (resourceVersion === undefined) return read;
  return canonical(kind, { ...read, metadata: { ...read.metadata, resourceVersion } });
}

/** What a webhook made of objects, in the form of the kind: fields that its schema does not know are removed. */
async function convertAll(kind: AnyKind, objects: readonly ApiObject[]): Promise<ApiObject[]> {
  const converted = (await kind.converter?.convert(objects, apiVersionOf(kind))) ?? objects;
  try {
    return converted.map((object) =>
      canonical(kind, kind.form.decodeValue(object, () => stringifyJson(object)).value),
    );
  } catch (error) {
    if (error instanceof DecodeError) throw new StatusError("", error.message, { cause: error });
    throw error;
  }
}
