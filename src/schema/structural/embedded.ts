import { isMap, type JsonMap } from "../json/json-value.ts";
import { setMember } from "../json/strict-json.ts";
import type { At } from "../language/report.ts";
import type { Shape } from "../language/shape.ts";
import { isDns1035Label } from "../values/names.ts";
import { compareUtf8 } from "../values/utf8-order.ts";
import { additionalOf, itemsOf, type JsonSchema, propertyOf } from "./json-schema.ts";
import { sortedJson } from "./sorted-json.ts";

/** What is known of the metadata that every object has; throws what is wrong with its types. */
export interface Metadata {
  /** With the paths in it of what is not known. */
  read(value: unknown): { readonly value: unknown; readonly unknown: readonly string[] };
  /** The form in which it is stored. */
  canonical(value: unknown): object;
  /** What apply knows of it. */
  readonly shape: Shape;
  /** Reports what breaks the rules of metadata of an object that has no place of its own. */
  validate(value: never, at: At): void;
}

/** Objects of the API that stand in another one, and their metadata. */
export interface Embedded {
  readonly metadata: Metadata;
  /** Whether what cannot be read is dropped, rather than reported. */
  readonly dropsInvalid?: boolean;
}

/**
 * Puts the metadata of objects within a value in order, in place, and gives the paths of what was
 * not known. Stops at the first that is of a wrong type, and reports it.
 */
export function coerceEmbedded(
  value: unknown,
  schema: JsonSchema | undefined,
  { at, ...embedded }: Embedded & { readonly at: At },
): readonly string[] {
  const unknown: string[] = [];
  coerce(value, schema, { ...embedded, at, unknown });
  return unknown.sort(compareUtf8);
}

interface Context extends Embedded {
  readonly at: At;
  readonly unknown: string[];
}

/** False: something was reported, and that is all. */
function coerce(value: unknown, schema: JsonSchema | undefined, context: Context): boolean {
  if (schema === undefined) return true;
  const { at } = context;
  if (Array.isArray(value))
    return value.every((each, i) => coerce(each, itemsOf(schema), { ...context, at: at.index(i) }));
  if (!isMap(value)) return true;
  return Object.keys(value).every((name) => {
    if (schema["x-kubernetes-embedded-resource"] && !coerceMember(value, name, context))
      return false;
    const property = propertyOf(schema, name);
    if (property) return coerce(value[name], property, { ...context, at: at.child(name) });
    return coerce(value[name], additionalOf(schema), { ...context, at: at.key(name) });
  });
}

function coerceMember(resource: JsonMap, name: string, context: Context): boolean {
  const { at, metadata, dropsInvalid, unknown } = context;
  const value = resource[name];
  if ((name === "apiVersion" || name === "kind") && typeof value !== "string") {
    if (dropsInvalid) delete resource[name];
    else at.invalid(name, value, "must be a string");
    return dropsInvalid === true;
  }
  if (name !== "metadata") return true;
  try {
    const read = metadata.read(value);
    unknown.push(...read.unknown.map((path) => `${at.child(name).path}.${path}`));
    setMember(resource, name, metadata.canonical(read.value as object));
    return true;
  } catch (error) {
    if (dropsInvalid) return true;
    at.invalid(name, sortedJson(value), (error as Error).message);
    return false;
  }
}

/** The rules of kind, version and metadata of objects within a value. */
export function validateEmbedded(
  value: unknown,
  schema: JsonSchema | undefined,
  { at, metadata }: Embedded & { readonly at: At },
): void {
  if (schema === undefined) return;
  if (Array.isArray(value))
    for (const [i, each] of value.entries())
      validateEmbedded(each, itemsOf(schema), { at: at.index(i), metadata });
  if (!isMap(value)) return;
  if (schema["x-kubernetes-embedded-resource"]) validateResource(value, at, metadata);
  for (const [name, held] of Object.entries(value)) {
    const property = propertyOf(schema, name);
    if (property) validateEmbedded(held, property, { at: at.child(name), metadata });
    else validateEmbedded(held, additionalOf(schema), { at: at.key(name), metadata });
  }
}

function validateResource(resource: JsonMap, at: At, metadata: Metadata): void {
  for (const name of ["apiVersion", "kind"]) if (!Object.hasOwn(resource, name)) at.required(name);
  if (Object.hasOwn(resource, "apiVersion")) validateVersion(resource.apiVersion, at);
  if (Object.hasOwn(resource, "kind")) validateKind(resource.kind, at);
  if (!Object.hasOwn(resource, "metadata")) return;
  try {
    metadata.validate(metadata.read(resource.metadata).value as never, at.child("metadata"));
  } catch (error) {
    at.invalid("metadata", resource.metadata, (error as Error).message);
  }
}

function validateVersion(version: unknown, at: At): void {
  if (typeof version !== "string") at.invalid("apiVersion", version, "must be a string");
  else if (version === "") at.invalid("apiVersion", "", "must not be empty");
  else if (version.split("/").length > 2)
    at.invalid("apiVersion", version, `unexpected GroupVersion string: ${version}`);
}

function validateKind(kind: unknown, at: At): void {
  if (typeof kind !== "string") at.invalid("kind", kind, "must be a string");
  else if (kind === "") at.invalid("kind", "", "must not be empty");
  else {
    const faults = isDns1035Label(kind.toLowerCase());
    if (faults.length > 0)
      at.invalid(
        "kind",
        kind,
        `may have mixed case, but should otherwise match: ${faults.join(",")}`,
      );
  }
}
