import {
  anyType,
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  opaqueType,
  stringType,
  structType,
  timestampType,
  typeOf,
  typeParameter,
  uintType,
} from "./type.ts";

/** One way to call a function: with which types, and what comes of it. */
export interface Overload {
  readonly id: string;
  readonly isMethod: boolean;
  /** Of a method the first is that of its target. */
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  readonly typeParameters: readonly string[];
}

/** The functions that can be called, by name. */
export type Functions = ReadonlyMap<string, readonly Overload[]>;

/**
 * Reads a table of functions, one way to call one on each line: its id, its name and its types. A
 * type in parentheses before the name is that of the target of a method; a capital letter is a type
 * that the call decides.
 *
 *     contains_string (string).contains(string): bool
 *     index_list      _[_](list(A), int): A
 */
export function readFunctions(table: string): Functions {
  const functions = new Map<string, Overload[]>();
  for (const line of table.split("\n")) {
    const text = line.trim();
    if (text === "") continue;
    const [, id = "", target, name = "", parameters = "", result = ""] =
      /^(\S+)\s+(?:\(((?:[^()]|\([^()]*\))*)\)\.)?(\S+?)\((.*)\): (.+)$/.exec(text) ?? [];
    const overload = {
      id,
      isMethod: target !== undefined,
      parameters: [...(target === undefined ? [] : [target]), ...splitTypes(parameters)].map(
        readType,
      ),
      result: readType(result),
      typeParameters: [...new Set(text.slice(id.length).match(/\b[A-Z]\b/g) ?? [])],
    };
    functions.set(name, [...(functions.get(name) ?? []), overload]);
  }
  return functions;
}

/** All the functions of several tables: those of one name are ways to call the same function. */
export function mergeFunctions(...tables: readonly Functions[]): Functions {
  const merged = new Map<string, readonly Overload[]>();
  for (const table of tables) {
    for (const [name, overloads] of table) {
      merged.set(name, [...(merged.get(name) ?? []), ...overloads]);
    }
  }
  return merged;
}

/** Reads a type as the tables write it: `map(string, list(A))`. */
export function readType(text: string): CelType {
  const [, name = "", inner] = /^([^()]+)(?:\((.*)\))?$/.exec(text.trim()) ?? [];
  const parameters = inner === undefined ? [] : splitTypes(inner).map(readType);
  const [first = dynType, second = dynType] = parameters;
  if (/^[A-Z]$/.test(name)) return typeParameter(name);
  if (name === "list") return listType(first);
  if (name === "map") return mapType(first, second);
  if (name === "type") return typeOf(first);
  if (opaque.has(name)) return opaqueType(name, ...parameters);
  return simpleTypes[name] ?? structType(name);
}

const opaque: ReadonlySet<string> = new Set(["optional_type", "net.IP", "net.CIDR"]);

const simpleTypes: Readonly<Record<string, CelType>> = {
  any: anyType,
  bool: boolType,
  bytes: bytesType,
  double: doubleType,
  duration: durationType,
  dyn: dynType,
  int: intType,
  null: nullType,
  string: stringType,
  timestamp: timestampType,
  uint: uintType,
};

/** Splits at the commas that are in no parentheses. */
function splitTypes(text: string): string[] {
  const types: string[] = [];
  let depth = 0;
  let current = "";
  for (const character of text) {
    if (character === "(") depth++;
    if (character === ")") depth--;
    if (character === "," && depth === 0) {
      types.push(current);
      current = "";
    } else {
      current += character;
    }
  }
  return current.trim() === "" ? types : [...types, current];
}
