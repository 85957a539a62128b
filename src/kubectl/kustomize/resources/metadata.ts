import { KustomizeError } from "../kustomize-error.ts";
import { clearField, lookup, setField } from "../nodes/lookup.ts";
import { nodeTexts } from "../nodes/node-value.ts";
import {
  isEmpty,
  mappingNode,
  member,
  scalarNode,
  stringNode,
  textOf,
  type YamlNode,
} from "../nodes/yaml-node.ts";

/** The metadata of an object; undefined where it is empty. */
const metadataOf = (node: YamlNode): YamlNode | undefined => {
  const metadata = member(node, "metadata");
  return isEmpty(metadata) ? undefined : metadata;
};

/** The text of a field of an object, such as its kind. */
export const topText = (node: YamlNode, name: string): string => member(node, name)?.value ?? "";

/** The text of a field of an object's metadata. */
export function metadataText(node: YamlNode, name: string): string {
  const value = member(metadataOf(node), name);
  return value === undefined || isEmpty(value) ? "" : value.value;
}

/** Labels or annotations of an object. */
export const metadataMap = (node: YamlNode, field: "labels" | "annotations"): Map<string, string> =>
  nodeTexts(member(metadataOf(node), field));

/** Replaces all labels or annotations; none removes the field. */
export function setMetadataMap(
  node: YamlNode,
  field: "labels" | "annotations",
  values: ReadonlyMap<string, string>,
): void {
  const metadata = lookup(node, ["metadata"], "mapping");
  if (metadata === undefined) return;
  clearField(metadata, field);
  if (values.size === 0) return;
  const map = mappingNode();
  for (const [name, value] of [...values].toSorted(byKey)) setField(map, name, stringNode(value));
  setField(metadata, field, map);
}

/** Sets one label or annotation. */
export function setMetadataEntry(
  node: YamlNode,
  field: "labels" | "annotations",
  [name, value]: readonly [string, string],
): void {
  if (field === "annotations") dropEmptyAnnotations(node);
  const map = lookup(node, ["metadata", field], "mapping");
  const quoted = stringNode(value);
  quoted.style = "single";
  if (map !== undefined) setField(map, name, quoted);
}

function dropEmptyAnnotations(node: YamlNode): void {
  const metadata = lookup(node, ["metadata"]);
  const annotations = member(metadata, "annotations");
  if (metadata && annotations?.content.length === 0) clearField(metadata, "annotations");
  if (member(node, "metadata")?.content.length === 0) clearField(node, "metadata");
}

/** Sets a field below the top of an object, whose type its text decides. */
export function setText(node: YamlNode, path: readonly string[], value: string): void {
  const parent = lookup(node, path.slice(0, -1), "mapping");
  if (parent !== undefined) setField(parent, path.at(-1) ?? "", scalarNode(value));
}

/** Throws unless an object has a kind and, if it is no list, a name. */
export function checkMetadata(node: YamlNode): void {
  if (node.kind !== "mapping") failed("missing kind", node);
  const kind = textOf(member(node, "kind"));
  if (kind === "") failed("missing kind", node);
  if (!kind.endsWith("List") && metadataText(node, "name") === "") {
    failed("missing metadata.name", node);
  }
}

function failed(problem: string, node: YamlNode): never {
  const missing =
    node.kind !== "mapping" ||
    ["apiVersion", "kind", "metadata"].every((name) => isEmpty(member(node, name)));
  if (missing) throw new KustomizeError("missing Resource metadata");
  const type = `{${textOf(member(node, "apiVersion"))} ${textOf(member(node, "kind"))}}`;
  const name = `{${metadataText(node, "name")} ${metadataText(node, "namespace")}}`;
  const maps = `${goMap(metadataMap(node, "labels"))} ${goMap(metadataMap(node, "annotations"))}`;
  throw new KustomizeError(`${problem} in object {${type} {${name} ${maps}}}`);
}

const goMap = (map: ReadonlyMap<string, string>): string =>
  `map[${[...map]
    .toSorted(byKey)
    .map(([key, value]) => `${key}:${value}`)
    .join(" ")}]`;

const byKey = ([a]: readonly [string, string], [b]: readonly [string, string]): number =>
  a < b ? -1 : a > b ? 1 : 0;
