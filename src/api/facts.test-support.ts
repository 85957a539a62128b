import { readFact } from "../../test/facts.ts";

/** A type as the facts write it. */
export interface TypeFact {
  readonly type?: string;
  readonly format?: string;
  readonly ref?: string;
  readonly array?: TypeFact;
  readonly map?: TypeFact;
}
/** What is known of a field, and how Go writes it. */
export interface FieldFact extends TypeFact {
  readonly pointer?: true;
  readonly omitempty?: true;
  readonly omitzero?: true;
  readonly listType?: string;
  readonly listMapKeys?: readonly string[];
  readonly mapType?: string;
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
  readonly constants?: readonly string[];
}
export interface StructFact {
  readonly required?: readonly string[];
  readonly mapType?: string;
  readonly fields?: Readonly<Record<string, FieldFact>>;
}
/** The fields of a protobuf message in order. */
export type MessageFact = readonly (readonly [tag: number, type: string, name: string])[];
export interface ResourceFact {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly { readonly name: string }[];
}

export const resourceFacts = (): readonly ResourceFact[] => read("resources.json");

/** What upstream says of a type, by its name in OpenAPI. */
export function structFact(name: string): StructFact {
  const [folder, short] = splitName(name);
  return read<Record<string, StructFact>>(`definitions/${folder}.json`)[short] ?? {};
}

/** The protobuf message of a type, by its name in OpenAPI; undefined where it has none. */
export function messageFact(name: string): MessageFact | undefined {
  const [folder, short] = splitName(wireName(name));
  return read<Record<string, Record<string, MessageFact>>>("protobuf.json")[folder]?.[short];
}

/** `k8s.io.api.core.v1.Pod` of `io.k8s.api.core.v1.Pod`. */
export const wireName = (name: string): string =>
  name.replace(/^io\.k8s\./, "k8s.io.").replaceAll("-", "_");

export function splitName(name: string): readonly [folder: string, short: string] {
  const dot = name.lastIndexOf(".");
  return [name.slice(0, dot), name.slice(dot + 1)];
}

const files = new Map<string, unknown>();
function read<T>(name: string): T {
  if (!files.has(name)) files.set(name, readFact(name));
  return files.get(name) as T;
}
