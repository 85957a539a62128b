import { decodeBase64 } from "../../../base/base64.ts";
import { isMap, type ReadonlyJsonMap } from "../../../schema/json/json-value.ts";
import { jsonValue, parseJson } from "../../../schema/json/strict-json.ts";
import type { DockerCredential } from "./image-credential.ts";

/** The credentials of a docker configuration, by registry or repository. */
export type DockerConfig = ReadonlyMap<string, DockerCredential>;

/** Parses docker's `config.json`; errors are in Go's words, and never quote credentials. */
export function parseDockerConfigJson(text: string): DockerConfig {
  const document = mapOf(parsed(text), "value of type credentialprovider.DockerConfigJSON");
  const type = "struct field DockerConfigJSON.auths of type credentialprovider.DockerConfig";
  return configOf(mapOf(document.auths, type));
}

/** Parses the older `.dockercfg`, which holds nothing but credentials. */
export function parseDockercfg(text: string): DockerConfig {
  return configOf(mapOf(parsed(text), "value of type credentialprovider.DockerConfig"));
}

const parsed = (text: string): unknown => jsonValue(parseJson(text));

const configOf = (auths: ReadonlyJsonMap): DockerConfig =>
  new Map(Object.entries(auths).map(([place, entry]) => [place, entryOf(entry)]));

function entryOf(value: unknown): DockerCredential {
  const entry = mapOf(value, "value of type credentialprovider.dockerConfigEntryWithAuth");
  const [username, password, email, auth] = ["username", "password", "email", "auth"].map((name) =>
    textOf(entry[name], name),
  );
  return { ...(auth ? decodedAuth(auth) : { username, password }), ...(email && { email }) };
}

/** Both padded and unpadded base64 are in use. */
function decodedAuth(text: string): DockerCredential {
  const digits = text.trim().endsWith("=") ? text : padded(text.replaceAll(/[\r\n]/g, ""));
  const decoded = new TextDecoder().decode(decodeBase64(digits));
  const colon = decoded.indexOf(":");
  if (colon < 0)
    throw new Error("unable to parse auth field, must be formatted as base64(username:password)");
  return { username: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}

const padded = (digits: string): string => digits.padEnd(Math.ceil(digits.length / 4) * 4, "=");

function mapOf(value: unknown, type: string): ReadonlyJsonMap {
  if (value === undefined || value === null) return {};
  if (isMap(value)) return value;
  throw new Error(`json: cannot unmarshal ${goKind(value)} into Go ${type}`);
}

function textOf(value: unknown, name: string): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  const field = `struct field dockerConfigEntryWithAuth.${name} of type string`;
  throw new Error(`json: cannot unmarshal ${goKind(value)} into Go ${field}`);
}

function goKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value === "bigint" ? "number" : typeof value;
}
