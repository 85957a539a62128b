import { badRequest, StatusError } from "../../api/meta/v1/status-error.ts";
import { WireError } from "../../base/protobuf-wire.ts";
import { type Decoded, DecodeError } from "../../schema/json/decode.ts";
import { isMap } from "../../schema/json/json-value.ts";
import { PlainJsonError, plainJson } from "../../schema/json/plain-json.ts";
import { type JsonNode, parseJson, stringifyJson } from "../../schema/json/strict-json.ts";
import { apiVersionOf } from "../../schema/language/kind.ts";
import { isEnvelope, openEnvelope } from "../../schema/protobuf/envelope.ts";
import { decodeProtobuf } from "../../schema/protobuf/protobuf-decode.ts";
import { quote } from "../../schema/values/quote.ts";
import { YamlError, yamlToJson } from "../../schema/yaml/yaml.ts";
import { isKnownVersion } from "../objects/known-versions.ts";
import type { AnyKind, ObjectDraft } from "../objects/object.ts";
import type { Resources } from "../objects/resources.ts";
import { mediaTypes } from "./negotiation.ts";
import type { WriteOptions } from "./query.ts";
import type { ApiRequest } from "./request.ts";

export interface BodyContext {
  readonly kind: AnyKind;
  readonly resources: Resources;
  readonly fieldValidation: WriteOptions["fieldValidation"];
  readonly warnings: string[];
}

/** The object in a request's body, of the kind that the path names. */
export function readObject(request: ApiRequest, context: BodyContext): ObjectDraft {
  if (request.value !== undefined) return fromValue(request.value, context);
  const type = contentType(request);
  const { body = new Uint8Array() } = request;
  if (type === "application/vnd.kubernetes.protobuf") return fromProtobuf(body, context);
  const text = decodeText(body);
  const decode = ({ form }: AnyKind, json: () => string) => form.decode(json());
  if (type !== "application/yaml")
    return readJson({ text: () => text, body: () => body, decode }, context);
  const json = fromYaml(text, body, context);
  const repeated = context.fieldValidation === "Ignore" ? undefined : repeatedKeys(text);
  return readJson({ text: () => json, body: () => body, decode }, context, repeated);
}

/** A request's content in any form: text, bytes or a value; each is converted on demand. */
interface Given {
  text(): string;
  body(): Uint8Array;
  /** Decodes it as an object of a kind; throws DecodeError. */
  decode(kind: AnyKind, text: () => string): Decoded;
}

/** An object that an in-process client sends as a value. */
function fromValue(value: unknown, context: BodyContext): ObjectDraft {
  const plain = requestValue(value);
  const text = () => stringifyJson(plain);
  const decode = ({ form }: AnyKind, json: () => string) =>
    isMap(plain) ? form.decodeValue(plain, json) : form.decode(json());
  return readJson({ text, body: () => new TextEncoder().encode(text()), decode }, context);
}

/** A copy of the value that an in-process client sent; throws where it cannot be JSON. */
export function requestValue(value: unknown): unknown {
  try {
    return plainJson(value);
  } catch (error) {
    if (error instanceof PlainJsonError) throw badRequest(error.message);
    throw error;
  }
}

/** The bytes of a body that is passed on; a value is encoded as JSON. */
export const bodyBytes = ({ body, value }: ApiRequest): Uint8Array | undefined =>
  value === undefined ? body : new TextEncoder().encode(stringifyJson(requestValue(value)));

/** The media type of a body, without parameters; JSON where there is none. */
export function contentType({ headers }: ApiRequest): string {
  const header = headers["content-type"] ?? "";
  const type = (header.split(";")[0] ?? "").trim().toLowerCase();
  if (type === "") return "application/json";
  if (!mediaTypes.includes(type as never)) throw unsupportedMediaType();
  return type;
}

