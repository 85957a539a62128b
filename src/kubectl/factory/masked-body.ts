import { isMap, type ReadonlyJsonMap } from "../../schema/json/json-value.ts";
import { jsonValue, parseJson } from "../../schema/json/strict-json.ts";
import { yamlToJson } from "../../schema/yaml/yaml.ts";
import { jsonText } from "../print/json-text.ts";

/** What a request sends, as text for people: the data of secrets is masked, JSON is indented. */
export function maskedBody(body: object | string | Uint8Array, path: string): string {
  const isOfSecrets = /\/api\/v1\/(namespaces\/[^/]+\/)?secrets(\/|$)/.test(path);
  const text = body instanceof Uint8Array ? Buffer.from(body).toString("utf8") : body;
  const value = typeof text === "string" ? parsed(text) : text;
  if (typeof value === "object" && value !== null) return jsonText(masked(value, isOfSecrets), 2);
  const bytes = Buffer.byteLength(String(text));
  return isOfSecrets ? `(${bytes} bytes, which may hold secrets)` : String(text);
}

const mask = "***";

function parsed(text: string): unknown {
  for (const parse of [(json: string) => jsonValue(parseJson(json)), yamlToJson])
    try {
      return parse(text);
    } catch {
      // What cannot be read is shown as it is, or not at all.
    }
  return undefined;
}

function masked(value: unknown, isSecret: boolean): unknown {
  if (Array.isArray(value))
    return value.map((one) => (isSecret ? maskedOperation(one) : masked(one, false)));
  if (!isMap(value)) return value;
  const { items, kind } = value;
  const isOne = isSecret || kind === "Secret" || kind === "SecretList";
  const shown = isOne ? maskedSecret(value) : value;
  if (!Array.isArray(items)) return shown;
  return { ...shown, items: items.map((item: unknown) => masked(item, kind === "SecretList")) };
}

function maskedSecret(secret: ReadonlyJsonMap): ReadonlyJsonMap {
  const { metadata } = secret;
  const shown: Record<string, unknown> = { ...secret };
  for (const name of ["data", "stringData"])
    if (name in secret) shown[name] = maskedValues(secret[name]);
  if (isMap(metadata) && isMap(metadata.annotations))
    shown.metadata = { ...metadata, annotations: maskedAnnotations(metadata.annotations) };
  return shown;
}

/** The annotation of apply holds the whole secret once more. */
function maskedAnnotations(annotations: ReadonlyJsonMap): ReadonlyJsonMap {
  const name = "kubectl.kubernetes.io/last-applied-configuration";
  const { [name]: saved } = annotations;
  if (typeof saved !== "string") return annotations;
  const value = parsed(saved);
  return { ...annotations, [name]: isMap(value) ? jsonText(masked(value, true)) : mask };
}

/** An operation of a JSON patch, which names its place by a path. */
function maskedOperation(operation: unknown): unknown {
  if (!isMap(operation) || !("value" in operation)) return operation;
  const { path, value } = operation;
  const [, member = ""] = String(path).split("/");
  if (member === "data" || member === "stringData")
    return { ...operation, value: maskedValues(value) };
  if (member === "") return { ...operation, value: masked(value, true) };
  return member === "metadata" ? { ...operation, value: maskedIn(String(path), value) } : operation;
}

function maskedIn(path: string, value: unknown): unknown {
  if (typeof value === "string" && path.endsWith("last-applied-configuration")) return mask;
  if (!isMap(value)) return value;
  return path.endsWith("/annotations")
    ? maskedAnnotations(value)
    : maskedSecret({ metadata: value }).metadata;
}

/** The names stay; null removes a value, and is none. */
function maskedValues(value: unknown): unknown {
  if (value === null) return null;
  if (!isMap(value)) return mask;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, one === null ? null : mask]),
  );
}
