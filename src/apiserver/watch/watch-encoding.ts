import { PartialObjectMetadata } from "../../api/meta/v1/partial-object-metadata.ts";
import { Status } from "../../api/meta/v1/status.ts";
import { type StatusError, statusOf } from "../../api/meta/v1/status-error.ts";
import { BackwardWriter } from "../../base/protobuf-wire.ts";
import { copyJson } from "../../schema/json/json-value.ts";
import { stringifyJson } from "../../schema/json/strict-json.ts";
import { apiVersionOf } from "../../schema/language/kind.ts";
import type { Struct } from "../../schema/language/struct.ts";
import { envelope } from "../../schema/protobuf/envelope.ts";
import { encodeProtobuf } from "../../schema/protobuf/protobuf.ts";
import { type AnyKind, type ApiObject, freeze, type ObjectDraft } from "../objects/object.ts";
import type { Stored } from "../objects/stored.ts";
import type { Negotiated } from "../request/negotiation.ts";
import type { WatchValue } from "../request/request.ts";
import { type IncludeObject, partial, tableOf } from "../request/table.ts";

export type EventType = "ADDED" | "MODIFIED" | "DELETED";

/** The object of an event: a stored one, or one that was computed. */
export type EventObject = Pick<Stored, "kind" | "object" | "json">;

/** Encodes the events of a watch, each as one frame. */
export interface WatchEncoding<Chunk = Uint8Array | string> {
  readonly contentType: string;
  /** Whether frames are text; others begin with their length in four bytes. */
  readonly isText: boolean;
  event(type: EventType, object: EventObject): Chunk;
  /** A bookmark: everything up to a revision was sent. */
  bookmark(revision: number, initialEnd: boolean): Chunk;
  error(error: StatusError): Chunk;
}

export interface WatchEncodingOptions {
  readonly accept: Negotiated;
  readonly includeObject: IncludeObject;
  now(): number;
}

/** The encoding that a client requested; undefined if watches do not have it. */
export function watchEncoding(
  kind: AnyKind,
  options: WatchEncodingOptions,
): WatchEncoding | undefined {
  switch (options.accept.mediaType) {
    case "application/json":
      return jsonEncoding(kind, options);
    case "application/vnd.kubernetes.protobuf":
      return protobufEncoding(kind, options.accept);
    default:
      return undefined;
  }
}

/** Each event is a value, whose object is shared with other watchers. */
export function valueEncoding(
  kind: AnyKind,
  options: WatchEncodingOptions,
): WatchEncoding<WatchValue> {
  const transform = transformation(options);
  return {
    contentType: "application/json",
    isText: true,
    event: (type, { kind, object }) => ({ type, object: transform(kind, object) }),
    bookmark: (revision, initialEnd) => ({
      type: "BOOKMARK",
      object: transform(kind, bookmarkObject(kind, revision, initialEnd)),
    }),
    error: (error) => ({ type: "ERROR", object: statusOf(error) }),
  };
}

/** Converts an object to the requested form: the object itself, its metadata, or a table. */
function transformation({
  accept,
  includeObject,
  now,
}: WatchEncodingOptions): (kind: AnyKind, object: ApiObject) => object {
  if (accept.as === "") return (_, object) => object;
  if (wantsMetadata(accept))
    return (kind, object) => freeze(partial(object, accept.asVersion, kind));
  let headers = true;
  return (kind, object) => {
    const metadata = { resourceVersion: object.metadata.resourceVersion };
    const options = { now: now(), includeObject, version: accept.asVersion, headers, metadata };
    headers = false;
    return tableOf(kind, [object], options);
  };
}

/** Each event is a JSON document on a line. */
function jsonEncoding(kind: AnyKind, options: WatchEncodingOptions): WatchEncoding {
  if (options.accept.as === "") return plainEncoding(kind, options);
  const values = valueEncoding(kind, options);
  return {
    contentType: "application/json",
    isText: true,
    event: (type, object) => line(values.event(type, object)),
    bookmark: (revision, initialEnd) => line(values.bookmark(revision, initialEnd)),
    error: (error) => line(values.error(error)),
  };
}

/** The encoding of whole objects, which most watches use, is shared by all watches of a kind. */
function plainEncoding(kind: AnyKind, options: WatchEncodingOptions): WatchEncoding {
  let encoding = plainEncodings.get(kind);
  if (!encoding) {
    const { error } = valueEncoding(kind, options);
    encoding = {
      contentType: "application/json",
      isText: true,
      event: (type, object) => shared(jsonFrames, type, object),
      bookmark(revision, initialEnd) {
        const object = kind.form.encode(bookmarkObject(kind, revision, initialEnd));
        return `{"type":"BOOKMARK","object":${object}}\n`;
      },
      error: (fault) => line(error(fault)),
    };
    plainEncodings.set(kind, encoding);
  }
  return encoding;
}

