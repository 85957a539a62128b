import { goJson } from "../json/go-json.ts";
import { quote } from "../values/quote.ts";
import { compareUtf8 } from "../values/utf8-order.ts";
import { emptySet, type FieldSet, isEmpty, union } from "./field-set.ts";
import { type FieldsV1, readFields, writeFields } from "./fields-v1.ts";

/** A line of `metadata.managedFields`: who owns which fields, by what, and since when. */
export interface ManagedFieldsEntry {
  readonly manager?: string | undefined;
  readonly operation?: string | undefined;
  readonly apiVersion?: string | undefined;
  readonly time?: string | null | undefined;
  readonly fieldsType?: string | undefined;
  readonly fieldsV1?: unknown;
  readonly subresource?: string | undefined;
}

/** What one manager owns, in the fields of one version. */
export interface Owned {
  readonly set: FieldSet;
  readonly version: string;
  /** By apply; otherwise by an update. */
  readonly isApplied: boolean;
  readonly time: string | undefined;
  /** The set as it was written before, where it is known; it is written so again. */
  readonly fields?: FieldsV1 | undefined;
}

/** The same manager with another set. */
export function withOwn(owned: Owned, set: FieldSet): Owned {
  if (owned.set === set) return owned;
  const { version, isApplied, time } = owned;
  return { set, version, isApplied, time };
}

/**
 * The owners of an object's fields, by an identity that tells them apart: name, subresource and
 * operation, and for updates the version.
 */
export type Managers = ReadonlyMap<string, Owned>;

export type Identity = Pick<
  ManagedFieldsEntry,
  "manager" | "operation" | "apiVersion" | "subresource"
>;

/** The identity of a manager, as text. */
export function identify({ manager, operation, apiVersion, subresource }: Identity): string {
  return goJson({
    ...(manager && { manager }),
    ...(operation && { operation }),
    ...(operation !== "Apply" && apiVersion && { apiVersion }),
    ...(subresource && { subresource }),
  });
}

function identityOf(text: string): Identity {
  let identity = identities.get(text);
  if (!identity) {
    identity = JSON.parse(text) as Identity;
    if (identities.size >= mostIdentities) identities.clear();
    identities.set(text, identity);
  }
  return identity;
}

/** There are few managers, and many objects that they own fields of. */
const identities = new Map<string, Identity>();
const mostIdentities = 1000;

/**
 * Reads managedFields; throws a SyntaxError where they are not as they should be. Those of a stored
 * object were written by `writeManagers`, and sets in them that stay the same need not be again.
 */
export function readManagers(
  entries: readonly ManagedFieldsEntry[] = [],
  { areStored = false } = {},
): Managers {
  const managers = new Map<string, Owned>();
  for (const [index, entry] of entries.entries()) {
    const { operation, apiVersion, fieldsType = "", fieldsV1, time } = entry;
    if (operation !== "Apply" && operation !== "Update")
      throw new SyntaxError("operation must be `Apply` or `Update`");
    if (!apiVersion) throw new SyntaxError("apiVersion must not be empty");
    if (fieldsType === "")
      throw new SyntaxError(`missing fieldsType in managed fields entry ${index}`);
    if (fieldsType !== "FieldsV1")
      throw new SyntaxError(
        `invalid fieldsType ${quote(fieldsType)} in managed fields entry ${index}`,
      );
    managers.set(identify(entry), {
      set: readFields(fieldsV1),
      version: apiVersion,
      isApplied: operation === "Apply",
      time: time ?? undefined,
      ...(areStored && { fields: fieldsV1 as FieldsV1 }),
    });
  }
  return managers;
}

/** The managers as managedFields: those who applied first, then by time and name. */
export function writeManagers(managers: Managers): ManagedFieldsEntry[] {
  return [...managers]
    .map(([identity, owned]) => {
      const { manager = "", operation, subresource = "" } = identityOf(identity);
      const { version, time } = owned;
      return entryOf({
        manager,
        operation: owned.isApplied ? "Apply" : operation,
        version,
        time,
        fields: owned.fields ?? writeFields(owned.set),
        subresource,
      });
    })
    .sort(
      (a, b) =>
        compareUtf8(a.operation ?? "", b.operation ?? "") ||
        compareUtf8(a.time ?? "", b.time ?? "") ||
        compareUtf8(a.manager ?? "", b.manager ?? "") ||
        compareUtf8(a.apiVersion, b.apiVersion) ||
        compareUtf8(a.subresource ?? "", b.subresource ?? ""),
    );
}

/** A line of managedFields, with its members in their order. */
export function entryOf(line: {
  readonly manager: string;
  readonly operation: string | undefined;
  readonly version: string;
  readonly time: string | undefined;
  readonly fields: FieldsV1;
  readonly subresource: string;
}): ManagedFieldsEntry & { readonly apiVersion: string } {
  const { manager, operation, version: apiVersion, time, fields: fieldsV1, subresource } = line;
  const fieldsType = "FieldsV1";
  // As almost all are. Spread members cost ten times as much.
  if (manager !== "" && time !== undefined && subresource === "")
    return { manager, operation, apiVersion, time, fieldsType, fieldsV1 };
  return {
    ...(manager && { manager }),
    operation,
    apiVersion,
    ...(time !== undefined && { time }),
    fieldsType,
    fieldsV1,
    ...(subresource && { subresource }),
  };
}

/** A manager as conflicts name it. */
export function managerText(identity: string): string {
  const { manager = "", operation, apiVersion = "", subresource } = identityOf(identity);
  const name = quote(manager) + (subresource ? ` with subresource ${quote(subresource)}` : "");
  return operation === "Update" ? `${name} using ${apiVersion}` : name;
}

/** The number of updating managers that are kept apart. */
const maxUpdateManagers = 10;

/** Merges the oldest updates, of each version into one, until few enough are left. */
export function capped(managers: Managers): Managers {
  const updates = [...managers]
    .filter(([, { isApplied }]) => !isApplied)
    .sort(([a, { time: x = "" }], [b, { time: y = "" }]) => compareUtf8(x, y) || compareUtf8(a, b));
  let count = updates.length;
  if (count <= maxUpdateManagers) return managers;
  const result = new Map(managers);
  const firsts = new Map<string, string>();
  for (const [identity, owned] of updates) {
    if (count <= maxUpdateManagers) break;
    const { version } = owned;
    const first = firsts.get(version);
    if (first === undefined) {
      firsts.set(version, identity);
      continue;
    }
    const bucket = identify({
      manager: "ancient-changes",
      operation: "Update",
      apiVersion: version,
    });
    const old = result.get(bucket) ?? result.get(first);
    if (!result.has(bucket)) result.delete(first);
    result.delete(identity);
    result.set(bucket, withOwn(owned, union(owned.set, old?.set ?? emptySet)));
    count--;
  }
  return result;
}

/** The managers with the set of one changed; one that owns nothing is none. */
export function withSet(managers: Managers, identity: string, set: FieldSet): Managers {
  const owned = managers.get(identity);
  if (!owned || owned.set === set) return managers;
  const result = new Map(managers);
  if (isEmpty(set)) result.delete(identity);
  else result.set(identity, withOwn(owned, set));
  return result;
}
