import { AdmissionReview } from "../../../api/admission/v1/admission-review.ts";
import { TokenRequest } from "../../../api/authentication/v1/token-request.ts";
import { Scale } from "../../../api/autoscaling/v1/scale.ts";
import { PodStatusResult } from "../../../api/core/v1/pod/pod-status-result.ts";
import { RangeAllocation } from "../../../api/core/v1/range-allocation.ts";
import { kinds } from "../../../api/kinds.generated.ts";
import {
  APIGroup,
  APIGroupList,
  APIResourceList,
  APIVersions,
} from "../../../api/meta/v1/discovery.ts";
import { DeleteOptions } from "../../../api/meta/v1/options.ts";
import { Status } from "../../../api/meta/v1/status.ts";
import { Eviction } from "../../../api/policy/v1/eviction.ts";
import { indentJson } from "../../../apiserver/request/pretty.ts";
import { WireError } from "../../../base/protobuf-wire.ts";
import { type Decoded, DecodeError, decodeJson } from "../../../schema/json/decode.ts";
import { encodeJson } from "../../../schema/json/json.ts";
import {
  JsonSyntaxError,
  jsonValue,
  parseJson,
  stringifyJson,
} from "../../../schema/json/strict-json.ts";
import { apiVersionOf } from "../../../schema/language/kind.ts";
import type { Struct } from "../../../schema/language/struct.ts";
import { envelope, isEnvelope, openEnvelope } from "../../../schema/protobuf/envelope.ts";
import { encodeProtobuf } from "../../../schema/protobuf/protobuf.ts";
import { decodeProtobuf } from "../../../schema/protobuf/protobuf-decode.ts";
import { splitDocuments, toYaml, YamlError, yamlToJson } from "../../../schema/yaml/yaml.ts";

export const formats = ["json", "yaml", "protobuf"] as const;
export type Format = (typeof formats)[number];

/** An object that was read, and its declaration if its kind is known. */
export interface ReadObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly struct: Struct | undefined;
  readonly value: unknown;
}

/** An error in an input, with its position. */
class InputError extends Error {}

/** Reads objects in any format, one input after the other, and writes them in one format. */
export class ObjectReader {
  readonly #format: Format;
  readonly #objects: ReadObject[] = [];

  constructor(format: Format) {
    this.#format = format;
  }

  /** Reads an input; returns its error with the input's name and the position. */
  read(name: string, load: () => Uint8Array): string | undefined {
    const shown = name === "-" ? "standard input" : name;
    try {
      this.#objects.push(...readObjects(load()));
      return undefined;
    } catch (error) {
      return `${shown}: ${reasonOf(error)}`;
    }
  }

