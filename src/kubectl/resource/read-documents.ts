import { JsonSyntaxError, jsonValue, parseJson } from "../../schema/json/strict-json.ts";
import { splitDocuments, yamlToJson } from "../../schema/yaml/yaml.ts";
import { jsonValues } from "./json-values.ts";

/** One document of a manifest: its value, or the error in its place, with its text. */
export interface ManifestDocument {
  readonly text: string;
  /** Where the text begins in the manifest. */
  readonly start: number;
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
 * lines of `---`. What fails as the first or second JSON value may be YAML. Empty documents are left out. Throws at
 * the first document that cannot be read.
 */
export function* readDocuments(text: string): Generator<ManifestDocument> {
  if (!/^\s*\{/.test(text)) {
    yield* yamlDocuments(text, 0);
    return;
  }
  let count = 0;
  for (const { text: next, start } of jsonValues(text)) {
    const value = readJson(next);
    if (!(value instanceof JsonSyntaxError)) {
      count++;
      const blanks = next.length - next.trimStart().length;
      yield { text: next.trim(), start: start + blanks, value };
      continue;
    }
    const fault = jsonFault(value, { text, start, isFirst: count <= 1 });
    if (count > 1) throw fault;
    yield* yamlInstead(text, start, fault);
    return;
  }
}

/** Reads the rest of a manifest as YAML; if that fails at once, it was broken JSON. */
function* yamlInstead(text: string, start: number, fault: Error): Generator<ManifestDocument> {
  const [blanks = ""] = /^[^\S\n]*\n?/.exec(text.slice(start)) ?? [];
  const documents = yamlDocuments(text, start + blanks.length);
  let next: IteratorResult<ManifestDocument>;
  try {
    next = documents.next();
  } catch {
    throw fault;
  }
  if (next.done) return;
  yield next.value;
  yield* documents;
}

function readJson(text: string): unknown {
  try {
    return jsonValue(parseJson(text));
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
}

/** The error as Go's decoder of streams words it, with the place in the manifest. */
function jsonFault(
  error: JsonSyntaxError,
  at: { readonly text: string; readonly start: number; readonly isFirst: boolean },
): ManifestSyntaxError {
  const offset = at.start + error.offset;
  const before = at.text.slice(0, offset);
  const place = {
    line: before.split("\n").length,
    column: offset - before.lastIndexOf("\n"),
    language: "JSON",
  } as const;
  const isCut = error.message === "unexpected end of JSON input";
  const message = isCut ? "unexpected EOF" : error.message;
  const prefix = isCut || !at.isFirst ? "" : `json: offset ${Buffer.byteLength(before) + 1}: `;
  return new ManifestSyntaxError(`${prefix}${message}`, place, error);
}

function* yamlDocuments(text: string, from: number): Generator<ManifestDocument> {
  let end = from;
  for (const document of splitDocuments(text.slice(from))) {
    const start = text.indexOf(document, end);
    end = start + document.length;
    const value = readYaml(document, () => text.slice(0, start).split("\n").length);
    if (value !== null) yield { text: document, start, value };
  }
}

/** A document that is no YAML or JSON, with the place in its file where that shows. */
export class ManifestSyntaxError extends Error {
  override readonly name = "ManifestSyntaxError";
  /** Counted from one. */
  readonly line: number;
  readonly column: number;
  readonly language: "JSON" | "YAML";

  constructor(
    message: string,
    place: Pick<ManifestSyntaxError, "line" | "column" | "language">,
    cause: unknown,
  ) {
    super(message, { cause });
    this.language = place.language;
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
    const place = {
      line: firstLine() + mark.line,
      column: mark.column + 1,
      language: "YAML",
    } as const;
    throw new ManifestSyntaxError(message, place, error);
  }
}
