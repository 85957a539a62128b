import {
  type BackwardWriter,
  WireError,
  WireReader,
  withWriter,
} from "../../base/protobuf-wire.ts";

/** What Kubernetes puts around protobuf: magic bytes, then the kind and the message. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

const magic = [0x6b, 0x38, 0x73, 0x00];
const magicBytes = Uint8Array.from(magic);

/** `k8s\0` and runtime.Unknown around a message, as Go writes it. */
export function envelope({ raw, ...meta }: Envelope): Uint8Array {
  return envelopeAround(meta, (writer) => writer.raw(raw));
}

/** The same around a message that is still to be written. */
export function envelopeAround(
  { apiVersion, kind }: Omit<Envelope, "raw">,
  write: (writer: BackwardWriter) => void,
): Uint8Array {
  return withWriter((writer) => {
    writer.delimited(4, writer.length);
    writer.delimited(3, writer.length);
    const message = writer.length;
    write(writer);
    writer.delimited(2, message);
    const meta = writer.length;
    writer.string(kind);
    writer.delimited(2, meta);
    const version = writer.length;
    writer.string(apiVersion);
    writer.delimited(1, version);
    writer.delimited(1, meta);
    writer.raw(magicBytes);
  });
}

/** Whether bytes begin as Kubernetes' protobuf does. */
export const isEnvelope = (bytes: Uint8Array): boolean =>
  magic.every((byte, i) => bytes[i] === byte);

export function openEnvelope(bytes: Uint8Array): Envelope {
  if (!isEnvelope(bytes))
    throw new WireError(
      "provided data does not appear to be a protobuf message, expected prefix k8s\\x00",
      0,
    );
  const reader = new WireReader(bytes, magic.length);
  let raw: Uint8Array = new Uint8Array();
  let apiVersion = "";
  let kind = "";
  while (reader.at < bytes.length) {
    const tag = reader.varint();
    if (tag === 10) {
      const end = reader.delimited();
      while (reader.at < end) {
        const inner = reader.varint();
        if (inner === 10) apiVersion = reader.string();
        else if (inner === 18) kind = reader.string();
        else reader.skip(inner % 8);
      }
    } else if (tag === 18) raw = reader.raw();
    else reader.skip(tag % 8);
  }
  return { apiVersion, kind, raw };
}
