import { type Decoded, DecodeError } from "../json/decode.ts";
import { encodeAnyJson } from "../json/json.ts";
import { isMap, type JsonMap } from "../json/json-value.ts";
import {
  type JsonNode,
  JsonSyntaxError,
  jsonValue,
  maxKeptDepth,
  parseJson,
} from "../json/strict-json.ts";
import { noteKeys } from "../language/normalise.ts";
import type { ObjectForm } from "../language/object-form.ts";
import { At } from "../language/report.ts";
import { repeatedMembers } from "../patch/json-patch-strict.ts";
import { quote } from "../values/quote.ts";
import { coerceEmbedded, type Metadata } from "./embedded.ts";
import { fillDefaults } from "./fill-defaults.ts";
import type { JsonSchema } from "./json-schema.ts";
import { pruneNulls, pruneResource } from "./prune.ts";
import { resourceShape } from "./shape-of-schema.ts";
import { sortedJson } from "./sorted-json.ts";

/** What the versions of a resource that is known by schemas have in common. */
export interface SchemaResource {
  readonly group: string;
  readonly kind: string;
  readonly listKind: string;
  /** By the version that objects name; undefined where a version has none. */
  readonly schemas: ReadonlyMap<string, JsonSchema | undefined>;
  /** The version that objects are stored in. */
  readonly storageVersion: string;
  /** Whether nothing is ever removed. */
  readonly preservesUnknown: boolean;
  readonly metadata: Metadata;
  /** Makes an object one of another version, in place; throws where it cannot. */
  convert(object: JsonMap, version: string): void;
}

/** The form of objects of one version: JSON in the store, members in the order of their names. */
export function schemaForm(
  resource: SchemaResource,
  apiVersion: string,
  names: { readonly name: string; readonly listName: string },
): ObjectForm {
  const { metadata, preservesUnknown } = resource;
  const schema = resource.schemas.get(apiVersion);
  const canonical = (object: unknown) => sortedJson(withMetadata(object as JsonMap, metadata));
  return {
    ...names,
    shape: resourceShape(schema, { metadata: metadata.shape, preservesUnknown }),
    mustNameKind: true,
    decode(text) {
      const node = parsed(text);
      const { value, unknown } = coerced(resource, node);
      return { value, strict: [...repeatedMembers(node), ...unknown.map(unknownField)] };
    },
    decodeValue: (value) => decodedValue(resource, value),
    afterApply: (object) => structuredClone(object),
    complete: (draft) => fillDefaults(draft, schema),
    canonical,
    inMemory: canonical,
    encode: encodeAnyJson,
    head: "{",
    listFrame: (list) => listFrame(resource, apiVersion, list),
    precedesVersion: (name) => name < "resourceVersion",
    toBytes: (object) => encoder.encode(`${encodeAnyJson(toStored(resource, object))}\n`),
    fromBytes: (bytes) => canonical(fromStored(resource, apiVersion, bytes)),
    completesStored: true,
  };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const unknownField = (path: string): string => `unknown field ${quote(path)}`;

function parsed(text: string): JsonNode {
  try {
    return parseJson(text, maxKeptDepth);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new DecodeError(error.message, error.offset);
    throw error;
  }
}

function coerced(resource: SchemaResource, node: JsonNode): Coerced {
  if (node.kind !== "object") throw new DecodeError(`json: cannot unmarshal ${node.kind}`);
  refuseInfinite(node);
  return coerce(resource, jsonValue(node) as JsonMap);
}

/** Numbers beyond all bounds; an integer of more than 64 bits is one with a fraction to upstream, too. */
function refuseInfinite(node: JsonNode): void {
  if (node.kind === "number" && !Number.isFinite(Number(node.literal)))
    throw new DecodeError(
      `json: cannot unmarshal number ${node.literal} into Go value of type float64`,
      node.start,
    );
  if (node.kind === "array") for (const item of node.items) refuseInfinite(item);
  if (node.kind === "object") for (const { value } of node.members) refuseInfinite(value);
}

function decodedValue(resource: SchemaResource, value: unknown): Decoded {
  const { value: object, unknown } = coerce(resource, structuredClone(value) as JsonMap);
  return { value: object, strict: unknown.map(unknownField) };
}

interface Coerced {
  readonly value: JsonMap;
  readonly unknown: readonly string[];
}

/**
 * Removes what the schema of an object's version does not know, in place, and puts metadata in order.
 * What is stored was accepted once: of that, what cannot be read is dropped.
 */
function coerce(resource: SchemaResource, object: JsonMap, isStored = false): Coerced {
  noteKeys(object);
  const unknown: string[] = [];
  const own = ownMetadata(resource, object, { isStored, unknown });
  const { apiVersion } = object;
  if (typeof apiVersion === "string" && isOne(resource, object, apiVersion)) {
    const schema = resource.schemas.get(apiVersion);
    if (!resource.preservesUnknown) {
      unknown.push(...pruneResource(object, schema));
      pruneNulls(object, schema);
    }
    const at = At.root();
    const { metadata } = resource;
    unknown.push(...coerceEmbedded(object, schema, { at, metadata, dropsInvalid: isStored }));
    const [error] = at.errors;
    if (error) throw new DecodeError(`${error.field}: ${error.message}`);
  }
  object.metadata = own;
  return { value: object, unknown };
}

const isOne = ({ group, kind }: SchemaResource, object: JsonMap, apiVersion: string): boolean =>
  object.kind === kind && apiVersion.startsWith(`${group}/`);

function ownMetadata(
  { metadata }: SchemaResource,
  object: JsonMap,
  { isStored, unknown }: { readonly isStored: boolean; readonly unknown: string[] },
): unknown {
  if (!Object.hasOwn(object, "metadata")) return {};
  try {
    const read = metadata.read(object.metadata);
    unknown.push(...read.unknown.map((path) => `metadata.${path}`));
    return read.value;
  } catch (error) {
    if (!isStored || !isMap(object.metadata)) throw error;
    return readable(metadata, object.metadata);
  }
}

/** The members of metadata that can be read on their own. */
function readable(metadata: Metadata, given: JsonMap): JsonMap {
  const result: JsonMap = {};
  for (const [name, value] of Object.entries(given))
    try {
      Object.assign(result, metadata.read({ [name]: value }).value);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
    }
  return result;
}

function toStored(resource: SchemaResource, object: object): unknown {
  const draft = structuredClone(object) as JsonMap;
  resource.convert(draft, resource.storageVersion);
  return sortedJson(withMetadata(coerce(resource, draft).value, resource.metadata));
}

function fromStored(resource: SchemaResource, version: string, bytes: Uint8Array): JsonMap {
  const stored = jsonValue(parseJson(decoder.decode(bytes))) as JsonMap;
  const { value } = coerce(resource, stored, true);
  const metadata = value.metadata as { generation?: number };
  metadata.generation ||= 1;
  const written = value.apiVersion as string;
  fillDefaults(value, resource.schemas.get(written));
  if (written === version) return value;
  resource.convert(value, version);
  return coerce(resource, value).value;
}

const withMetadata = (object: JsonMap, { canonical }: Metadata): JsonMap => ({
  ...object,
  metadata: canonical(object.metadata ?? {}),
});

function listFrame(
  { listKind }: SchemaResource,
  apiVersion: string,
  metadata: object,
): readonly [string, string] {
  const all = JSON.stringify(sortedJson({ continue: "", ...metadata }));
  const [version, kind] = [JSON.stringify(apiVersion), JSON.stringify(listKind)];
  return [`{"apiVersion":${version},"items":[`, `],"kind":${kind},"metadata":${all}}\n`];
}
