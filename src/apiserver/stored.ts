import type { ObjectMeta } from "../api/meta/v1/object-meta.ts";
import { envelopeAround, openEnvelope } from "../schema/envelope.ts";
import { encodeJson } from "../schema/json.ts";
import { apiVersionOf } from "../schema/kind.ts";
import { canonicalise } from "../schema/normalise.ts";
import { writeMessage } from "../schema/protobuf.ts";
import { decodeProtobuf } from "../schema/protobuf-decode.ts";
import type { Entry } from "../store/store.ts";
import { type AnyKind, type ApiObject, freeze } from "./object.ts";

/**
 * An object as it stands in the store at one revision: frozen, shared by reference; decoded and
 * encoded at most once, on first need.
 */
export class Stored {
  readonly kind: AnyKind;
  readonly key: string;
  readonly revision: number;
  readonly #bytes: Uint8Array;
  /** What the bytes stand for, where this process has just written them. */
  #written: ApiObject | undefined;
  #object: ApiObject | undefined;
  #line: Uint8Array | undefined;
  #views: Map<AnyKind, Stored> | undefined;

  constructor(kind: AnyKind, entry: Pick<Entry, "key" | "value" | "modRevision">) {
    this.kind = kind;
    this.key = entry.key;
    this.revision = entry.modRevision;
    this.#bytes = entry.value;
    this.#written = writing.get(entry.value);
  }

  get object(): ApiObject {
    if (!this.#object) {
      this.#object = freeze(withVersion(this.#decode(), this.revision));
      this.#written = undefined;
    }
    return this.#object;
  }

  /** The object as JSON, and a line feed. */
  get jsonLine(): Uint8Array {
    this.#line ??= encoder.encode(this.#text());
    return this.#line;
  }

  /**
   * The same for a single reader, who has just written it: nothing is kept but the bytes, from which
   * the object is read again if anybody asks for it.
   */
  takeJson(): Uint8Array | string {
    const text = this.#line ?? this.#text();
    this.#written = undefined;
    return text;
  }

  #text(): string {
    const object = this.#object ?? withVersion(this.#decode(), this.revision);
    return `${encodeJson(this.kind.struct, object)}\n`;
  }

  /** The object as JSON. */
  get json(): Uint8Array {
    return this.jsonLine.subarray(0, -1);
  }

  /** The rest of the JSON after what every object of the kind begins with. */
  get jsonTail(): Uint8Array {
    return this.json.subarray(jsonHead(this.kind).length);
  }

  /** The same object as another kind that is stored as this one. */
  as(kind: AnyKind): Stored {
    if (kind === this.kind) return this;
    this.#views ??= new Map();
    let view = this.#views.get(kind);
    if (!view) {
      view = new Stored(kind, { key: this.key, value: this.#bytes, modRevision: this.revision });
      this.#views.set(kind, view);
    }
    return view;
  }

  #decode(): ApiObject {
    const { kind } = this;
    const { conversion } = kind;
    const stored = storedKind(kind);
    const object = this.#written ?? decode(stored, this.#bytes);
    if (!conversion) return object;
    return canonicalise(kind.struct, conversion.fromStored(object as never)) as ApiObject;
  }

  /** The same object as of a later revision: what was there when it was deleted. */
  at(revision: number): Stored {
    const later = new Stored(this.kind, {
      key: this.key,
      value: this.#bytes,
      modRevision: revision,
    });
    if (!this.kind.conversion) later.#written = this.#object ?? this.#written;
    return later;
  }
}

const encoder = new TextEncoder();

/** What the JSON of every object of a kind begins with; in a list it stands there once. */
export const jsonHead = (kind: AnyKind): string =>
  `{"kind":"${kind.kind}","apiVersion":"${apiVersionOf(kind)}",`;

/** Objects that are being written, by the very bytes that will stand for them in the store. */
const writing = new Map<Uint8Array, ApiObject>();

/**
 * Runs a write of an object's bytes. Whoever sees them meanwhile, the cache above all, need not
 * decode them.
 */
export async function whileWriting<T>(
  kind: AnyKind,
  object: ApiObject,
  write: (bytes: Uint8Array) => Promise<T>,
): Promise<T> {
  const form = storedForm(kind, object);
  const bytes = toBytes(storedKind(kind), form);
  writing.set(bytes, form);
  try {
    return await write(bytes);
  } finally {
    writing.delete(bytes);
  }
}

/** The bytes that an object is stored as: upstream's protobuf envelope, without resourceVersion. */
function toBytes(kind: AnyKind, object: ApiObject): Uint8Array {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return envelopeAround({ apiVersion: apiVersionOf(kind), kind: kind.kind }, (writer) =>
    writeMessage(writer, kind.struct, { ...object, metadata }),
  );
}

function storedForm(kind: AnyKind, object: ApiObject): ApiObject {
  const { conversion } = kind;
  if (!conversion) return object;
  return canonicalise(conversion.stored.struct, conversion.toStored(object as never)) as ApiObject;
}

/** The kind that objects of a kind are stored as. */
export const storedKind = (kind: AnyKind): AnyKind =>
  (kind.conversion?.stored as AnyKind | undefined) ?? kind;

function decode(kind: AnyKind, bytes: Uint8Array): ApiObject {
  const { raw } = openEnvelope(bytes);
  const { metadata, ...fields } = decodeProtobuf(kind.struct, raw) as Omit<
    ApiObject,
    "kind" | "apiVersion"
  >;
  const object = { kind: kind.kind, apiVersion: apiVersionOf(kind), metadata, ...fields };
  kind.strategy.restore?.(object as never);
  return object;
}

/** The object with its version set, in its place among the metadata. */
export function withVersion(object: ApiObject, revision: number): ApiObject {
  const metadata: Record<string, unknown> = {};
  let placed = false;
  for (const name in object.metadata) {
    if (!placed && !beforeVersion.has(name)) {
      metadata.resourceVersion = String(revision);
      placed = true;
    }
    if (name !== "resourceVersion") metadata[name] = object.metadata[name as keyof ObjectMeta];
  }
  if (!placed) metadata.resourceVersion = String(revision);
  return { ...object, metadata };
}

/** What stands before the version in metadata. */
const beforeVersion = new Set(["name", "generateName", "namespace", "selfLink", "uid"]);
