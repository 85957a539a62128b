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
  let end = 0;
  for (const document of splitDocuments(text)) {
    const start = text.indexOf(document, end);
    end = start + document.length;
    const value = readYaml(document, () => text.slice(0, start).split("\n").length);
    if (value !== null) yield { text: document, value };
  }
}

/** A document that is no YAML, with the place in its file where that shows. */
export class ManifestSyntaxError extends Error {
  override readonly name = "ManifestSyntaxError";
  /** Counted from one. */
  readonly line: number;
  readonly column: number;

  constructor(
    message: string,
    place: { readonly line: number; readonly column: number },
    cause: unknown,
  ) {
    super(message, { cause });
    this.line = place.line;
    this.column = place.column;
  }
}

function readYaml(text: string, firstLine: () => number): unknown {
  try {
    return yamlToJson(text, { lenient: true });
  } catch (error) {
    const message = `error converting YAML to JSON: yaml: ${(error as Error).message}`;
    const { mark } = ((error as Error).cause ?? {}) as {
      readonly mark?: { readonly line: number; readonly column: number };
    };
    if (!mark) throw new Error(message, { cause: error });
    const place = { line: firstLine() + mark.line, column: mark.column + 1 };
    throw new ManifestSyntaxError(message, place, error);
  }
}