const unsupportedMediaType = (): StatusError =>
  new StatusError(
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${mediaTypes.join(", ")}`,
  );

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
const decodeText = (body: Uint8Array): string => utf8.decode(body);

interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

function readJson(given: Given, context: BodyContext, yamlFault?: string): ObjectDraft {
  const { kind, fieldValidation, warnings } = context;
  const expected = apiVersionOf(kind);
  let decoded: Decoded | undefined;
  let failure: DecodeError | undefined;
  try {
    decoded = given.decode(kind, given.text);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    failure = error;
  }
  const value = decoded?.value as ObjectDraft | undefined;
  const typed = value
    ? { apiVersion: value.apiVersion ?? "", kind: value.kind ?? "" }
    : typeMeta(given, context);
  const meta = kind.form.mustNameKind
    ? named(typed, given, context)
    : { apiVersion: typed.apiVersion || expected, kind: typed.kind || kind.kind };
  const own = readAs(kind, meta);
  if (!kind.form.mustNameKind && (own.apiVersion !== expected || own.kind !== kind.kind))
    throw wrongKind(meta, given, context);
  if (failure) throw cannotHandle(meta, kind, failure.message);
  const strict = [...(yamlFault === undefined ? [] : [yamlFault]), ...(decoded?.strict ?? [])];
  if (strict.length > 0 && fieldValidation === "Strict")
    throw cannotHandle(meta, kind, `strict decoding error: ${strict.join(", ")}`);
  if (fieldValidation === "Warn") warnings.push(...strict.flatMap(yamlLines));
  if (own.apiVersion !== expected) throw wrongVersion(meta, kind);
  return Object.assign(value as ObjectDraft, own);
}

/** The kind to decode an object as that names an older version with the same fields. */
const readAs = (kind: AnyKind, meta: TypeMeta): TypeMeta =>
  meta.kind === kind.kind && kind.alsoReads?.includes(meta.apiVersion)
    ? { apiVersion: apiVersionOf(kind), kind: kind.kind }
    : meta;

/** The kind that an object must name; its own rules reject one that differs from the path's. */
function named(meta: TypeMeta, given: Given, { kind }: BodyContext): TypeMeta {
  if (meta.kind === "")
    throw unrecognised(kind, `Object 'Kind' is missing in '${given.text()}'`, given.body());
  return meta;
}

/** Kind and version that a text names which could not be decoded as the expected kind. */
function typeMeta(given: Given, context: BodyContext): TypeMeta {
  try {
    return typeMetaOf(given.text());
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw unrecognised(context.kind, error.message, given.body());
  }
}

/** Kind and version that a JSON text names, whatever else is in it; throws a SyntaxError. */
export function typeMetaOf(text: string): TypeMeta {
  try {
    const node = parseJson(text);
    const meta = { apiVersion: "", kind: "" };
    if (node.kind !== "object") {
      const kind = node.kind === "boolean" ? "bool" : node.kind;
      const message = `json: cannot unmarshal ${kind} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;
      throw new SyntaxError(message);
    }
    for (const { name, value } of node.members) {
      if (name !== "apiVersion" && name !== "kind") continue;
      if (value.kind === "string") meta[name] = value.value;
      else if (value.kind !== "null") throw notText(name, value.kind);
    }
    return meta;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new SyntaxError(`couldn't get version/kind; json parse error: ${error.message}`);
  }
}

const notText = (name: string, given: JsonNode["kind"]): SyntaxError => {
  const value = given === "boolean" ? "bool" : given;
  return new SyntaxError(
    `json: cannot unmarshal ${value} into Go struct field .${name} of type string`,
  );
};

const cannotHandle = (
  { apiVersion, kind }: TypeMeta,
  expected: AnyKind,
  why: string,
): StatusError =>
  badRequest(
    `${kind} in version ${quote(apiVersion.split("/").at(-1) ?? "")} cannot be handled as a ${expected.kind}: ${why}`,
  );

