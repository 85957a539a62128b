import type { At } from "../../../schema/language/report.ts";
import {
  isDns1035Label,
  isDns1123Subdomain,
  isQualifiedName,
  type Messages,
  nameIsDnsSubdomain,
  regexError,
} from "../../../schema/values/names.ts";
import type {
  ServerStorageVersion,
  StorageVersionCondition,
  StorageVersionStatus,
} from "./storage-version.ts";

/** The rules of what the API servers tell. */
export function validateStorageVersionStatus(status: StorageVersionStatus, at: At): void {
  const servers = new Set<string>();
  for (const [i, version] of (status.storageVersions ?? []).entries()) {
    const here = at.child("storageVersions").index(i);
    const id = version.apiServerID ?? "";
    if (servers.has(id)) here.duplicate("apiServerID", id);
    servers.add(id);
    validateServerVersion(version, here);
  }
  validateCommonVersion(status, at);
  validateConditions(status.conditions ?? [], at);
}

function validateServerVersion(version: ServerStorageVersion, at: At): void {
  const { apiServerID = "", encodingVersion = "" } = version;
  const { decodableVersions = [], servedVersions = [] } = version;
  at.invalidEach("apiServerID", apiServerID, nameIsDnsSubdomain(apiServerID));
  validateApiVersion(encodingVersion, at.child("encodingVersion"));
  for (const [i, decodable] of decodableVersions.entries())
    validateApiVersion(decodable, at.child("decodableVersions").index(i));
  if (!decodableVersions.includes(encodingVersion))
    at.invalid(
      "decodableVersions",
      version.decodableVersions,
      `decodableVersions must include encodingVersion ${encodingVersion}`,
    );
  for (const [i, served] of servedVersions.entries()) {
    const here = at.child("servedVersions").index(i);
    validateApiVersion(served, here);
    if (!decodableVersions.includes(served))
      here.invalid(
        "",
        served,
        `individual served version : ${served} must be included in decodableVersions : [${decodableVersions.join(" ")}]`,
      );
  }
}

function validateCommonVersion(
  { storageVersions = [], commonEncodingVersion: told }: StorageVersionStatus,
  at: At,
): void {
  const versions = new Set(storageVersions.map(({ encodingVersion = "" }) => encodingVersion));
  const [actual] = versions.size === 1 ? versions : [];
  if (told === actual) return;
  if (actual === undefined)
    at.invalid(
      "commonEncodingVersion",
      told,
      "should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet",
    );
  else if (told === undefined)
    at.invalid("commonEncodingVersion", null, `the common encoding version is ${actual}`);
  else at.invalid("commonEncodingVersion", told, `the actual common encoding version is ${actual}`);
}

/** Upstream names the place of a condition without the word `conditions`. */
function validateConditions(conditions: readonly StorageVersionCondition[], at: At): void {
  const seen = new Map<string, number>();
  for (const [i, { type, status, reason, message }] of conditions.entries()) {
    const here = at.index(i);
    const first = seen.get(type);
    if (first !== undefined)
      here.invalid(
        "type",
        type,
        `the type of the condition is not unique, it also appears in conditions[${first}]`,
      );
    seen.set(type, i);
    here.invalidEach("type", type, isQualifiedName(type));
    here.invalidEach("status", status, isQualifiedName(status));
    if (!reason) here.required("reason");
    if (!message) here.required("message");
  }
}

function validateApiVersion(apiVersion: string, at: At): void {
  const messages = apiVersionFaults(apiVersion);
  if (messages.length > 0) at.invalid("", apiVersion, messages.join(","));
}

/** What is wrong with `version` or `group/version`. */
function apiVersionFaults(apiVersion: string): Messages {
  const parts = apiVersion.split("/");
  if (parts.length > 2) return [tooManyParts];
  const version = parts.at(-1) ?? "";
  const group = parts.length === 2 ? parts[0] : undefined;
  return [
    ...(group === undefined ? [] : partFaults("group", group, isDns1123Subdomain)),
    ...partFaults("version", version, isDns1035Label),
  ];
}

const partFaults = (part: string, text: string, rule: (text: string) => Messages): Messages =>
  (text === "" ? ["must be non-empty"] : rule(text)).map((message) => `${part} part: ${message}`);

const label = regexError(
  "a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  "[a-z]([-a-z0-9]*[a-z0-9])?",
  ["my-name", "abc-123"],
);
const tooManyParts = `an apiVersion is ${label} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')`;
