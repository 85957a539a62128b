import { encodeBase64 } from "../../../base/base64.ts";
import { clearField, setField } from "../nodes/lookup.ts";
import { mappingNode, member, stringNode, type YamlNode } from "../nodes/yaml-node.ts";
import type { Resource } from "./resource.ts";

/** Adds the data of an object to one that is merged with it, whose own data wins. */
export function mergeData(resource: Resource, old: Resource): void {
  for (const field of ["data", "binaryData"]) {
    const merged = new Map([...old.texts(field), ...resource.texts(field)]);
    const { node } = resource;
    if (node === undefined) continue;
    clearField(node, field);
    if (merged.size > 0) setTexts(node, field, merged);
  }
}

/** Sets members of a map at the top of an object, in order of their names. */
export function setTexts(node: YamlNode, field: string, values: ReadonlyMap<string, string>): void {
  if (member(node, field) === undefined) setField(node, field, mappingNode());
  const map = member(node, field);
  if (map === undefined) return;
  for (const name of [...values.keys()].toSorted()) {
    setField(map, name, stringNode(values.get(name) ?? ""));
  }
}

/** Base 64 as go-yaml breaks it: lines of 70 characters, each ended, where one does not do. */
export function wrappedBase64(bytes: Uint8Array): string {
  const text = encodeBase64(bytes);
  if (text.length < 70) return text;
  return (text.match(/.{1,70}/g) ?? []).map((line) => `${line}\n`).join("");
}
