import { decodedSize } from "../../base/base64.ts";
import { errorMessage } from "../../base/error-message.ts";
import { isMap, type JsonMap, member } from "../../schema/json/json-value.ts";
import { jsonValue, parseJson, setMember } from "../../schema/json/strict-json.ts";
import { isEnvelope, openEnvelope } from "../../schema/protobuf/envelope.ts";
import { fromProtobuf, type ReadObject, structOf } from "../commands/decode/decode-objects.ts";

/** A value of the store: an object, or the reason why it cannot be decoded. */
export type StoredValue =
  | { readonly object: ReadObject; readonly opaque?: undefined }
  | {
      readonly object?: undefined;
      readonly opaque: string;
      /** Whether others can decode it, with the encryption key or a declaration of its kind. */
      readonly isForeign: boolean;
    };

/** Decodes a value that the API server wrote: protobuf of a known kind, or JSON. */
export function readStored(bytes: Uint8Array): StoredValue {
  try {
    return isEnvelope(bytes) ? fromEnvelope(bytes) : fromText(new TextDecoder().decode(bytes));
  } catch (error) {
    return broken(errorMessage(error));
  }
}

/** Redacts the data of a secret, also in the annotation of kubectl apply. */
export function withoutSecrets(object: ReadObject): ReadObject {
  if (!isSecret(object) || !isMap(object.value)) return object;
  const value: JsonMap = { ...object.value };
  for (const field of secretFields) {
    const values = member(value, field);
    if (isMap(values)) setMember(value, field, hideMembers(values, [field]));
  }
  const metadata = member(value, "metadata");
  if (isMap(metadata) && isMap(metadata.annotations)) {
    const annotations = hideMembers(metadata.annotations, ["metadata", "annotations"]);
    setMember(value, "metadata", { ...metadata, annotations });
  }
  return { ...object, value };
}

/** Redacts a value at a path of field names if it is part of a secret. */
export function hideAt(object: ReadObject, path: readonly string[], value: unknown): unknown {
  if (!isSecret(object) || value === undefined || !isHiddenPath(path)) return value;
  return hidden(path, value);
}

/** Whether the value of a key must be redacted. */
export const holdsSecret = (key: string, { object }: StoredValue): boolean =>
  object ? isSecret(object) : key.includes("/secrets/");

const isSecret = ({ apiVersion, kind }: ReadObject): boolean =>
  apiVersion === "v1" && kind === "Secret";

const secretFields = ["data", "stringData"];
/** The annotation in which kubectl apply keeps the whole object. */
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

function isHiddenPath([first = "", second, third]: readonly string[]): boolean {
  if (secretFields.includes(first)) return second !== undefined;
  return first === "metadata" && second === "annotations" && third === lastApplied;
}

function hideMembers(values: JsonMap, path: readonly string[]): JsonMap {
  const shown: JsonMap = {};
  for (const [name, value] of Object.entries(values)) {
    const here = [...path, name];
    setMember(shown, name, isHiddenPath(here) ? hidden(here, value) : value);
  }
  return shown;
}

function hidden([field]: readonly string[], value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const size = field === "data" ? decodedSize(text) : new TextEncoder().encode(text).length;
  return `[redacted, ${size} ${size === 1 ? "byte" : "bytes"}]`;
}

const broken = (opaque: string): StoredValue => ({ opaque, isForeign: false });
const foreign = (opaque: string): StoredValue => ({ opaque, isForeign: true });

function fromEnvelope(bytes: Uint8Array): StoredValue {
  const { apiVersion, kind } = openEnvelope(bytes);
  if (!structOf(apiVersion, kind)) return foreign(`kind ${kind} of ${apiVersion} is unknown`);
  return { object: fromProtobuf(bytes) };
}

function fromText(text: string): StoredValue {
  const [encrypted] = /^k8s:enc:[^:]*:[^:]*:[^:]*:/.exec(text) ?? [];
  if (encrypted !== undefined) return foreign(`it is encrypted (${encrypted})`);
  if (!text.startsWith("{")) return broken("it is not a Kubernetes object");
  const value = jsonValue(parseJson(text));
  const { apiVersion = "", kind = "" } = isMap(value) ? value : {};
  if (apiVersion === "" || kind === "") return broken("it is JSON without a kind");
  return {
    object: { apiVersion: String(apiVersion), kind: String(kind), struct: undefined, value },
  };
}
