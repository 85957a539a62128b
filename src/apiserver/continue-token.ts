import { badRequest } from "../api/meta/v1/status-error.ts";
import { decodeBase64, encodeBase64 } from "../schema/base64.ts";
import { type JsonNode, parseJson } from "../schema/strict-json.ts";

/** Where a list goes on: after a key, at the version of its first page. */
export interface ContinueToken {
  /** -1: at whatever version is current, which is not consistent with the pages before. */
  readonly revision: number;
  /** The first key of the next page, relative to the list's prefix. */
  readonly start: string;
}

/** Upstream's form, so that a token survives a change of server. */
export function encodeContinue({ revision, start }: ContinueToken): string {
  const text = JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start });
  return encodeBase64(new TextEncoder().encode(text))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

export function decodeContinue(token: string): ContinueToken {
  const { v, rv, start } = parse(token);
  if (v !== "meta.k8s.io/v1")
    throw refused(`: server does not recognize this encoded version ${v}`);
  if (rv === 0) throw refused(": incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  if (start === "") throw refused(": encoded start key empty (version meta.k8s.io/v1)");
  if (!isClean(start)) throw refused(`: ${start}`);
  return { revision: rv, start };
}

const refused = (why: string): Error =>
  badRequest(`invalid continue token: continue key is not valid${why}`);

/** Nothing in a key leads up, or nowhere: so that it stays below its list's prefix. */
const isClean = (start: string): boolean =>
  start
    .replace(/^\//, "")
    .split("/")
    .every((part) => part !== "" && part !== "." && part !== "..");

interface Fields {
  readonly v: string;
  readonly rv: number;
  readonly start: string;
}

function parse(token: string): Fields {
  try {
    return fields(parseJson(new TextDecoder().decode(decodeUrlBase64(token))));
  } catch (error) {
    if (error instanceof SyntaxError) throw refused(`: ${error.message}`);
    throw error;
  }
}

/** Base64 for URLs, without padding; in Go's words where it is none. */
function decodeUrlBase64(token: string): Uint8Array {
  const text = token.replaceAll(/[\r\n]/g, "");
  const illegal = token.search(/[^A-Za-z0-9_\r\n-]/);
  const at = illegal >= 0 ? illegal : text.length % 4 === 1 ? token.length - 1 : -1;
  if (at >= 0) {
    const bytes = new TextEncoder().encode(token.slice(0, at)).length;
    throw new SyntaxError(`illegal base64 data at input byte ${bytes}`);
  }
  const base64 = text.replaceAll("-", "+").replaceAll("_", "/");
  return decodeBase64(base64.padEnd(Math.ceil(base64.length / 4) * 4, "="));
}

function fields(node: JsonNode): Fields {
  const read = { v: "", rv: 0, start: "" };
  if (node.kind === "null") return read;
  if (node.kind !== "object")
    throw new SyntaxError(
      `json: cannot unmarshal ${goKind(node)} into Go value of type storage.continueToken`,
    );
  for (const { name, value } of node.members) {
    if (value.kind === "null") continue;
    if (name === "rv") {
      const number = value.kind === "number" ? Number(value.literal) : Number.NaN;
      if (!Number.isSafeInteger(number)) throw wrongType(name, value);
      read.rv = number;
    } else if (name === "v" || name === "start") {
      if (value.kind !== "string") throw wrongType(name, value);
      read[name] = value.value;
    }
  }
  return read;
}

const goKind = (node: JsonNode): string => (node.kind === "boolean" ? "bool" : node.kind);

function wrongType(name: keyof Fields, node: JsonNode): SyntaxError {
  const isInteger = name === "rv";
  const what = node.kind === "number" && isInteger ? `number ${node.literal}` : goKind(node);
  return new SyntaxError(
    `json: cannot unmarshal ${what} into Go struct field continueToken.${name} of type ${isInteger ? "int64" : "string"}`,
  );
}
