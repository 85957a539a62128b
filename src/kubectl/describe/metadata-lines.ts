import type { ObjectMeta } from "../../api/meta/v1/object-meta.ts";
import { sortedKeys } from "../../schema/values/utf8-order.ts";
import type { Description } from "./description.ts";

type TextMap = Readonly<Record<string, string>>;

/** Values below each other: the first beside the title. */
export function listLines(
  d: Description,
  title: string,
  { lines, indent = "" }: { readonly lines: readonly string[]; readonly indent?: string },
): void {
  d.write(`${indent}${title}:\t`);
  if (lines.length === 0) {
    d.line("<none>");
    return;
  }
  for (const [at, line] of lines.entries()) {
    if (at > 0) {
      d.write(indent);
      d.write("\t");
    }
    d.line(line);
  }
}

/** Labels as `key=value`, one a line. */
export function labelLines(
  d: Description,
  title: string,
  labels: TextMap | undefined,
  indent = "",
): void {
  const map = labels ?? {};
  listLines(d, title, { lines: sortedKeys(map).map((key) => `${key}=${map[key]}`), indent });
}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
const maxLength = 140;

/** Annotations as `key: value`; long values have lines of their own, which are cut off. */
export function annotationLines(
  d: Description,
  title: string,
  annotations: TextMap | undefined,
): void {
  const map = annotations ?? {};
  const keys = sortedKeys(map).filter((key) => key !== lastApplied);
  d.write(`${title}:\t`);
  if (keys.length === 0) {
    d.line("<none>");
    return;
  }
  for (const [at, key] of keys.entries()) {
    if (at > 0) d.write("\t");
    const value = (map[key] ?? "").replace(/\n$/, "");
    if (byteLength(value) + byteLength(key) + 2 <= maxLength && !value.includes("\n")) {
      d.line(`${key}: ${value}`);
      continue;
    }
    d.line(`${key}:`);
    for (const line of value.split("\n")) d.line(`\t  ${shortened(line, maxLength - 2)}`);
  }
}

/** `Labels` and `Annotations` of an object. */
export function metadataLines(d: Description, { labels, annotations }: ObjectMeta): void {
  labelLines(d, "Labels", labels);
  annotationLines(d, "Annotations", annotations);
}

/** `Name`, and `Namespace` of what has one, then labels and annotations. */
export function headLines(d: Description, metadata: ObjectMeta, isNamespaced: boolean): void {
  d.field("Name", metadata.name ?? "");
  if (isNamespaced) d.field("Namespace", metadata.namespace ?? "");
  metadataLines(d, metadata);
}

/** The attributes of CSI volumes. */
export function attributeLines(
  d: Description,
  title: string,
  attributes: TextMap | undefined,
): void {
  const map = attributes ?? {};
  d.write(`${title}:\t`, 2);
  const keys = sortedKeys(map);
  if (keys.length === 0) {
    d.line("<none>");
    return;
  }
  for (const [at, key] of keys.entries()) {
    if (at > 0) {
      d.write("", 2);
      d.write("\t", 2);
    }
    d.line(shortened(`${key}=${map[key]}`, maxLength), 2);
  }
}

/** The kind and name of the object that controls another; undefined if there is none. */
export function controllerText({ ownerReferences }: ObjectMeta): string | undefined {
  const owner = ownerReferences?.find(({ controller }) => controller === true);
  return owner && `${owner.kind}/${owner.name}`;
}

const encoder = new TextEncoder();
const byteLength = (text: string): number => encoder.encode(text).length;

/** A text of at most so many bytes, with dots if something is left out. */
function shortened(text: string, length: number): string {
  const bytes = encoder.encode(text);
  if (bytes.length <= length) return text;
  return `${new TextDecoder().decode(bytes.subarray(0, length))}...`;
}
