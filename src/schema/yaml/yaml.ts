import { decodeBase64 } from "../../base/base64.ts";
import { setMember } from "../json/strict-json.ts";
import { quote } from "../values/quote.ts";
import { jsonAsYaml } from "./json-as-yaml.ts";
import { formatFloat, isTimestamp, resolveScalar, type YamlScalar } from "./yaml-scalar.ts";
import { failure, maxDepth, readTree, type YamlTree as Tree, YamlError } from "./yaml-tree.ts";
import { writeYaml } from "./yaml-write.ts";

export { YamlError } from "./yaml-tree.ts";

export interface YamlOptions {
  /** Takes the last of duplicate keys, as the API server does where it does not validate strictly. */
  readonly lenient?: boolean;
}

/** Reads the first document of a text as JSON; throws a YamlError. */
export function yamlToJson(text: string, options: YamlOptions = {}): unknown {
  const json = jsonAsYaml(text);
  if (json !== undefined) return json;
  const tree = readTree(text);
  if (tree === undefined) return null;
  const builder = new Builder(text);
  const value = builder.build(tree);
  if (builder.duplicates.length > 0 && options.lenient !== true) {
    throw new YamlError(`unmarshal errors:\n  ${builder.duplicates.join("\n  ")}`);
  }
  return toJson(value);
}

/** Writes a JSON value as kubectl prints YAML: keys sorted, lists not indented, lines folded. */
export function toYaml(value: unknown): string {
  return writeYaml(value);
}

/** Reads all documents between lines of `---`; those that are empty are left out. */
export function yamlDocuments(text: string, options: YamlOptions = {}): unknown[] {
  const values = splitDocuments(text).map((document) => yamlToJson(document, options));
  return values.filter((value) => value !== null);
}

/** The documents of a text, unread: what stands between lines that begin with `---`. */
export function splitDocuments(text: string): string[] {
  const documents: string[] = [];
  let lines: string[] = [];
  for (const line of text.split("\n")) {
    if (!line.startsWith("---")) {
      lines.push(line);
      continue;
    }
    const after = line.slice(3).trim();
    if (after !== "" && !after.startsWith("#")) {
      throw new YamlError(`invalid Yaml document separator: ${after}`);
    }
    documents.push(lines.join("\n"));
    lines = [];
  }
  documents.push(lines.join("\n"));
  return documents.filter((document) => document.trim() !== "");
}

/** The line on which a key of the first document stands, by the keys that lead to it; undefined where there is none. */
export function yamlLine(text: string, path: readonly string[]): number | undefined {
  let tree = readTree(text);
  let line: number | undefined;
  for (const name of path) {
    if (tree?.kind === "alias") tree = tree.target;
    const nodes: readonly Tree[] = tree?.kind === "mapping" ? tree.children : [];
    const at = nodes.findIndex(
      (key, i) => i % 2 === 0 && key.kind === "scalar" && key.text === name,
    );
    const key = nodes[at];
    if (key === undefined) return undefined;
    line = lineOf(text, key.at);
    tree = nodes[at + 1];
  }
  return line;
}

/** Values as YAML has them: keys of mappings may be anything. */
type Value = YamlScalar | Value[] | Map<Value, Value>;

/** Makes values of trees, expanding aliases as often as they occur, within bounds. */
class Builder {
  /** What strict reading has to say. */
  readonly duplicates: string[] = [];
  readonly #text: string;
  readonly #expanding = new Set<Tree>();
  #built = 0;
  #builtInAliases = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  build(tree: Tree): Value {
    this.#count();
    if (tree.kind === "scalar") return scalarValue(tree);
    if (++this.#depth > 2 * maxDepth) throw failure("exceeded max depth");
    const value = this.#buildCollection(tree);
    this.#depth--;
    return value;
  }

