import { RangeAllocation } from "../../api/core/v1/range-allocation.ts";
import { decodeBase64, encodeBase64 } from "../../base/base64.ts";
import { envelope, openEnvelope } from "../../schema/protobuf/envelope.ts";
import { encodeProtobuf } from "../../schema/protobuf/protobuf.ts";
import { decodeProtobuf } from "../../schema/protobuf/protobuf-decode.ts";

/** A stored range with a bitmap of its allocated values. */
export interface SharedRange {
  readonly range: string;
  readonly data: Uint8Array;
}

/** The bytes that a shared range is stored as. */
export function encodeSharedRange({ range, data }: SharedRange): Uint8Array {
  const object = { metadata: {}, range, data: encodeBase64(data) };
  return envelope({
    apiVersion: "v1",
    kind: "RangeAllocation",
    raw: encodeProtobuf(RangeAllocation, object),
  });
}

export function decodeSharedRange(bytes: Uint8Array): SharedRange {
  const object = decodeProtobuf(RangeAllocation, openEnvelope(bytes).raw) as RangeAllocation;
  return { range: object.range ?? "", data: decodeBase64(object.data ?? "") };
}
