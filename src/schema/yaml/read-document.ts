import { DecodeError, decodeJson } from "../json/decode.ts";
import { isMap, type ReadonlyJsonMap } from "../json/json-value.ts";
import { stringifyJson } from "../json/strict-json.ts";
import type { Struct } from "../language/struct.ts";
import { quote } from "../values/quote.ts";
import { YamlError, yamlToJson } from "./yaml.ts";

/** A file that holds a configuration, or a part of one. */
export interface ConfigurationFile {
  readonly path: string;
  readonly text: string;
}

/** Something that was read from a file, or the problems because of which it was not. */
export type Parsed<T> =
  | { readonly value: T; readonly warnings: readonly string[] }
  | { readonly problems: readonly string[] };

/** Something that was read, and what a strict reader minds: unknown and repeated fields. */
export interface Read<T> {
  readonly value: T;
  readonly strict: readonly string[];
}

/** A document that cannot be used; the message is upstream's. */
export class DocumentError extends Error {
  override readonly name = "DocumentError";
}

/** Reads a map in YAML or JSON, with its kind and version; throws a DocumentError. */
export function readDocument(text: string): Read<ReadonlyJsonMap> {
  const { value, strict } = readYaml(text);
  if (!isMap(value)) throw new DocumentError(noMap(value));
  for (const name of ["kind", "apiVersion"])
    if (typeof value[name] !== "string" || value[name] === "")
      throw new DocumentError(
        `Object '${name === "kind" ? "Kind" : name}' is missing in '${stringifyJson(value)}'`,
      );
  return { value, strict };
}

/** Decodes a document that is declared as a struct; throws a DocumentError. */
export function decodeDocument<T>(struct: Struct<unknown, T>, document: ReadonlyJsonMap): Read<T> {
  try {
    const { value, strict } = decodeJson(struct, stringifyJson(document));
    return { value: value as T, strict };
  } catch (error) {
    if (error instanceof DecodeError) throw new DocumentError(error.message);
    throw error;
  }
}

/** What upstream says of a kind that a program does not know. */
export const unknownKind = ({ kind, apiVersion }: ReadonlyJsonMap, scheme: string): DocumentError =>
  new DocumentError(
    `no kind ${quote(String(kind))} is registered for version ${quote(String(apiVersion))} in scheme ${quote(scheme)}`,
  );

/** What upstream says of a document that is no map: it reads kind and version first. */
function noMap(value: unknown): string {
  if (value === null) return "Object 'Kind' is missing in 'null'";
  const type = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return `couldn't get version/kind; json parse error: json: cannot unmarshal ${type} into Go value of type ${typeMeta}`;
}

const typeMeta = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;

function readYaml(text: string): Read<unknown> {
  try {
    return { value: yamlToJson(text), strict: [] };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return withoutDuplicates(text, `yaml: ${error.message}`);
  }
}

/** Reads the last of duplicate keys, if they are all that is wrong with a text. */
function withoutDuplicates(text: string, problem: string): Read<unknown> {
  try {
    return { value: yamlToJson(text, { lenient: true }), strict: [problem] };
  } catch (error) {
    if (error instanceof YamlError) throw new DocumentError(problem);
    throw error;
  }
}
