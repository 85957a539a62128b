import type { ObjectMeta } from "../../api/meta/v1/object-meta.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { errorMessage } from "../../base/error-message.ts";
import { apiVersionOf } from "../../schema/language/kind.ts";
import { isEnvelope } from "../../schema/protobuf/envelope.ts";
import { isEncrypted } from "../../store/encryption/transformer.ts";
import type { Entry } from "../../store/store.ts";
import { type AnyKind, type ApiObject, freeze } from "./object.ts";

/** The entry of an object in the store. */
export type StoredEntry = Pick<Entry, "key" | "value" | "modRevision">;

/** The bytes of an object in the store cannot be decoded: they are damaged, or of another program. */
export class UnreadableObject extends Error {
  override readonly name = "UnreadableObject";
  readonly group: string;
  readonly plural: string;

  constructor({ group, plural }: AnyKind, key: string, cause: unknown) {
    super(`${key} cannot be decoded: ${errorMessage(cause)}`, { cause });
    this.group = group;
    this.plural = plural;
  }
}

/**
 * An object as it stands in the store at one revision: frozen, shared by reference; decoded and
 * encoded at most once, on first need.
 */
export class Stored {
  readonly kind: AnyKind;
  readonly key: string;
  readonly revision: number;
  readonly #bytes: Uint8Array;
  /** The decoded bytes, if this process has just written them. */
  #written: ApiObject | undefined;
  #object: ApiObject | undefined;
  /** The same, but only until `forget`. */
  #kept: ApiObject | undefined;
  #line: Uint8Array | undefined;
  /** A weak map, so that kinds that are no longer served can be collected. */
  #views: WeakMap<AnyKind, Stored> | undefined;
  /** The object before it was deleted, whose conversions hold for this one, too. */
  #before: Stored | undefined;

  /** `written` is the object of the bytes, if this process has just encoded it. */
  constructor(kind: AnyKind, entry: StoredEntry, written?: ApiObject) {
    this.kind = kind;
    this.key = entry.key;
    this.revision = entry.modRevision;
    this.#bytes = entry.value;
    this.#written = kind.form.completesStored ? undefined : written;
  }

  get object(): ApiObject {
    this.#object ??= this.takeObject();
    return this.#object;
  }

