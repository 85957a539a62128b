import type { Output } from "../../cli/command.ts";
import { fieldOf } from "../../schema/apply/path-element.ts";
import { stringifyJson } from "../../schema/json/strict-json.ts";
import type { ReadObject } from "../commands/decode/decode-objects.ts";
import { type FieldChange, fieldChanges, fieldText } from "./field-changes.ts";
import type { KeyVersion } from "./key-history.ts";
import { isLeaseKey } from "./lease-key.ts";
import { hideAt, readStored } from "./stored-object.ts";
import { type Colour, painted, printable } from "./terminal.ts";
import { timeOf, type Writer, writersOf } from "./writers.ts";

/** A version of a key as commands print it. */
export interface DescribedVersion {
  readonly revision: number;
  readonly type: "created" | "updated" | "deleted";
  /** How often the key was written since it was created; absent for a deletion. */
  readonly version?: number;
  readonly time?: string;
  readonly writers: readonly Writer[];
  /** The differences from the version before; absent if it is not kept or cannot be decoded. */
  readonly changes?: readonly ShownChange[];
  /** Why there are no changes. */
  readonly note?: string;
}

interface ShownChange {
  readonly field: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Describes what a version changed, and who wrote it when, from the managedFields of the objects. */
export function describeVersion(version: KeyVersion, showSecrets: boolean): DescribedVersion {
  const { revision, entry, previous } = version;
  if (!entry) return { revision, type: "deleted", writers: [] };
  const type = entry.version === 1 ? "created" : "updated";
  const head = { revision, type, version: entry.version } as const;
  if (isLeaseKey(entry.key))
    return { ...head, writers: [], note: 'a lease of etcd\'s API: see "wherry store get"' };
  const now = readStored(entry.value);
  if (!now.object) return { ...head, writers: [], note: `not decoded: ${now.opaque}` };
  if (type === "created")
    return { ...head, ...timed(writersOf(undefined, now.object, []), timeOf(now.object)) };
  if (!previous) {
    const latest = writersOf(undefined, now.object, []);
    // Among writers of the same second, the last one is unknown.
    const times = timed(latest.length === 1 ? latest : [], timeOf(now.object));
    return { ...head, ...times, note: "the version before it is no longer kept" };
  }
  const old = readStored(previous.value);
  if (!old.object) return { ...head, writers: [], note: `not compared: ${old.opaque}` };
  const changes = fieldChanges(old.object, now.object);
  const writers = writersOf(old.object, now.object, changes);
  const time = timeOf(now.object);
  const shown = changes.map((change) =>
    showSecrets ? shownAs(change) : hiddenIn(now.object, change),
  );
  return {
    ...head,
    ...timed(writers, time === timeOf(old.object) ? undefined : time),
    changes: shown,
  };
}

/** Formats a version as one line, followed by a line for each changed field. */
export function versionText(described: DescribedVersion, output: Output): string {
  const { revision, type, time, writers } = described;
  const when = time === undefined ? "" : ` at ${time}`;
  const who =
    writers.length === 0
      ? ""
      : ` by ${writers.map((writer) => printable(output, writerText(writer))).join(", ")}`;
  const head = `revision ${revision}: ${painted(output, typeColours[type], type)}${when}${who}\n`;
  return `${head}${changesText(described, output)}`;
}

/** Formats one line for each field that a version changed. */
export function changesText({ changes, note }: DescribedVersion, output: Output): string {
  if (note !== undefined) return `  ${painted(output, "grey", `(${note})`)}\n`;
  return (changes ?? [])
    .map(({ field, ...values }) => {
      const sign = !("before" in values) ? "+" : "after" in values ? "~" : "-";
      const texts = [values.before, values.after].filter((value) => value !== undefined);
      const line = `  ${sign} ${printable(output, field)}: ${texts.map(valueText).join(" → ")}`;
      return `${painted(output, signColours[sign] ?? "yellow", line)}\n`;
    })
    .join("");
}

export const typeColours: Readonly<Record<DescribedVersion["type"], Colour>> = {
  created: "green",
  updated: "yellow",
  deleted: "red",
};
const signColours: Readonly<Record<string, Colour>> = { "+": "green", "~": "yellow", "-": "red" };

function timed(
  writers: readonly Writer[],
  fallback: string | undefined,
): Pick<DescribedVersion, "writers" | "time"> {
  const time = writers[0]?.time ?? fallback;
  return { ...(time !== undefined && { time }), writers };
}

const shownAs = ({ path, ...values }: FieldChange): ShownChange => ({
  field: fieldText(path),
  ...(values.before !== undefined && { before: values.before }),
  ...(values.after !== undefined && { after: values.after }),
});

function hiddenIn(object: ReadObject, { path, before, after }: FieldChange): ShownChange {
  const names = path.map((element) => fieldOf(element) ?? "");
  return shownAs({
    path,
    before: hideAt(object, names, before),
    after: hideAt(object, names, after),
  });
}

function writerText({ manager = "unknown manager", operation, subresource }: Writer): string {
  const what = subresource === undefined ? operation : `${operation} of ${subresource}`;
  return operation === undefined ? manager : `${manager} (${what})`;
}

/** Longer values are cut off. */
const mostCharacters = 200;

function valueText(value: unknown): string {
  const text = stringifyJson(value);
  if (text.length <= mostCharacters) return text;
  return `${text.slice(0, mostCharacters)}… (${text.length} characters)`;
}