const plainEncodings = new WeakMap<AnyKind, WatchEncoding>();

const line = (event: WatchValue): string => `${stringifyJson(event)}\n`;

/** Each event is a message behind its length in four bytes; the object in it has its envelope. */
function protobufEncoding(kind: AnyKind, accept: Negotiated): WatchEncoding {
  const whole = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  const metadataOnly = {
    apiVersion: `meta.k8s.io/${accept.asVersion}`,
    kind: "PartialObjectMetadata",
  };
  const partialFrame = (type: EventType | "BOOKMARK", metadata: object): Uint8Array =>
    protobufFrame(type, {
      ...metadataOnly,
      raw: encodeProtobuf(PartialObjectMetadata, { metadata }),
    });
  return {
    contentType: "application/vnd.kubernetes.protobuf;stream=watch",
    isText: false,
    event: (type, object) =>
      wantsMetadata(accept)
        ? partialFrame(type, object.object.metadata)
        : shared(protobufFrames, type, object),
    bookmark(revision, initialEnd) {
      const object = bookmarkObject(kind, revision, initialEnd);
      if (wantsMetadata(accept)) return partialFrame("BOOKMARK", object.metadata);
      return protobufFrame("BOOKMARK", { ...whole, raw: encodeProtobuf(declared(kind), object) });
    },
    error: (error) =>
      protobufFrame("ERROR", {
        apiVersion: "v1",
        kind: "Status",
        raw: encodeProtobuf(Status, statusOf(error)),
      }),
  };
}

function protobufFrame(type: string, object: Parameters<typeof envelope>[0]): Uint8Array {
  const enveloped = envelope(object);
  const writer = new BackwardWriter(enveloped.length + 32);
  // WatchEvent{type: 1, object: 2{raw: 1}}, back to front.
  writer.raw(enveloped);
  writer.delimited(1, 0);
  writer.delimited(2, 0);
  const mark = writer.length;
  writer.string(type);
  writer.delimited(1, mark);
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, writer.length);
  writer.raw(length);
  return writer.finish();
}

/** Only declared kinds can be encoded in protobuf. */
function declared({ kind, struct }: AnyKind): Struct {
  if (!struct) throw new TypeError(`${kind} has no form in protobuf`);
  return struct;
}

const wantsMetadata = ({ as }: Negotiated): boolean =>
  as === "PartialObjectMetadata" || as === "PartialObjectMetadataList";

/** The object of a bookmark: an empty object of the kind with a version. */
function bookmarkObject(kind: AnyKind, revision: number, initialEnd: boolean): ApiObject {
  const empty = kind.form.canonical({
    kind: kind.kind,
    apiVersion: apiVersionOf(kind),
    metadata: {
      resourceVersion: String(revision),
      ...(initialEnd && { annotations: { "k8s.io/initial-events-end": "true" } }),
    },
  });
  if (!kind.strategy.fillEmpty) return freeze(empty as ApiObject);
  const draft = copyJson(empty) as ObjectDraft;
  kind.strategy.fillEmpty(draft as never);
  return freeze(kind.form.canonical(draft) as ApiObject);
}

/** Encoded frames by object: all watchers of a change are sent the same bytes. */
interface Frames {
  readonly known: WeakMap<EventObject, Map<EventType, Uint8Array>>;
  make(type: EventType, object: EventObject): Uint8Array;
}

const jsonFrames: Frames = {
  known: new WeakMap(),
  make: (type, object) => concatenate(`{"type":"${type}","object":`, object.json),
};

const protobufFrames: Frames = {
  known: new WeakMap(),
  make: (type, { kind, object }) =>
    protobufFrame(type, {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      raw: encodeProtobuf(declared(kind), object),
    }),
};

function shared({ known, make }: Frames, type: EventType, object: EventObject): Uint8Array {
  let ofObject = known.get(object);
  if (!ofObject) {
    ofObject = new Map();
    known.set(object, ofObject);
  }
  let bytes = ofObject.get(type);
  if (!bytes) {
    bytes = make(type, object);
    ofObject.set(type, bytes);
  }
  return bytes;
}

const encoder = new TextEncoder();

function concatenate(head: string, json: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(head.length + json.length + 2);
  encoder.encodeInto(head, bytes);
  bytes.set(json, head.length);
  bytes.set([0x7d, 0x0a], head.length + json.length);
  return bytes;
}