  /** The same for a single reader: the object is not cached, and decoded again for the next reader. */
  takeObject(): ApiObject {
    const known = this.#object ?? this.#kept;
    if (known) return known;
    const object = freeze(withVersion(this.kind, this.#decode(), this.revision));
    this.#written = undefined;
    return object;
  }

  /** The object, which is cached until `forget`: see RecentObjects. */
  keep(): ApiObject {
    this.#kept ??= this.takeObject();
    return this.#kept;
  }
  forget(): void {
    this.#kept = undefined;
  }
  get isKept(): boolean {
    return this.#kept !== undefined;
  }

  /** Whether its bytes can be decoded. Reading an object that cannot throws UnreadableObject. */
  get isReadable(): boolean {
    try {
      return this.object !== undefined;
    } catch {
      return false;
    }
  }

  /** The number of bytes in the store. */
  get size(): number {
    return this.#bytes.length;
  }

  /** The entry in the store. */
  get entry(): StoredEntry {
    return { key: this.key, value: this.#bytes, modRevision: this.revision };
  }

  /** The object as JSON, and a line feed. */
  get jsonLine(): Uint8Array {
    this.#line ??= encoder.encode(this.#text());
    return this.#line;
  }

  /** The same for a single reader, as in `takeObject`. */
  takeJson(): Uint8Array | string {
    const text = this.#line ?? this.#text();
    this.#written = undefined;
    return text;
  }

  #text(): string {
    const object =
      this.#object ?? this.#kept ?? withVersion(this.kind, this.#decode(), this.revision);
    return `${this.kind.form.encode(object)}\n`;
  }

  /** The object as JSON. */
  get json(): Uint8Array {
    return this.jsonLine.subarray(0, -1);
  }

  /** The JSON after the head, with which every object of the kind begins. */
  get jsonTail(): Uint8Array {
    return this.json.subarray(this.kind.form.head.length);
  }

  /** The same object as another kind that is stored in the same form. */
  as(kind: AnyKind): Stored {
    if (kind === this.kind) return this;
    this.#views ??= new WeakMap();
    let view = this.#views.get(kind);
    if (!view) {
      view = new Stored(kind, this.entry, this.#written);
      if (this.#before) view.#convertAs(this.#before.as(kind));
      this.#views.set(kind, view);
    }
    return view;
  }

  /** Whether a webhook must convert it before it can be read: see `convertStored`. */
  get needsConversion(): boolean {
    const { converter } = this.kind;
    if (!converter || this.#object) return false;
    return converter.versionOf(this.#bytes) !== apiVersionOf(this.kind);
  }

  /** The object in the version in which it is stored, which a webhook can convert. */
  get unconverted(): ApiObject {
    const { converter, versions } = this.kind;
    const version = converter?.versionOf(this.#bytes) ?? apiVersionOf(this.kind);
    const kind = versions?.get(version) as AnyKind | undefined;
    if (!kind) throw new StatusError("", `${invalidVersion}: ${version}`);
    return decode(kind, this.#bytes);
  }

  /** Takes the object of its kind into which it was converted. */
  setConverted(object: ApiObject): void {
    this.#object = freeze(withVersion(this.kind, object, this.revision));
  }

  #convertAs(other: Stored): void {
    if (other.#object) this.setConverted(other.#object);
  }

  #decode(): ApiObject {
    try {
      return this.#read();
    } catch (fault) {
      const cause = isEncrypted(this.#bytes) ? new Error(notDecrypted) : fault;
      throw new UnreadableObject(storedKind(this.kind), this.key, cause);
    }
  }

  #read(): ApiObject {
    const { kind } = this;
    const { conversion } = kind;
    if (!conversion) return this.#written ?? decode(kind, this.#bytes);
    const object = this.#written ?? decode(storedKind(kind), this.#bytes);
    return kind.form.canonical(conversion.fromStored(object as never)) as ApiObject;
  }

  /** The same object as of a later revision, at which it was deleted. */
  at(revision: number): Stored {
    const later = new Stored(this.kind, { ...this.entry, modRevision: revision });
    if (this.kind.converter) {
      later.#before = this;
      later.#convertAs(this);
    } else if (!this.kind.conversion) later.#written = this.#object ?? this.#kept ?? this.#written;
    return later;
  }
}

const encoder = new TextEncoder();
const notDecrypted = "no key of the encryption configuration decrypts it";
const invalidVersion = "request to convert CR from an invalid group/version";

/** An object in the form in which it is stored, and its bytes. */
export function encodeStored(
  kind: AnyKind,
  object: ApiObject,
  asJson = false,
): { readonly stored: ApiObject; readonly bytes: Uint8Array } {
  const stored = storedForm(kind, object);
  const written = unversioned(stored);
  const { form } = kind.conversion ? storedKind(kind) : kind;
  const bytes = form.toBytes(written);
  // Kinds that are stored as JSON anyway keep their form.
  return asJson && isEnvelope(bytes)
    ? { stored, bytes: encoder.encode(`${form.encode(written)}\n`) }
    : { stored, bytes };
}

/** An object without resourceVersion, as it is stored. */
function unversioned(object: ApiObject): ApiObject {
  if (object.metadata.resourceVersion === undefined) return object;
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function storedForm(kind: AnyKind, object: ApiObject): ApiObject {
  const { conversion } = kind;
  if (!conversion) return object;
  return conversion.stored.form.canonical(conversion.toStored(object as never)) as ApiObject;
}

/** The kind that objects of a kind are stored as. */
export const storedKind = (kind: AnyKind): AnyKind =>
  ((kind.storedAs ?? kind.conversion?.stored) as AnyKind | undefined) ?? kind;

function decode(kind: AnyKind, bytes: Uint8Array): ApiObject {
  const object = kind.form.fromBytes(bytes) as ApiObject;
  kind.strategy.restore?.(object as never);
  return object;
}

/** The object with its version set, in its place among the metadata. */
export function withVersion({ form }: AnyKind, object: ApiObject, revision: number): ApiObject {
  const metadata: Record<string, unknown> = {};
  let placed = false;
  for (const name in object.metadata) {
    if (!placed && !form.precedesVersion(name)) {
      metadata.resourceVersion = String(revision);
      placed = true;
    }
    if (name !== "resourceVersion") metadata[name] = object.metadata[name as keyof ObjectMeta];
  }
  if (!placed) metadata.resourceVersion = String(revision);
  return { ...object, metadata };
}
