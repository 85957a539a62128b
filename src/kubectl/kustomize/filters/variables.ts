import { formatFloat } from "../../../schema/yaml/yaml-scalar.ts";
import type { FieldSpec } from "../config/field-spec.ts";
import { KustomizeError } from "../kustomize-error.ts";
import { isMissing, isString, membersOf, tags, type YamlNode } from "../nodes/yaml-node.ts";
import type { ResMap } from "../resources/res-map.ts";
import { applyFieldSpec } from "./apply-field-spec.ts";

/** A value that a variable may have. */
export type VariableValue = string | number | boolean;

/** Replaces `$(NAME)` in the named fields; returns the names of variables that were nowhere. */
export function replaceVariables(
  map: ResMap,
  values: ReadonlyMap<string, VariableValue>,
  fieldSpecs: readonly FieldSpec[],
): string[] {
  const used = new Set<string>();
  const resolve = (name: string): VariableValue => {
    const value = values.get(name);
    if (value !== undefined) used.add(name);
    return value ?? `$(${name})`;
  };
  const set = (node: YamlNode): void => setVariables(node, resolve);
  for (const { node } of map.resources) {
    if (node === undefined) continue;
    for (const spec of fieldSpecs) applyFieldSpec(node, spec, { set });
  }
  return [...values.keys()].filter((name) => !used.has(name));
}

type Resolve = (name: string) => VariableValue;

function setVariables(node: YamlNode, resolve: Resolve): void {
  if (isMissing(node)) return;
  const { kind, content } = node;
  if (kind === "scalar") {
    if (isString(node)) setValue(node, replaced(node.value, resolve));
  } else if (kind === "mapping") {
    for (const [key, value] of membersOf(node)) {
      if (!isString(key)) {
        throw new KustomizeError(`invalid map key: value='${key.value}', tag='${key.tag}'`);
      }
      if (isString(value)) setValue(value, replaced(value.value, resolve));
    }
  } else {
    for (const item of content) {
      if (!isString(item)) throw new KustomizeError("invalid value type expect a string");
      setValue(item, replaced(item.value, resolve));
    }
  }
}

function setValue(node: YamlNode, value: VariableValue): void {
  node.value = String(value);
  node.style = "plain";
  if (typeof value === "number") {
    node.tag = Number.isInteger(value) ? tags.int : tags.float;
  } else {
    node.tag = typeof value === "boolean" ? tags.bool : tags.string;
  }
}

/** A text with variables replaced; one that is nothing but a variable keeps the value's type. */
function replaced(text: string, resolve: Resolve): VariableValue {
  let result = "";
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    const next = text.charAt(at + 1);
    if (char !== "$" || next === "") result += char;
    else if (next === "(") {
      const end = text.indexOf(")", at);
      if (end < 0) {
        result += "$(";
        at++;
        continue;
      }
      const name = text.slice(at + 2, end);
      const value = resolve(name);
      if (text === `$(${name})`) return value;
      result += typeof value === "number" && !Number.isInteger(value) ? formatFloat(value) : value;
      at = end;
    } else {
      // Two dollars are one.
      result += next === "$" ? "$" : `$${next}`;
      at++;
    }
  }
  return result;
}
