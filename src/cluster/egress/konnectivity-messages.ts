import {
  bytes,
  field,
  int,
  int64,
  type Message,
  maybe,
  message,
  nested,
  text,
} from "../../base/protobuf-message.ts";
import type { GrpcMethod } from "../../platform/grpc/grpc-method.ts";

/** What a packet is. */
export const packetTypes = {
  dialRequest: 0,
  dialResponse: 1,
  closeRequest: 2,
  closeResponse: 3,
  data: 4,
  closeDial: 5,
} as const;

const Packet = message({
  type: field(1, int),
  dialRequest: maybe(
    2,
    nested(message({ protocol: field(1, text), address: field(2, text), random: field(3, int64) })),
  ),
  dialResponse: maybe(
    3,
    nested(message({ error: field(1, text), connectID: field(2, int64), random: field(3, int64) })),
  ),
  data: maybe(
    4,
    nested(message({ connectID: field(1, int64), error: field(2, text), data: field(3, bytes) })),
  ),
  closeRequest: maybe(5, nested(message({ connectID: field(1, int64) }))),
  closeResponse: maybe(6, nested(message({ error: field(1, text), connectID: field(2, int64) }))),
  closeDial: maybe(7, nested(message({ random: field(1, int64) }))),
});
export type Packet = ReturnType<typeof Packet.decode>;

/** A packet has one of these. */
export const noPacket = {
  dialRequest: undefined,
  dialResponse: undefined,
  data: undefined,
  closeRequest: undefined,
  closeResponse: undefined,
  closeDial: undefined,
};

const packets: Message<Packet> = Packet;

/** The method of a konnectivity server by which it opens connections. */
export const proxyStream: GrpcMethod<Packet, Packet> = {
  path: "/ProxyService/Proxy",
  request: packets,
  response: packets,
};
