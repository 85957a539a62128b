import {
  bool,
  int32,
  list,
  message,
  named,
  string,
  stringMap,
  strings,
  value,
} from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { ObjectReference } from "../../core/v1/object-reference.ts";

export const EndpointConditions = struct("io.k8s.api.discovery.v1.EndpointConditions", {
  ready: bool(1).pointer().doc("Whether it should get traffic; if not known, it should."),
  serving: bool(2).pointer().doc("Whether it could get traffic, also while it is ending."),
  terminating: bool(3).pointer().doc("Whether it is ending."),
}).doc("The state of an endpoint.");
export interface EndpointConditions extends Infer<typeof EndpointConditions> {}

export const ForZone = struct("io.k8s.api.discovery.v1.ForZone", {
  name: string(1).always().expected().doc("Name of the zone."),
}).doc("A zone whose traffic an endpoint should get.");
export interface ForZone extends Infer<typeof ForZone> {}

export const ForNode = struct("io.k8s.api.discovery.v1.ForNode", {
  name: string(1).always().expected().doc("Name of the node."),
}).doc("A node whose traffic an endpoint should get.");
export interface ForNode extends Infer<typeof ForNode> {}

export const EndpointHints = struct("io.k8s.api.discovery.v1.EndpointHints", {
  forZones: list(1, ForZone).atomic().doc("Zones whose traffic the endpoint should get."),
  forNodes: list(2, ForNode).atomic().doc("Nodes whose traffic the endpoint should get."),
}).doc("Where the traffic of an endpoint should come from.");
export interface EndpointHints extends Infer<typeof EndpointHints> {}

export const Endpoint = struct("io.k8s.api.discovery.v1.Endpoint", {
  addresses: strings(1)
    .always()
    .expected()
    .set()
    .doc("Addresses of the endpoint, all of them the same to clients."),
  conditions: value(2, EndpointConditions).doc("The state of the endpoint."),
  hostname: string(3).pointer().doc("A name by which clients can tell the endpoint from others."),
  targetRef: message(4, ObjectReference).doc("The object that provides the endpoint."),
  deprecatedTopology: stringMap(5).doc("Where the endpoint is, as an older version told it."),
  nodeName: string(6).pointer().doc("The node that hosts the endpoint."),
  zone: string(7).pointer().doc("The zone in which the endpoint is."),
  hints: message(8, EndpointHints).doc("Where its traffic should come from."),
}).doc("One place that traffic can be sent to.");
export interface Endpoint extends Infer<typeof Endpoint> {}

export const EndpointPort = struct("io.k8s.api.discovery.v1.EndpointPort", {
  name: string(1).pointer().default("").doc("The name of the port; each comes once."),
  protocol: named(2, "v1.Protocol")
    .pointer()
    .known("TCP", "UDP", "SCTP")
    .default("TCP")
    .doc("The protocol of the port."),
  port: int32(3).pointer().doc("The number of the port; without it, all ports are meant."),
  appProtocol: string(4).pointer().doc("What is spoken on top of the protocol."),
})
  .atomic()
  .doc("A port that all endpoints of a slice have.");
export interface EndpointPort extends Infer<typeof EndpointPort> {}
