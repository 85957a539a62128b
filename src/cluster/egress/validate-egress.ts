import { At } from "../../schema/language/report.ts";
import type {
  Connection,
  EgressSelectorConfiguration,
  TCPTransport,
  TLSConfig,
  Transport,
} from "./egress-configuration.ts";

/** The networks that can be selected. */
const egressNames = ["cluster", "controlplane", "etcd"] as const;
export type EgressName = (typeof egressNames)[number];

const protocols = ["Direct", "HTTPConnect", "GRPC"];

/** The problems of a configuration, in upstream's words; `exists` says whether a file is there. */
export function validateEgress(
  { egressSelections = [] }: EgressSelectorConfiguration,
  exists: (path: string) => boolean,
): string[] {
  const root = At.root();
  // Upstream names no item here, so that all problems are at the same place.
  const at = root.child("service").child("connection");
  for (const { connection = {} } of egressSelections) validateConnection(at, connection, exists);
  const seen = new Set<string>();
  for (const [i, { name = "" }] of egressSelections.entries()) {
    const canonical = name.toLowerCase();
    if (seen.has(canonical)) at.index(i).duplicate("", canonical);
    else if (!egressNames.some((known) => known === canonical))
      at.notSupported("", canonical, egressNames);
    seen.add(canonical);
  }
  return root.errors.map(({ field, message }) => `${field}: ${message}`);
}

function validateConnection(
  at: At,
  { proxyProtocol = "", transport }: Connection,
  exists: (path: string) => boolean,
): void {
  if (proxyProtocol === "Direct") {
    if (transport) at.invalid("transport", "direct", "config must be absent for direct connect");
  } else if (!protocols.includes(proxyProtocol)) {
    at.notSupported("protocol", proxyProtocol, protocols);
  } else if (!transport) {
    at.required("transport", `transport must be set for ${proxyProtocol}`);
  } else if (proxyProtocol === "GRPC") {
    if (transport.uds) validateSocket(at, transport.uds);
    else at.required("uds", "UDS must be set with GRPC");
  } else validateConnect(at, transport, exists);
}

function validateConnect(at: At, { tcp, uds }: Transport, exists: (path: string) => boolean): void {
  if (tcp && uds) at.invalid("tcp", goForm(tcp), "TCP and UDS cannot both be set");
  else if (tcp) validateTcp(at, tcp, exists);
  else if (uds) validateSocket(at, uds);
  else at.required("tcp", "One of TCP or UDS must be set");
}

/** A transport as Go writes it in errors: by the names of its fields. */
const goForm = ({ url = "", tlsConfig: tls }: TCPTransport) => ({
  URL: url,
  TLSConfig: tls
    ? {
        CABundle: tls.caBundle ?? "",
        ClientKey: tls.clientKey ?? "",
        ClientCert: tls.clientCert ?? "",
        TLSServerName: tls.tlsServerName ?? "",
      }
    : null,
});

function validateSocket(at: At, { udsName = "" }: { readonly udsName?: string | undefined }): void {
  if (udsName === "") at.invalid("udsName", "nil", "must be present for UDS connections");
}

function validateTcp(
  at: At,
  { url = "", tlsConfig }: TCPTransport,
  exists: (path: string) => boolean,
): void {
  if (url.startsWith("http://")) {
    if (tlsConfig) at.invalid("tlsConfig", "nil", "config must not be present when using HTTP");
  } else if (!url.startsWith("https://"))
    at.invalid("url", url, "supported connection protocols are http:// and https://");
  else if (!tlsConfig) at.required("tlsConfig", "TLSConfig must be present when using HTTPS");
  else validateTls(at.child("tlsConfig"), tlsConfig, exists);
}

function validateTls(
  at: At,
  { caBundle = "", clientCert = "", clientKey = "" }: TLSConfig,
  exists: (path: string) => boolean,
): void {
  if (caBundle !== "" && !exists(caBundle))
    at.invalid("caBundle", caBundle, "TLS config ca bundle does not exist");
  if (clientCert === "") at.invalid("clientCert", "nil", "Using TLS requires clientCert");
  else if (!exists(clientCert))
    at.invalid("clientCert", clientCert, "TLS client cert does not exist");
  if (clientKey === "") at.invalid("clientKey", "nil", "Using TLS requires requires clientKey");
  else if (!exists(clientKey)) at.invalid("clientKey", clientKey, "TLS client key does not exist");
}
