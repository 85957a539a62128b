import {
  difference,
  emptySet,
  type FieldSet,
  intersection,
  isEmpty,
  setOf,
} from "../../schema/apply/field-set.ts";
import { readFields } from "../../schema/apply/fields-v1.ts";
import { identify, type ManagedFieldsEntry } from "../../schema/apply/managers.ts";
import { isMap, sameJson } from "../../schema/json/json-value.ts";
import type { ReadObject } from "../commands/decode/decode-objects.ts";
import type { FieldChange } from "./field-changes.ts";

/** A manager that wrote a version of an object, as managedFields name it. */
export type Writer = Pick<ManagedFieldsEntry, "manager" | "operation" | "subresource"> & {
  readonly time?: string;
};

/**
 * The managers that wrote a version: their entry in managedFields changed, and they own changed fields.
 * Managers that only lost fields are left out. A second write in the same second may leave all entries
 * unchanged: then the writer is the latest owner of the changed fields.
 */
export function writersOf(
  before: ReadObject | undefined,
  after: ReadObject,
  changes: readonly FieldChange[],
): Writer[] {
  const old = before ? managedFields(before) : [];
  const now = managedFields(after);
  const changed = now.filter((entry) => !old.some((one) => sameJson(one, entry)));
  const gained = changed.filter((entry) => !old.some((one) => hasOnlyLost(one, entry)));
  const paths = setOf(changes.map(({ path }) => path));
  const owning = (entries: readonly ManagedFieldsEntry[]): ManagedFieldsEntry[] =>
    entries.filter((entry) => !isEmpty(intersection(fieldsOf(entry), paths)));
  const candidates = [owning(gained), gained, owning(now), changed];
  return newest(candidates.find((some) => some.length > 0) ?? []).map(toWriter);
}

/** The newest time in an object, which is about when it was written. */
export function timeOf(object: ReadObject): string | undefined {
  const { metadata, spec } = (isMap(object.value) ? object.value : {}) as {
    readonly metadata?: { readonly creationTimestamp?: string };
    readonly spec?: { readonly renewTime?: unknown };
  };
  const times = [
    metadata?.creationTimestamp,
    object.kind === "Lease" && isMap(spec) ? spec.renewTime : undefined,
    ...managedFields(object).map(({ time }) => time),
  ].filter((time) => typeof time === "string");
  return times.sort((a, b) => Date.parse(a) - Date.parse(b)).at(-1);
}

function managedFields({ value }: ReadObject): ManagedFieldsEntry[] {
  const { metadata } = isMap(value) ? value : {};
  const entries = isMap(metadata) ? metadata.managedFields : undefined;
  return Array.isArray(entries) ? entries.filter(isMap) : [];
}

function newest(entries: readonly ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  const time = (entry: ManagedFieldsEntry): number => Date.parse(entry.time ?? "") || 0;
  const latest = Math.max(...entries.map(time));
  return entries.filter((entry) => time(entry) === latest);
}

function hasOnlyLost(before: ManagedFieldsEntry, after: ManagedFieldsEntry): boolean {
  return (
    identify(before) === identify(after) &&
    before.time === after.time &&
    isEmpty(difference(fieldsOf(after), fieldsOf(before)))
  );
}

function fieldsOf({ fieldsV1 }: ManagedFieldsEntry): FieldSet {
  try {
    return readFields(fieldsV1);
  } catch {
    return emptySet;
  }
}

const toWriter = ({ manager, operation, subresource, time }: ManagedFieldsEntry): Writer => ({
  ...(manager && { manager }),
  ...(operation && { operation }),
  ...(subresource && { subresource }),
  ...(time && { time }),
});
