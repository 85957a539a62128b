import { createPrivateKey, X509Certificate } from "node:crypto";
import { isMap } from "../schema/json/json-value.ts";
import { yamlToJson } from "../schema/yaml/yaml.ts";
import type { Identity } from "./credentials.ts";
import type { Cluster } from "./kubeconfig.ts";

/** The cluster information for a credential plugin. */
export interface ExecCluster extends Omit<Cluster, "certificate-authority" | "extensions"> {
  readonly config?: unknown;
}

/** The content of `KUBERNETES_EXEC_INFO` for a credential plugin. */
export function execInfo(
  apiVersion: string,
  spec: { readonly cluster?: ExecCluster | undefined; readonly interactive: boolean },
): string {
  return `${JSON.stringify({ kind: "ExecCredential", apiVersion, spec })}\n`;
}

/** The credentials of a plugin, and when they expire, in milliseconds since the epoch. */
export interface ExecAnswer {
  readonly identity: Identity;
  readonly expires: number | undefined;
}

/** Parses the output of a credential plugin; errors never quote it. */
export function parseExecAnswer(apiVersion: string, text: string): ExecAnswer {
  const document = read(text);
  if (document.kind !== "ExecCredential" || typeof document.apiVersion !== "string")
    throw new Error("decoding stdout: it is no ExecCredential");
  if (document.apiVersion !== apiVersion)
    throw new Error(
      `exec plugin is configured to use API version ${apiVersion}, plugin returned version ${document.apiVersion}`,
    );
  const { status } = document;
  if (!isMap(status)) throw new Error("exec plugin didn't return a status field");
  const token = textOf(status.token);
  const cert = textOf(status.clientCertificateData);
  const key = textOf(status.clientKeyData);
  if (token === "" && cert === "" && key === "")
    throw new Error("exec plugin didn't return a token or cert/key pair");
  if ((cert === "") !== (key === ""))
    throw new Error("exec plugin returned only certificate or key, not both");
  if (cert !== "") checkPair(cert, key);
  return {
    identity: {
      ...(token !== "" && { authorization: `Bearer ${token}` }),
      ...(cert !== "" && { cert, key }),
    },
    expires: expiry(status.expirationTimestamp),
  };
}

function read(text: string): Readonly<Record<string, unknown>> {
  let document: unknown;
  try {
    document = yamlToJson(text, { lenient: true });
  } catch {
    throw new Error("decoding stdout: it is neither JSON nor YAML");
  }
  if (!isMap(document)) throw new Error("decoding stdout: it is no ExecCredential");
  return document;
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "string") throw new Error("decoding stdout: a credential must be a string");
  return value;
}

function expiry(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time))
    throw new Error("decoding stdout: expirationTimestamp is no time as RFC 3339 has it");
  return time;
}

/** The cause is left out of the message: it could quote the key. */
function checkPair(cert: string, key: string): void {
  try {
    if (new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) return;
  } catch {
    throw new Error("failed parsing client key/certificate: they cannot be read as PEM");
  }
  throw new Error(
    "failed parsing client key/certificate: tls: private key does not match public key",
  );
}
