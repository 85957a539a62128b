import { isIP } from "node:net";
import { type DialTarget, hostPort } from "../base/network.ts";

/** The error for a connection that could not be opened, in Go's words, which users know and search for. */
export function dialMessage(target: DialTarget, error: unknown): string {
  const fault = first(error);
  const { code = "", address, message } = fault;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return `dial tcp: lookup ${target.host}: ${code === "ENOTFOUND" ? "no such host" : "Temporary failure in name resolution"}`;
  const place = hostPort(address ?? target.host, target.port);
  const refused = connectFaults[code];
  if (refused !== undefined) return `dial tcp ${place}: ${refused}`;
  const unverified = certificateFault(target, fault);
  if (unverified !== undefined) return `tls: failed to verify certificate: x509: ${unverified}`;
  const alert = alertOf(message);
  if (alert !== undefined) return `remote error: tls: ${alert}`;
  if (/wrong version number|packet length too long/.test(message))
    return "http: server gave HTTP response to HTTPS client";
  if (code === "ECONNRESET" && target.tls) return "EOF";
  return message;
}

/** The error for an open connection that broke, in Go's words, too. */
export function brokenMessage(error: Error): string {
  const { code = "", message } = error as Fault;
  if (code === "ECONNRESET") return "read: connection reset by peer";
  if (code === "EPIPE") return "write: broken pipe";
  const alert = alertOf(message);
  return alert === undefined ? message : `remote error: tls: ${alert}`;
}

/** TLS alerts by their numbers. */
function alertOf(message: string): string | undefined {
  const [, number] = /SSL alert number (\d+)/.exec(message) ?? [];
  return number === undefined ? undefined : (alerts[number] ?? `alert(${number})`);
}

const alerts: Readonly<Record<string, string>> = {
  40: "handshake failure",
  42: "bad certificate",
  43: "unsupported certificate",
  44: "revoked certificate",
  45: "expired certificate",
  46: "unknown certificate",
  48: "unknown certificate authority",
  49: "access denied",
  70: "protocol version not supported",
  80: "internal error",
  112: "unrecognized name",
  116: "certificate required",
};

interface Fault {
  readonly code?: string;
  readonly message: string;
  readonly address?: string;
  readonly cert?: { readonly subjectaltname?: string; readonly valid_to?: string };
}

/** Where several addresses were tried, the first error says most. */
function first(error: unknown): Fault {
  if (error instanceof AggregateError && error.errors.length > 0) return first(error.errors[0]);
  return error instanceof Error ? (error as Fault) : { message: String(error) };
}

const connectFaults: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connect: connection refused",
  EHOSTUNREACH: "connect: no route to host",
  ENETUNREACH: "connect: network is unreachable",
  ETIMEDOUT: "connect: connection timed out",
  EACCES: "connect: permission denied",
  EADDRNOTAVAIL: "connect: cannot assign requested address",
  EINVAL: "connect: invalid argument",
};

const unknownAuthority: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "CERT_SIGNATURE_FAILURE",
]);

function certificateFault({ host, tls }: DialTarget, { code = "", cert }: Fault) {
  if (unknownAuthority.has(code)) return "certificate signed by unknown authority";
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID")
    return "certificate has expired or is not yet valid";
  if (code !== "ERR_TLS_CERT_ALTNAME_INVALID") return undefined;
  const wanted = tls?.serverName ?? host;
  const kind = isIP(wanted) === 0 ? "DNS:" : "IP Address:";
  const names = (cert?.subjectaltname ?? "")
    .split(", ")
    .filter((name) => name.startsWith(kind))
    .map((name) => name.slice(kind.length));
  if (names.length > 0) return `certificate is valid for ${names.join(", ")}, not ${wanted}`;
  if (isIP(wanted) !== 0)
    return `cannot validate certificate for ${wanted} because it doesn't contain any IP SANs`;
  return `certificate is not valid for any names, but wanted to match ${wanted}`;
}