  #buildCollection(tree: Exclude<Tree, { kind: "scalar" }>): Value {
    if (tree.kind === "alias") return this.#expand(tree, (target) => this.build(target));
    if (tree.kind === "sequence") return tree.children.map((child) => this.build(child));
    const map = new Map<Value, Value>();
    this.#fill(map, tree);
    return map;
  }

  #fill(map: Map<Value, Value>, tree: Extract<Tree, { children: Tree[] }>): void {
    for (let i = 0; i + 1 < tree.children.length; i += 2) {
      const [key, value] = tree.children.slice(i, i + 2) as [Tree, Tree];
      if (isMergeKey(key)) this.#merge(map, value);
      else this.#set(map, this.build(key), value);
    }
  }

  #set(map: Map<Value, Value>, key: Value, tree: Tree): void {
    if (typeof key === "object" && key !== null) {
      throw failure(`invalid map key: ${goSyntax(key)}`);
    }
    const value = this.build(tree);
    if (map.has(key)) {
      const line = lineOf(this.#text, tree.at);
      this.duplicates.push(`line ${line}: key ${goSyntax(key)} already set in map`);
    }
    map.set(key, value);
  }

  /** Keys of merged mappings are set in place: they win over keys before, and lose to those after. */
  #merge(map: Map<Value, Value>, tree: Tree): void {
    if (tree.kind === "sequence") {
      for (const child of tree.children.toReversed()) this.#mergeMapping(map, child);
    } else {
      this.#mergeMapping(map, tree);
    }
  }

  #mergeMapping(map: Map<Value, Value>, tree: Tree): void {
    this.#count();
    if (tree.kind === "alias") {
      this.#expand(tree, (target) => {
        if (target.kind !== "mapping") throw failure(wantMap);
        this.#fill(map, target);
      });
    } else if (tree.kind === "mapping") {
      this.#fill(map, tree);
    } else {
      throw failure(wantMap);
    }
  }

  #expand<T>(alias: Extract<Tree, { kind: "alias" }>, act: (target: Tree) => T): T {
    if (this.#expanding.has(alias)) {
      throw failure(`anchor '${alias.anchor}' value contains itself`);
    }
    this.#expanding.add(alias);
    const result = act(alias.target);
    this.#expanding.delete(alias);
    return result;
  }

  /** The larger a document, the less of it may come from aliases. */
  #count(): void {
    this.#built++;
    if (this.#expanding.size > 0) this.#builtInAliases++;
    if (this.#builtInAliases <= 100 || this.#built <= 1000) return;
    const size = Math.min(Math.max(this.#built, 400_000), 4_000_000);
    const allowed = 0.99 - (0.89 * (size - 400_000)) / 3_600_000;
    if (this.#builtInAliases / this.#built > allowed) {
      throw failure("document contains excessive aliasing");
    }
  }
}

const wantMap = "map merge requires map or sequence of maps as the value";

function isMergeKey(tree: Tree): boolean {
  if (tree.kind !== "scalar" || tree.text !== "<<") return false;
  return tree.tag === "!!merge" || (tree.tag === "" && tree.style === "plain");
}

function scalarValue({ text, tag, style }: Extract<Tree, { kind: "scalar" }>): YamlScalar {
  if (tag === "") return style === "plain" ? resolveScalar(text) : text;
  if (tag === "!!binary") return decodeBinary(text);
  if (!typed.has(tag)) return text;
  const value = resolveScalar(text);
  const actual = tagOf(value, text);
  if (actual === tag || (tag === "!!float" && actual === "!!int")) return value;
  throw failure(`cannot decode ${actual} \`${text}\` as a ${tag}`);
}

const typed = new Set(["!!bool", "!!int", "!!float", "!!null", "!!timestamp"]);

function tagOf(value: YamlScalar, text: string): string {
  if (value === null) return "!!null";
  if (typeof value === "boolean") return "!!bool";
  if (typeof value === "string") return isTimestamp(text) ? "!!timestamp" : "!!str";
  return typeof value === "bigint" || Number.isInteger(value) ? "!!int" : "!!float";
}

function decodeBinary(text: string): string {
  try {
    return new TextDecoder().decode(decodeBase64(text));
  } catch (cause) {
    throw failure("!!binary value contains invalid base64 data", cause);
  }
}

function toJson(value: Value): unknown {
  if (Array.isArray(value)) return value.map(toJson);
  if (value instanceof Map) {
    const object: Record<string, unknown> = {};
    for (const [key, member] of value) setMember(object, keyText(key, member), toJson(member));
    return object;
  }
  if (typeof value !== "number" || Number.isFinite(value)) return value;
  const name = Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  throw new YamlError(`json: unsupported value: ${name}`);
}

function keyText(key: Value, member: Value): string {
  if (typeof key === "string") return key;
  if (typeof key === "number") return Number.isInteger(key) ? `${key}` : formatFloat(key, 32);
  if (typeof key === "boolean" || typeof key === "bigint") return `${key}`;
  const value = member === null ? "<nil>" : goSyntax(member);
  throw new YamlError(`unsupported map key of type: %!s(<nil>), key: <nil>, value: ${value}`);
}

/** A value as Go's %#v writes it. */
function goSyntax(value: Value): string {
  if (value === null) return "interface {}(nil)";
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (!(value instanceof Map)) return `${value}`;
  const members = [...value].map(([key, member]) => `${goSyntax(key)}:${goSyntax(member)}`);
  return `map[interface {}]interface {}{${members.toSorted().join(", ")}}`;
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}
