import {
  validateAnnotations,
  validateLabels,
} from "../../../api/meta/v1/object-meta-validation.ts";
import { isMap, type JsonMap, type ReadonlyJsonMap } from "../../../schema/json/json-value.ts";
import { jsonValue } from "../../../schema/json/strict-json.ts";
import { At } from "../../../schema/language/report.ts";
import { cannotUnmarshal } from "../../connect/webhooks/returned-review.ts";
import { ConversionFailure, type ReturnedObject } from "./conversion-review.ts";

/** What is converted, and into which version. */
export interface Converting {
  readonly original: ReadonlyJsonMap;
  readonly desiredVersion: string;
  /** The beginning of messages: `conversion webhook for g/v, Kind=K`. */
  readonly subject: string;
}

/**
 * The object that a webhook returned, with the metadata that the original has: a webhook can change labels and
 * annotations only. Throws a ConversionFailure, in upstream's words, for an object that cannot be used.
 */
export function convertedObject(returned: ReturnedObject, converting: Converting): JsonMap {
  const { original, subject } = converting;
  const object = objectIn(returned);
  const mismatch = mismatchIn(object, converting);
  if (mismatch !== undefined)
    throw invalid(`${subject} returned invalid object at index 0: ${mismatch}`);
  const change = identityChange(original, object);
  if (change !== undefined) throw invalid(`${subject} returned invalid object: ${change}`);
  const problem = restoreMetadata(original, object);
  if (problem !== undefined) throw invalid(`${subject} returned invalid metadata: ${problem}`);
  return object;
}

const invalid = (message: string): ConversionFailure =>
  new ConversionFailure("conversion_webhook_invalid_converted_object_failure", message);

function objectIn({ node, text }: ReturnedObject): JsonMap {
  if (!node) throw invalid("unexpected end of JSON input");
  if (node.kind !== "object")
    throw invalid(`${cannotUnmarshal(node)} value of type map[string]interface {}`);
  const object = jsonValue(node) as JsonMap;
  if (typeof object.kind === "string" && object.kind !== "") return object;
  throw invalid(`Object 'Kind' is missing in '${text}'`);
}

/** How the version or kind differs from the expected one. */
function mismatchIn(
  { apiVersion, kind }: JsonMap,
  { original, desiredVersion }: Converting,
): string | undefined {
  const received = typeof apiVersion === "string" ? apiVersion : "";
  if (received !== desiredVersion)
    return `invalid groupVersion (expected ${desiredVersion}, received ${received})`;
  if (kind !== original.kind)
    return `invalid kind (expected ${String(original.kind)}, received ${String(kind)})`;
  return undefined;
}

const identity = [
  ["name", "name"],
  ["namespace", "namespace"],
  ["uid", "UID"],
] as const;

/** How an object is not the one that was sent. */
function identityChange(original: ReadonlyJsonMap, object: ReadonlyJsonMap): string | undefined {
  const of = ({ metadata }: ReadonlyJsonMap, name: string): string => {
    const value = isMap(metadata) ? metadata[name] : undefined;
    return typeof value === "string" ? value : "";
  };
  for (const [name, title] of identity)
    if (of(original, name) !== of(object, name))
      return `must have the same ${title}: ${of(original, name)} != ${of(object, name)}`;
  return undefined;
}

/** Gives an object the metadata of the original, but its own labels and annotations; says what is wrong with them. */
function restoreMetadata(original: ReadonlyJsonMap, object: JsonMap): string | undefined {
  const given = isMap(object.metadata) ? object.metadata : {};
  const metadata = isMap(original.metadata) ? { ...original.metadata } : {};
  for (const field of ["labels", "annotations"] as const) {
    const value = given[field];
    const before = isMap(metadata[field]) ? metadata[field] : {};
    delete metadata[field];
    if (value === undefined || value === null) continue;
    const problem = problemOf(field, value, before);
    if (problem !== undefined) return problem;
    metadata[field] = value;
  }
  object.metadata = metadata;
  return undefined;
}

/** What is wrong with labels or annotations that differ from those before. */
function problemOf(
  field: "labels" | "annotations",
  value: unknown,
  before: ReadonlyJsonMap,
): string | undefined {
  if (!isMap(value))
    return `invalid metadata.${field} of type ${goType(value)} in converted object`;
  const names = Object.keys(value);
  const wrong = names.find((name) => typeof value[name] !== "string");
  if (wrong !== undefined)
    return `metadata.${field}[${wrong}] must be a string, but is ${goType(value[wrong])} in converted object`;
  const isSame =
    names.length === Object.keys(before).length &&
    names.every((name) => Object.hasOwn(before, name) && before[name] === value[name]);
  if (isSame) return undefined;
  const at = At.root().child("metadata");
  const texts = value as Record<string, string>;
  if (field === "labels") validateLabels(texts, at.child("labels"));
  else validateAnnotations(texts, at.child("annotation"));
  const errors = at.errors.map(({ field: path, message }) => `${path}: ${message}`);
  if (errors.length === 0) return undefined;
  return errors.length === 1 ? errors[0] : `[${[...new Set(errors)].join(", ")}]`;
}

/** The type that a value of JSON has in Go. */
function goType(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  return typeof value === "bigint" || Number.isInteger(value) ? "int64" : "float64";
}