  /** All objects that were read, in the output format. */
  finish(): { readonly output: string | Uint8Array; readonly fault?: string } {
    const objects = this.#objects;
    if (this.#format === "json") return { output: objects.map(asJson).join("") };
    if (this.#format === "yaml") return { output: objects.map(asYaml).join("---\n") };
    const [object] = objects;
    if (object === undefined) return { output: "" };
    if (objects.length > 1)
      return {
        output: "",
        fault: `protobuf output holds one object, but there are ${objects.length}: decode them one by one`,
      };
    if (!object.struct)
      return { output: "", fault: `kind ${object.kind} of ${object.apiVersion} is unknown` };
    const raw = encodeProtobuf(object.struct, object.value);
    return { output: envelope({ apiVersion: object.apiVersion, kind: object.kind, raw }) };
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof InputError || error instanceof WireError) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "there is no such file";
  if (code === "EISDIR") return "it is a directory";
  if (code === "EACCES") return "permission denied";
  return message;
}

function readObjects(bytes: Uint8Array): ReadObject[] {
  if (isEnvelope(bytes)) return [fromProtobuf(bytes)];
  const text = new TextDecoder("utf-8", { fatal: false }).decode(bytes);
  if (text.trim() === "") throw new InputError("line 1: the input is empty");
  if (text.includes("\0"))
    throw new InputError(
      `byte ${text.indexOf("\0")}: neither text nor Kubernetes' protobuf, which begins with k8s\\0`,
    );
  return /^\s*[{[]/.test(text) ? fromJson(text) : fromYaml(text);
}

/** Decodes Kubernetes' protobuf; throws an InputError with the position. */
export function fromProtobuf(bytes: Uint8Array): ReadObject {
  const { apiVersion, kind, raw } = openEnvelope(bytes);
  const struct = structOf(apiVersion, kind);
  if (!struct) throw new InputError(`byte 4: kind ${kind} of ${apiVersion} is unknown`);
  const value = withType({ apiVersion, kind }, decodeProtobuf(struct, raw) as object);
  return { apiVersion, kind, struct, value };
}

/** One document, or several one after the other. */
function fromJson(text: string): ReadObject[] {
  const objects: ReadObject[] = [];
  let rest = text;
  let before = 0;
  while (rest.trim() !== "") {
    const end = documentEnd(rest);
    const document = rest.slice(0, end);
    const start = before;
    objects.push(fromText(document, (offset) => placeOf(text, start + offset)));
    before += end;
    rest = rest.slice(end);
  }
  return objects;
}

/** The end of the first document of a text: the text's end, unless another document follows. */
function documentEnd(text: string): number {
  try {
    parseJson(text);
    return text.length;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return error.message.endsWith("after top-level value") ? error.offset : text.length;
  }
}

function fromYaml(text: string): ReadObject[] {
  const documents = splitDocuments(text);
  return documents.flatMap((document, i) => {
    const where = documents.length > 1 ? `document ${i + 1}: ` : "";
    try {
      const value = yamlToJson(document);
      if (value === null) return [];
      return [fromText(stringifyJson(value), () => where)];
    } catch (error) {
      if (error instanceof YamlError) throw new InputError(`${where}yaml: ${error.message}`);
      throw error;
    }
  });
}

function fromText(text: string, place: (offset: number) => string): ReadObject {
  const meta = typeOf(text, place);
  const struct = structOf(meta.apiVersion, meta.kind);
  if (!struct) return { ...meta, struct, value: jsonValue(parseJson(text)) };
  try {
    const { value, strict }: Decoded = decodeJson(struct, text);
    if (strict.length > 0) throw new InputError(`${place(0)}${strict.join(", ")}`);
    return { ...meta, struct, value };
  } catch (error) {
    if (error instanceof DecodeError)
      throw new InputError(`${place(error.offset ?? 0)}${error.message}`);
    throw error;
  }
}

function typeOf(
  text: string,
  place: (offset: number) => string,
): { apiVersion: string; kind: string } {
  try {
    const node = parseJson(text);
    if (node.kind !== "object") throw new InputError(`${place(node.start)}expected an object`);
    const meta = { apiVersion: "", kind: "" };
    for (const { name, value } of node.members)
      if ((name === "apiVersion" || name === "kind") && value.kind === "string")
        meta[name] = value.value;
    return meta;
  } catch (error) {
    if (error instanceof JsonSyntaxError)
      throw new InputError(`${place(error.offset)}${error.message}`);
    throw error;
  }
}

/** `line 3, column 7: ` */
function placeOf(text: string, offset: number): string {
  const lines = text.slice(0, offset).split("\n");
  return `line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1}: `;
}

/** Types that are not served, but have a declaration. */
const others: Readonly<Record<string, Struct>> = {
  "v1/Status": Status,
  "v1/APIGroup": APIGroup,
  "v1/APIGroupList": APIGroupList,
  "v1/APIResourceList": APIResourceList,
  "v1/APIVersions": APIVersions,
  "v1/PodStatusResult": PodStatusResult,
  "v1/RangeAllocation": RangeAllocation,
  "admission.k8s.io/v1/AdmissionReview": AdmissionReview,
  "authentication.k8s.io/v1/TokenRequest": TokenRequest,
  "autoscaling/v1/Scale": Scale,
  "policy/v1/Eviction": Eviction,
};

/** The declaration of a kind; undefined for an unknown kind. */
export function structOf(apiVersion: string, kind: string): Struct | undefined {
  // Clients send it in the version of what they delete.
  if (kind === "DeleteOptions") return DeleteOptions;
  const other = others[`${apiVersion}/${kind}`];
  if (other) return other;
  for (const known of kinds) {
    if (apiVersionOf(known) !== apiVersion) continue;
    if (known.kind === kind) return known.struct;
    if (`${known.kind}List` === kind) return known.list;
  }
  return undefined;
}

/** The object with its apiVersion and kind first. */
const withType = (meta: { apiVersion: string; kind: string }, value: object): object => {
  const { kind: _, apiVersion: __, ...rest } = value as Record<string, unknown>;
  return { kind: meta.kind, apiVersion: meta.apiVersion, ...rest };
};

/** The object as JSON in one line, its fields in the order of their declaration. */
export const asCompactJson = ({ struct, value }: ReadObject): string =>
  struct ? encodeJson(struct, value) : stringifyJson(value);

export const asJson = (object: ReadObject): string => `${indentJson(asCompactJson(object))}\n`;

export const asYaml = ({ value }: ReadObject): string => toYaml(value);
