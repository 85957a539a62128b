import type { Variable } from "../config/kustomization.ts";
import { splitFieldPath } from "../filters/field-path.ts";
import type { VariableValue } from "../filters/variables.ts";
import { isUserError, KustomizeError } from "../kustomize-error.ts";
import { lookup } from "../nodes/lookup.ts";
import { tags, type YamlNode } from "../nodes/yaml-node.ts";
import { type Gvk, gvkText, hasNoNamespace, parseApiVersion } from "../resources/gvk.ts";
import { sameId, sameKindAndName } from "../resources/res-id.ts";
import type { ResMap } from "../resources/res-map.ts";

/** The variables of a build, each with a name of its own. */
export class VariableSet {
  readonly #variables = new Map<string, Variable>();

  get list(): readonly Variable[] {
    return [...this.#variables.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  addAll(variables: readonly Variable[]): void {
    for (const variable of variables) {
      if (this.#variables.has(variable.name)) {
        throw new KustomizeError(`var '${variable.name}' already encountered`);
      }
      const fieldPath = variable.fieldref.fieldPath || "metadata.name";
      this.#variables.set(variable.name, { ...variable, fieldref: { fieldPath } });
    }
  }

  /** Remembers which object a variable takes its value from, whatever becomes of its name. */
  bind(variable: Variable, map: ResMap): void {
    const { name, namespace } = variable.objref;
    const id = { ...gvkOf(variable), name, namespace };
    const matches = namespace !== "" || hasNoNamespace(id) ? sameId : sameKindAndName;
    const found = map.withAnyId((other) => matches(id, other));
    if (found.length > 1) {
      throw new KustomizeError(
        `found ${found.length} resId matches for var ${textOf(variable)} (unable to disambiguate)`,
      );
    }
    found[0]?.variables.push(variable.name);
  }

  valuesFrom(map: ResMap): { values: ReadonlyMap<string, VariableValue>; warnings: string[] } {
    const values = new Map<string, VariableValue>();
    const warnings: string[] = [];
    for (const variable of this.list) {
      const value = sourceValue(variable, map);
      if (typeof value === "object") {
        warnings.push(`MakePrimitiveReplacer: bad replacement of '${variable.name}'`);
      } else {
        values.set(variable.name, value);
      }
    }
    return { values, warnings };
  }
}

function sourceValue(variable: Variable, map: ResMap): VariableValue | YamlNode {
  const source = map.resources.find(({ variables }) => variables.includes(variable.name));
  if (source?.node === undefined) {
    throw new KustomizeError(
      `var '${textOf(variable)}' cannot be mapped to a field in the set of known resources`,
    );
  }
  const value = fieldValue(source.node, variable.fieldref.fieldPath);
  if (value !== undefined) return value;
  throw new KustomizeError(
    `field specified in var '${textOf(variable)}' not found in corresponding resource`,
  );
}

function fieldValue(node: YamlNode, path: string): VariableValue | YamlNode | undefined {
  let found: YamlNode | undefined;
  try {
    found = lookup(node, splitFieldPath(path).flatMap(withIndex));
  } catch (error) {
    if (!isUserError(error)) throw error;
  }
  if (found === undefined || found.kind !== "scalar") return found;
  const { tag, value } = found;
  if (tag === tags.int) return Number(value);
  if (tag === tags.float) return Number(value);
  if (tag === tags.bool) return value.toLowerCase() === "true";
  return value;
}

/** `ports[0]` are two parts. */
function withIndex(part: string): string[] {
  const [, name = "", index] = /^(.*)\[(\d+)\]$/.exec(part) ?? [];
  if (index === undefined) return [part];
  return name === "" ? [index] : [name, index];
}

function gvkOf({ objref }: Variable): Gvk {
  const { apiVersion, group, version, kind } = objref;
  if (apiVersion === "") return { group, version, kind };
  return apiVersion.includes("/")
    ? { ...parseApiVersion(apiVersion), kind }
    : { group, version: apiVersion, kind };
}

/** A variable as messages show it once its kind is known. */
const textOf = (variable: Variable): string =>
  variableText({ ...variable, objref: { ...variable.objref, ...gvkOf(variable) } });

/** A variable as messages show it. */
export const variableText = ({ name, objref, fieldref }: Variable): string =>
  `{${name} ${gvkText(objref)} {${fieldref.fieldPath}}}`;
