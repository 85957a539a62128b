import { jsonValue, parseJson } from "../../schema/json/strict-json.ts";
import { splitDocuments, yamlToJson } from "../../schema/yaml/yaml.ts";
import { jsonValues } from "./json-values.ts";

/** One document of a manifest: its value, or the error in its place, with its text. */
export interface ManifestDocument {
  readonly text: string;
  readonly value: unknown;
}

/** Decodes the bytes of a file; UTF-16 is known by its byte order mark. */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return new TextDecoder("utf-8").decode(bytes);
}

/**
 * Reads the documents of a manifest one after the other: JSON values if it begins with a brace, else YAML between
 * lines of `---`. Empty documents are left out. Throws at the first document that cannot be read.
 */
export function* readDocuments(text: string): Generator<ManifestDocument> {
  if (/^\s*\{/.test(text)) {
    for (const value of jsonValues(text)) yield { text: value, value: jsonValue(parseJson(value)) };
    return;
  }
  for (const document of splitDocuments(text)) {
    const value = readYaml(document);
    if (value !== null) yield { text: document, value };
  }
}

function readYaml(text: string): unknown {
  try {
    return yamlToJson(text, { lenient: true });
  } catch (error) {
    throw new Error(`error converting YAML to JSON: ${(error as Error).message}`, { cause: error });
  }
}
