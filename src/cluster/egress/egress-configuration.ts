import { list, message, named, string } from "../../schema/language/field.ts";
import { type Infer, struct } from "../../schema/language/struct.ts";

const prefix = "io.k8s.apiserver.v1beta1";

const TLSConfig = struct(`${prefix}.TLSConfig`, {
  caBundle: string(1).doc("The file with the authorities of the proxy."),
  clientKey: string(2).doc("The file with the key of our client certificate."),
  clientCert: string(3).doc("The file with our client certificate."),
  tlsServerName: string(4).doc("The name that the proxy's certificate must have."),
}).doc("How the proxy is verified, and who we are.");
export interface TLSConfig extends Infer<typeof TLSConfig> {}

const TCPTransport = struct(`${prefix}.TCPTransport`, {
  url: string(1).doc("The URL of the proxy."),
  tlsConfig: message(2, TLSConfig).pointer().doc("The files of TLS, for https."),
}).doc("A proxy that is reached by TCP.");
export interface TCPTransport extends Infer<typeof TCPTransport> {}

const UDSTransport = struct(`${prefix}.UDSTransport`, {
  udsName: string(1).doc("The path of the proxy's socket."),
}).doc("A proxy that is reached by a Unix socket.");

const Transport = struct(`${prefix}.Transport`, {
  tcp: message(1, TCPTransport).pointer().doc("A proxy that is reached by TCP."),
  uds: message(2, UDSTransport).pointer().doc("A proxy that is reached by a Unix socket."),
}).doc("How the proxy is reached.");
export interface Transport extends Infer<typeof Transport> {}

const Connection = struct(`${prefix}.Connection`, {
  proxyProtocol: named(1, "v1beta1.ProtocolType").doc("Direct, HTTPConnect or GRPC."),
  transport: message(2, Transport).pointer().doc("How the proxy is reached."),
}).doc("How connections are made.");
export interface Connection extends Infer<typeof Connection> {}

const EgressSelection = struct(`${prefix}.EgressSelection`, {
  name: string(1).doc("The connections that this is about: controlplane, cluster or etcd."),
  connection: message(2, Connection).doc("How they are made."),
}).doc("How the connections of a network are made.");

/** The file by which the API server connects to others through proxies. */
export const EgressSelectorConfiguration = struct(`${prefix}.EgressSelectorConfiguration`, {
  egressSelections: list(1, EgressSelection).doc("The networks that are reached otherwise."),
  kind: string(101).doc("EgressSelectorConfiguration"),
  apiVersion: string(102).doc("apiserver.k8s.io/v1beta1"),
}).doc("Through which proxies the API server connects to others.");
export interface EgressSelectorConfiguration extends Infer<typeof EgressSelectorConfiguration> {}
