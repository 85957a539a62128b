import type { FieldSpec } from "../config/field-spec.ts";
import { inContext, KustomizeError } from "../kustomize-error.ts";
import { getField, lookup, setField, setScalar } from "../nodes/lookup.ts";
import { type NodeKind, tags, YamlNode } from "../nodes/yaml-node.ts";
import { isSelected, parseApiVersion } from "../resources/gvk.ts";
import { metadataText, topText } from "../resources/metadata.ts";
import { resId, resIdText } from "../resources/res-id.ts";

export interface FieldChange {
  /** Changes what is at the path. */
  readonly set: (node: YamlNode) => void;
  /** The kind of the node that is made where the specification says so. */
  readonly createKind?: NodeKind;
  readonly createTag?: string;
}

/** Changes the field of an object that a specification names, if it is for objects of that kind. */
export function applyFieldSpec(node: YamlNode, spec: FieldSpec, change: FieldChange): void {
  const apiVersion = topText(node, "apiVersion");
  const kind = topText(node, "kind");
  if (!isSelected({ ...parseApiVersion(apiVersion), kind }, spec)) return;
  const name = metadataText(node, "name");
  const id = resId({ apiVersion, kind, name, namespace: metadataText(node, "namespace") });
  inContext(`considering field '${spec.path}' of object ${resIdText(id)}`, () =>
    visit(node, splitPath(spec.path, "/"), { ...change, create: spec.create }),
  );
}

/** Splits a path; a backslash before a separator keeps it. */
export function splitPath(path: string, separator: string): string[] {
  const parts = path.split(separator);
  if (parts.length > 1 && parts[0] === "") parts.shift();
  const result: string[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (last?.endsWith("\\") === true)
      result.push(`${result.pop()?.slice(0, -1)}${separator}${part}`);
    else result.push(part);
  }
  return result;
}

/** Sets a scalar to a string, which replaces what is there. */
export const setString =
  (value: string, tag = ""): ((node: YamlNode) => void) =>
  (node) =>
    setScalar(node, new YamlNode({ kind: "scalar", value, tag }));

/** Sets a member of a mapping to a string. */
export const setMember =
  (name: string, value: string): ((node: YamlNode) => void) =>
  (node) => {
    setField(node, name, new YamlNode({ kind: "scalar", value, tag: tags.string }));
  };

interface Visit extends FieldChange {
  readonly create: boolean;
}

function visit(node: YamlNode, path: readonly string[], change: Visit): void {
  if (path.length === 0) {
    change.set(node);
    return;
  }
  if (node.tag === tags.null) return;
  if (node.kind === "sequence") {
    inContext(`visit traversal on path: [${path.join(" ")}]`, () => {
      for (const item of node.content) visit(item, path, change);
    });
  } else if (node.kind === "mapping") {
    visitMember(node, path, change);
  } else {
    throw new KustomizeError("expected sequence or mapping node");
  }
}

function visitMember(node: YamlNode, path: readonly string[], change: Visit): void {
  const [part = "", ...rest] = path;
  const isList = part.endsWith("[]");
  const name = isList ? part.slice(0, -2) : part;
  if (name === "") throw new KustomizeError("cannot set or create an empty field name");
  const creates = change.create && change.createKind !== undefined && !isList;
  const last = rest.length === 0;
  const made: NodeKind = last ? (change.createKind ?? "none") : "mapping";
  const field = inContext(`fieldName: ${name}`, () =>
    isPlainName(name) && !creates
      ? getField(node, name)
      : lookup(node, [name], creates ? made : undefined),
  );
  if (field === undefined) return;
  const kind = isList ? "sequence" : creates ? made : undefined;
  if (field.tag === tags.null && kind !== undefined) {
    field.kind = kind;
    field.tag = isList ? "" : last ? (change.createTag ?? "") : tags.map;
  }
  visit(field, rest, change);
}

const isPlainName = (name: string): boolean => /^[A-Za-z]/.test(name) && name.trim() === name;
