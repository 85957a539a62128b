import type { ServerOptions } from "node:https";
import type { Limits } from "./limits.ts";

/** How TLS is spoken, beside the certificates. */
export function tlsOptions(limits: Limits): ServerOptions {
  return {
    ALPNProtocols: ["h2", "http/1.1"],
    minVersion: "TLSv1.2",
    requestCert: true,
    // A client without a valid certificate may still send a token.
    rejectUnauthorized: false,
    handshakeTimeout: limits.headersTimeout,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: limits.keepAliveDelay,
  };
}

/** How HTTP/1.1 is read. */
export function http1Options(limits: Limits): ServerOptions {
  return {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeout,
    requestTimeout: limits.headersTimeout + limits.bodyTimeout,
    keepAliveTimeout: limits.idleTimeout,
    // headFault checks it, with Go's message.
    requireHostHeader: false,
  };
}