function unrecognised(kind: AnyKind, why: string, body: Uint8Array): StatusError {
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind.kind}): ${why} (${summary(body)})`,
  );
}

/** The first bytes of a body, to recognise it by. */
function summary(body: Uint8Array): string {
  if (body.length === 0) return "<empty>";
  const head = body.subarray(0, 30);
  const more = body.length > 30 ? " ..." : "";
  if (body[0] === 0x7b) return utf8.decode(head) + more;
  return Array.from(head, (byte) => byte.toString(16).padStart(2, "0")).join("") + more;
}

/** The error for an object of another kind. */
function wrongKind(
  meta: TypeMeta,
  given: Omit<Given, "decode">,
  context: BodyContext,
): StatusError {
  const { kind, resources } = context;
  const parts = meta.apiVersion.split("/");
  if (parts.length > 2)
    return unrecognised(kind, `unexpected GroupVersion string: ${meta.apiVersion}`, given.body());
  const [group, version] = parts.length === 2 ? parts : ["", parts[0]];
  const other = resources.findDeclared(group ?? "", version ?? "", meta.kind);
  if (!other) {
    if (meta.kind === kind.kind && isKnownVersion(meta.apiVersion, meta.kind))
      return wrongVersion(meta, kind);
    const list =
      meta.kind.endsWith("List") &&
      resources.findDeclared(group ?? "", version ?? "", meta.kind.slice(0, -4));
    if (list)
      return cannotHandle(
        meta,
        kind,
        `converting (${goName(version ?? "", meta.kind)}) to (${internalName(kind)}): unknown conversion`,
      );
    return cannotHandle(
      meta,
      kind,
      `no kind ${quote(meta.kind)} is registered for version ${quote(meta.apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`,
    );
  }
  try {
    other.form.decode(given.text());
  } catch (error) {
    if (error instanceof DecodeError) return cannotHandle(meta, kind, error.message);
    throw error;
  }
  if (other.kind === kind.kind) return wrongVersion(meta, kind);
  return cannotHandle(
    meta,
    kind,
    `converting (${goName(other.version, other.kind)}) to (${internalName(kind)}): unknown conversion`,
  );
}

const wrongVersion = ({ apiVersion }: TypeMeta, kind: AnyKind): StatusError =>
  badRequest(
    `the API version in the data (${apiVersion}) does not match the expected API version (${apiVersionOf(kind)})`,
  );

const goName = (version: string, kind: string): string => `${version}.${kind}`;
/** The Go type that upstream's messages name for a kind. */
export const internalName = ({ group, kind }: AnyKind): string =>
  `${group === "" ? "core" : group.split(".")[0]}.${kind}`;

function fromYaml(text: string, body: Uint8Array, { kind }: BodyContext): string {
  try {
    return stringifyJson(yamlToJson(text, { lenient: true }));
  } catch (error) {
    if (error instanceof YamlError) throw unrecognised(kind, `yaml: ${error.message}`, body);
    throw error;
  }
}

/** The errors about duplicate keys in YAML: JSON made of it no longer shows them. */
export function repeatedKeys(text: string): string | undefined {
  try {
    yamlToJson(text);
    return undefined;
  } catch (error) {
    if (error instanceof YamlError) return `yaml: ${error.message}`;
    throw error;
  }
}

/** Each line of a YAML fault is a warning of its own. */
function yamlLines(fault: string): string[] {
  const [head = "", ...lines] = fault.split("\n");
  return head === "yaml: unmarshal errors:" ? lines.map((line) => line.trim()) : [fault];
}

function fromProtobuf(body: Uint8Array, context: BodyContext): ObjectDraft {
  const { kind } = context;
  if (!kind.struct) throw unsupportedMediaType();
  const fault = envelopeFault(body);
  if (fault !== undefined) throw unrecognised(kind, fault, body);
  const { raw, ...given } = reading(
    () => openEnvelope(body),
    (why) => unrecognised(kind, why, body),
  );
  const expected = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  const meta = {
    apiVersion: given.apiVersion || expected.apiVersion,
    kind: given.kind || expected.kind,
  };
  const own = readAs(kind, meta);
  if (own.apiVersion !== expected.apiVersion || own.kind !== expected.kind)
    throw wrongKind(meta, { text: () => "{}", body: () => body }, context);
  const { struct } = kind;
  const draft = reading(
    () => decodeProtobuf(struct, raw) as ObjectDraft,
    (why) => cannotHandle(meta, kind, why),
  );
  return Object.assign(draft, expected);
}

/** Why bytes cannot be an envelope, before they are read as one. */
function envelopeFault(body: Uint8Array): string | undefined {
  if (body.length === 0) return "empty data";
  if (!isEnvelope(body))
    return "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]";
  return body.length === 4 ? "empty body" : undefined;
}

function reading<T>(read: () => T, refuse: (why: string) => StatusError): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof WireError) throw refuse(inGo(error));
    throw error;
  }
}

/** The error for bytes that cannot be decoded, with Go's message where it has one. */
function inGo({ what }: WireError): string {
  switch (what) {
    case "unexpected end of input":
    case "length beyond the end of input":
      return "unexpected EOF";
    case "negative length":
      return "proto: negative length found during unmarshaling";
    case "integer overflow":
      return "proto: integer overflow";
    default:
      return what.replace(/^illegal wire type /, "proto: illegal wireType ");
  }
}
