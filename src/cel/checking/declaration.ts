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
} from "./cel-type.ts";

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
    const [, id = "", signature = ""] = /^\s*(\S+)\s+(.+)$/.exec(line) ?? [];
    if (id === "") continue;
    const { name, overload } = readOverload(id, signature);
    functions.set(name, [...(functions.get(name) ?? []), overload]);
  }
  return functions;
}

function readOverload(id: string, signature: string): { name: string; overload: Overload } {
  const isMethod = signature.startsWith("(");
  const target = isMethod ? withinParentheses(signature, 0) : "";
  const call = isMethod ? signature.slice(target.length + 3) : signature;
  const open = call.indexOf("(");
  const parameters = withinParentheses(call, open);
  const result = call.slice(open + parameters.length + 4);
  return {
    name: call.slice(0, open),
    overload: {
      id,
      isMethod,
      parameters: [...(isMethod ? [target] : []), ...splitTypes(parameters)].map(readType),
      result: readType(result),
      typeParameters: [...new Set(signature.match(/\b[A-Z]\b/g) ?? [])],
    },
  };
}

/** What is between a parenthesis and the one that closes it. */
function withinParentheses(text: string, open: number): string {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === "(") depth++;
    if (text[at] === ")" && --depth === 0) return text.slice(open + 1, at);
  }
  return "";
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
