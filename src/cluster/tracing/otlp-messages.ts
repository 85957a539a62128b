import {
  bytes,
  double,
  type FieldType,
  field,
  int,
  type Message,
  maybe,
  message,
  nested,
  repeated,
  text,
} from "../../base/protobuf-message.ts";
import type { GrpcMethod } from "../../platform/grpc/grpc-method.ts";

/** Sixty-four bits of a fixed size; a number of floating point has them, too. */
const fixed64: FieldType<bigint> = {
  ...{ name: "fixed64", wireType: 1, absent: 0n },
  isAbsent: (value) => value === 0n,
  write(writer, value) {
    view.setBigUint64(0, value);
    double.write(writer, view.getFloat64(0));
  },
  read(reader) {
    view.setFloat64(0, double.read(reader));
    return view.getBigUint64(0);
  },
};
const view = new DataView(new ArrayBuffer(8));

const AnyValue = message({ string_value: maybe(1, text), int_value: maybe(3, int) });
const KeyValue = message({ key: field(1, text), value: maybe(2, nested(AnyValue)) });
const attributes = (tag: number) => repeated(tag, nested(KeyValue));
const Link = message({ trace_id: field(1, bytes), span_id: field(2, bytes) });
const Span = message({
  trace_id: field(1, bytes),
  span_id: field(2, bytes),
  parent_span_id: field(4, bytes),
  name: field(5, text),
  kind: field(6, int),
  start_time_unix_nano: field(7, fixed64),
  end_time_unix_nano: field(8, fixed64),
  attributes: attributes(9),
  links: repeated(13, nested(Link)),
  status: maybe(15, nested(message({ message: field(2, text), code: field(3, int) }))),
});
const ScopeSpans = message({
  scope: maybe(1, nested(message({ name: field(1, text), version: field(2, text) }))),
  spans: repeated(2, nested(Span)),
});
const ResourceSpans = message({
  resource: maybe(1, nested(message({ attributes: attributes(1) }))),
  scope_spans: repeated(2, nested(ScopeSpans)),
});
const ExportRequest = message({ resource_spans: repeated(1, nested(ResourceSpans)) });
const ExportResponse: Message<object> = message({});

/** The method by which a collector of traces takes spans (OTLP). */
export const exportSpans: GrpcMethod<
  ReturnType<typeof ExportRequest.decode>,
  ReturnType<typeof ExportResponse.decode>
> = {
  path: "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
  request: ExportRequest,
  response: ExportResponse,
};
