import { badRequest, type StatusError } from "../../api/meta/v1/status-error.ts";
import { decodeBase64Url, encodeBase64Url } from "../../base/base64.ts";
import { type JsonNode, parseJson } from "../../schema/json/strict-json.ts";

/** The place at which a list continues: after a key, at the version of its first page. */
export interface ContinueToken {
  /** -1: at whatever version is current, which is not consistent with the pages before. */
  readonly revision: number;
  /** The first key of the next page, relative to the list's prefix. */
  readonly start: string;
}

/** Upstream's form, so that a token survives a change of server. */
export const encodeContinue = ({ revision, start }: ContinueToken): string =>
  encodeBase64Url(
    new TextEncoder().encode(JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start })),
  );

export function decodeContinue(token: string): ContinueToken {
  const { v = "", rv = 0, start = "" } = fieldsOf(token);
  if (v !== "meta.k8s.io/v1")
    throw refused(`: server does not recognize this encoded version ${v}`);
  if (rv === 0) throw refused(": incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  if (start === "") throw refused(": encoded start key empty (version meta.k8s.io/v1)");
  const segments = start.replace(/^\//, "").split("/");
  // A token must not lead a client outside the collection that it lists.
  if (segments.some((part) => part === "" || part === "." || part === ".."))
    throw refused(`: ${start}`);
  return { revision: rv, start: segments.join("/") };
}

interface Fields {
  v?: string;
  rv?: number;
  start?: string;
}

function fieldsOf(token: string): Fields {
  try {
    const node = parseJson(new TextDecoder().decode(decodeBase64Url(token)));
    const fields: Fields = {};
    if (node.kind === "null") return fields;
    if (node.kind !== "object")
      throw new SyntaxError(cannotRead(node, "Go value of type storage.continueToken"));
    for (const { name, value } of node.members) read(fields, name, value);
    return fields;
  } catch (error) {
    if (error instanceof SyntaxError) throw refused(`: ${error.message}`);
    throw error;
  }
}

function read(fields: Fields, name: string, value: JsonNode): void {
  if (value.kind === "null" || !(name === "v" || name === "rv" || name === "start")) return;
  if (name === "rv") {
    const number =
      value.kind === "number" && /^-?\d+$/.test(value.literal) && Number(value.literal);
    if (!Number.isSafeInteger(number))
      throw new SyntaxError(cannotRead(value, "Go struct field continueToken.rv of type int64"));
    fields.rv = number as number;
  } else if (value.kind === "string") fields[name] = value.value;
  else
    throw new SyntaxError(
      cannotRead(value, `Go struct field continueToken.${name} of type string`),
    );
}

const cannotRead = (node: JsonNode, into: string): string => {
  const kind = node.kind === "boolean" ? "bool" : node.kind;
  const literal = node.kind === "number" && into.endsWith("int64") ? ` ${node.literal}` : "";
  return `json: cannot unmarshal ${kind}${literal} into ${into}`;
};

const refused = (why: string): StatusError =>
  badRequest(`invalid continue token: continue key is not valid${why}`);
