import { inContext, KustomizeError, prefixed } from "../kustomize-error.ts";
import { lookup } from "../nodes/lookup.ts";
import { matchPath } from "../nodes/match-path.ts";
import { isEmpty, type NodeKind, scalarNode, textOf, type YamlNode } from "../nodes/yaml-node.ts";
import { metadataMap } from "../resources/metadata.ts";
import { isIdSelectedBy, type ResId, resIdText } from "../resources/res-id.ts";
import { allIds } from "../resources/resource.ts";
import { matchesLabels, type Selector, selectorPatterns } from "../resources/selector.ts";
import { splitFieldPath } from "./field-path.ts";
import { setInText } from "./set-in-text.ts";

/** How a value is taken from, or put into, a part of a text. */
export interface FieldOptions {
  readonly delimiter: string;
  readonly index: number;
  readonly create: boolean;
}

export interface ReplacementSource extends ResId {
  readonly fieldPath: string;
  readonly options: FieldOptions | undefined;
}

export interface ReplacementTarget {
  readonly select: Selector | undefined;
  readonly reject: readonly Selector[];
  readonly fieldPaths: readonly string[];
  readonly options: FieldOptions | undefined;
}

/** A value of one object, or of the kustomization, that is copied into fields of others. */
export interface Replacement {
  readonly source: ReplacementSource | undefined;
  readonly sourceValue: string | undefined;
  readonly targets: readonly ReplacementTarget[] | undefined;
}

const defaultPath = "metadata.name";

/** Copies a value into all fields that a replacement names. */
export function applyReplacement(nodes: readonly YamlNode[], replacement: Replacement): void {
  const { source, sourceValue, targets } = replacement;
  if ((source === undefined && sourceValue === undefined) || targets === undefined) {
    throw new KustomizeError("replacements must specify a source and at least one target");
  }
  const value = sourceOf(nodes, replacement);
  for (const target of targets) applyToTarget(nodes, value, target);
}

function sourceOf(nodes: readonly YamlNode[], { source, sourceValue }: Replacement): YamlNode {
  if (source === undefined) return scalarNode(sourceValue ?? "");
  if (sourceValue !== undefined) {
    throw new KustomizeError("value and resource selectors are mutually exclusive");
  }
  const node = selectSource(nodes, source);
  const fieldPath = source.fieldPath || defaultPath;
  const value = inContext("error looking up replacement source", () =>
    lookup(node, splitFieldPath(fieldPath)),
  );
  if (value === undefined || isEmpty(value)) {
    throw new KustomizeError(
      `fieldPath \`${fieldPath}\` is missing for replacement source ${resIdText(source)}`,
    );
  }
  return part(value, source.options);
}

function selectSource(nodes: readonly YamlNode[], source: ReplacementSource): YamlNode {
  const matches = nodes.filter((node) => allIds(node).some((id) => isIdSelectedBy(id, source)));
  const [match] = matches;
  if (match === undefined) throw new KustomizeError(`nothing selected by ${sourceText(source)}`);
  if (matches.length > 1) {
    throw new KustomizeError(`multiple matches for selector ${sourceText(source)}`);
  }
  return match;
}

function sourceText(source: ReplacementSource): string {
  const { fieldPath, options } = source;
  const shown = options && (options.delimiter !== "" || options.create);
  const text = shown
    ? `${options.delimiter}(${options.index}), create=${options.create}`
    : undefined;
  return [resIdText(source), fieldPath || undefined, text]
    .filter((entry) => entry !== undefined)
    .join(":");
}

function part(value: YamlNode, options: FieldOptions | undefined): YamlNode {
  if (options === undefined || options.delimiter === "") return value;
  if (value.kind !== "scalar") {
    throw new KustomizeError("delimiter option can only be used with scalar nodes");
  }
  const found = textOf(value).split(options.delimiter)[options.index];
  if (found === undefined) {
    throw new KustomizeError(
      `options.index ${options.index} is out of bounds for value ${textOf(value)}`,
    );
  }
  const copy = value.copy();
  copy.value = found;
  return copy;
}

function applyToTarget(
  nodes: readonly YamlNode[],
  value: YamlNode,
  target: ReplacementTarget,
): void {
  const { select, reject } = target;
  if (select === undefined) throw new KustomizeError("target must specify resources to select");
  const selected = inContext("error creating target selector", () => selectorPatterns(select));
  const rejected = inContext("error creating target selector", () =>
    reject.map((selector) => ({ selector, patterns: selectorPatterns(selector) })),
  );
  for (const node of nodes) {
    const ids = allIds(node);
    if (!passesLabels(node, target)) continue;
    const isRejected = rejected.some(
      ({ selector, patterns }) => hasId(selector) && ids.some((id) => patterns.matches(id)),
    );
    if (!isRejected && ids.some((id) => selected.matches(id))) copyValue(node, value, target);
  }
}

const hasId = ({ group, version, kind, name, namespace }: Selector): boolean =>
  [group, version, kind, name, namespace].some((text) => text !== "");

function passesLabels(node: YamlNode, { select, reject }: ReplacementTarget): boolean {
  const labels = metadataMap(node, "labels");
  const annotations = metadataMap(node, "annotations");
  const matches = (selector: Selector): boolean =>
    matchesLabels(selector.annotationSelector, annotations) &&
    matchesLabels(selector.labelSelector, labels);
  if (select !== undefined && !matches(select)) return false;
  return !reject.some(
    (selector) =>
      (selector.annotationSelector !== "" || selector.labelSelector !== "") && matches(selector),
  );
}

function copyValue(node: YamlNode, value: YamlNode, target: ReplacementTarget): void {
  const create = target.options?.create === true ? value.kind : undefined;
  const paths = target.fieldPaths.length === 0 ? [defaultPath] : target.fieldPaths;
  for (const fieldPath of paths) {
    const path = splitFieldPath(fieldPath);
    if (setInText(node, { path, value, ...(create && { create }) })) continue;
    const fields = findFields(node, { fieldPath, path, create });
    for (const field of fields) setValue(field, value, target.options);
  }
}

function findFields(
  node: YamlNode,
  at: { fieldPath: string; path: readonly string[]; create: NodeKind | undefined },
): readonly YamlNode[] {
  const { fieldPath, path, create } = at;
  const what = create === undefined ? "find" : "find or create";
  const missing = `unable to ${what} field ${JSON.stringify(fieldPath)} in replacement target`;
  let fields: YamlNode[] | undefined;
  try {
    fields = matchPath(node, path, create);
  } catch (cause) {
    throw prefixed(missing, cause);
  }
  if (fields === undefined || fields.length === 0) throw new KustomizeError(missing);
  return fields;
}

function setValue(field: YamlNode, source: YamlNode, options: FieldOptions | undefined): void {
  const value = source.copy();
  if (options !== undefined && options.delimiter !== "") {
    if (field.kind !== "scalar") {
      throw new KustomizeError("delimiter option can only be used with scalar nodes");
    }
    const parts = field.value.split(options.delimiter);
    if (options.index < 0) parts.unshift(textOf(value));
    else if (options.index >= parts.length) parts.push(textOf(value));
    else parts[options.index] = textOf(value);
    value.value = parts.join(options.delimiter);
  }
  if (field.kind === "scalar") field.value = value.value;
  else field.assign(value);
}
