import { goJson } from "../json/go-json.ts";
import { isMap, type ReadonlyJsonMap as JsonMap } from "../json/json-value.ts";
import type { Shape } from "../language/shape.ts";
import { compare } from "./compare.ts";
import { difference, emptySet, type FieldSet, union } from "./field-set.ts";
import { problemsOf } from "./problems-of.ts";
import { fieldSetOf } from "./to-field-set.ts";

/** Where client-side apply keeps the configuration that it applied last. */
const annotation = "kubectl.kubernetes.io/last-applied-configuration";

/** The configuration that kubectl applied on its side, as text; undefined where it did not. */
export function lastAppliedOf(object: JsonMap | undefined): string | undefined {
  const metadata = object?.metadata;
  const annotations = isMap(metadata) ? metadata.annotations : undefined;
  const value = isMap(annotations) ? annotations[annotation] : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** What kubectl owns of an object that it applied on its side before: the fields that are still so. */
export function ownByLastApplied(
  shape: Shape | undefined,
  live: JsonMap,
  { lastApplied, version }: { readonly lastApplied: string; readonly version: string },
): FieldSet {
  const config = parsed(lastApplied);
  if (!shape || !config || config.apiVersion !== version) return emptySet;
  const options = { allowDuplicates: false };
  if (problemsOf(shape, config, options).length > 0) return emptySet;
  if (problemsOf(shape, live, options).length > 0) return emptySet;
  const { modified, added, removed } = compare(shape, config, live);
  return difference(fieldSetOf(shape, config), union(union(modified, added), removed));
}

/** Keeps the annotation of client-side apply up to date, for those who still use it. */
export function withLastApplied(object: JsonMap, config: JsonMap): JsonMap {
  const metadata = isMap(object.metadata) ? object.metadata : {};
  const annotations = isMap(metadata.annotations) ? metadata.annotations : {};
  const { [annotation]: _, ...others } = annotations;
  const all = { ...others, [annotation]: `${goJson(sorted(withoutLastApplied(config)))}\n` };
  const fits = bytesOf(all) <= maxAnnotationBytes;
  return { ...object, metadata: { ...metadata, annotations: fits ? all : others } };
}

/** All annotations of an object together may have as many bytes. */
const maxAnnotationBytes = 256 * 1024;

function withoutLastApplied(config: JsonMap): JsonMap {
  const metadata = isMap(config.metadata) ? config.metadata : undefined;
  if (!metadata || !isMap(metadata.annotations)) return config;
  const { [annotation]: _, ...annotations } = metadata.annotations;
  return { ...config, metadata: { ...metadata, annotations } };
}

function parsed(text: string): JsonMap | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name])]),
  );
}

function bytesOf(annotations: JsonMap): number {
  const encoder = new TextEncoder();
  return Object.entries(annotations).reduce(
    (sum, [name, value]) =>
      sum + encoder.encode(name).length + encoder.encode(String(value)).length,
    0,
  );
}
