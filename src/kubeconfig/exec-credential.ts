import { createPrivateKey, X509Certificate } from "node:crypto";
import { isMap } from "../schema/json/json-value.ts";
import { quote } from "../schema/values/quote.ts";
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

/** Parses the output of a credential plugin; errors never quote more of it than kind and version. */
export function parseExecAnswer(apiVersion: string, text: string): ExecAnswer {
  const document = read(text);
  const { version, kind } = typeOf(document);
  if (kind !== "ExecCredential" || !knownVersions.has(version))
    throw new Error(
      `decoding stdout: no kind ${quote(kind)} is registered for version ${quote(version)} in scheme "k8s.io/client-go/plugin/pkg/client/auth/exec/exec.go:64"`,
    );
  if (version !== apiVersion)
    throw new Error(
      `exec plugin is configured to use API version ${apiVersion}, plugin returned version ${version}`,
    );
  const { status } = document;
  if (!isMap(status)) throw new Error("exec plugin didn't return a status field");
  const token = textOf(status, "token");
  const cert = textOf(status, "clientCertificateData");
  const key = textOf(status, "clientKeyData");
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
    // The cause is left out: it could quote the credential.
    throw new Error(
      /^\s*\{/.test(text)
        ? `${noType}; json parse error: invalid JSON`
        : "decoding stdout: yaml: invalid YAML",
    );
  }
  if (document === null || document === undefined) return {};
  if (!isMap(document))
    throw new Error(
      `${noType}; json parse error: json: cannot unmarshal ${jsonTypeOf(document)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  return document;
}

const noType = "decoding stdout: couldn't get version/kind";

const group = "client.authentication.k8s.io";
const internalVersion = `${group}/__internal`;
const knownVersions = new Set([internalVersion, `${group}/v1beta1`, `${group}/v1`]);

/** What a document says of its type; a credential of no version if it says nothing. */
function typeOf(document: Readonly<Record<string, unknown>>): {
  readonly version: string;
  readonly kind: string;
} {
  const [version, kind] = ["apiVersion", "kind"].map((name) => {
    const value = document[name] ?? "";
    if (typeof value === "string") return value;
    throw new Error(
      `${noType}; json parse error: json: cannot unmarshal ${jsonTypeOf(value)} into Go struct field .${name} of type string`,
    );
  });
  return { version: version || internalVersion, kind: kind || "ExecCredential" };
}

function textOf(status: Readonly<Record<string, unknown>>, name: string): string {
  const value = status[name] ?? "";
  if (typeof value === "string") return value;
  throw new Error(
    `decoding stdout: json: cannot unmarshal ${jsonTypeOf(value)} into Go struct field ExecCredentialStatus.status.${name} of type string`,
  );
}

/** The type of a value as Go's errors name it. */
function jsonTypeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value === "bigint" ? "number" : typeof value;
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
