import { decodeBase64, decodedSize, encodeBase64 } from "../../../base/base64.ts";
import { parseJson, setMember } from "../../../schema/json/strict-json.ts";
import { bool, mapOf, named, stringMap } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import type { Draft } from "../../../schema/language/struct.ts";
import { bytesType } from "../../../schema/language/type.ts";
import { sameValue } from "../../../schema/language/validate.ts";
import { isConfigMapKey, nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { quote } from "../../../schema/values/quote.ts";
import { sortedKeys } from "../../../schema/values/utf8-order.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { kind, type ObjectOf, type ObjectValue } from "../../meta/v1/kind.ts";
import { maxDataSize } from "./config-map.ts";
import { tlsPairFault } from "./secret-tls.ts";

/** On a token's secret: the service account that the token is for. */
const serviceAccountNameAnnotation = "kubernetes.io/service-account.name";

const fields = {
  immutable: bool(5).pointer().doc("Whether the data may no longer change."),
  data: mapOf(2, bytesType).doc("The values, by key."),
  stringData: stringMap(4).doc("Values that are text, by key; written only, and kept in data."),
  type: named(3, "v1.SecretType")
    .known(
      "Opaque",
      "kubernetes.io/service-account-token",
      "kubernetes.io/dockercfg",
      "kubernetes.io/dockerconfigjson",
      "kubernetes.io/basic-auth",
      "kubernetes.io/ssh-auth",
      "kubernetes.io/tls",
      "bootstrap.kubernetes.io/token",
    )
    .doc("What the secret is for, which says what keys it must have. Never changes."),
};
type Body = ObjectValue<typeof fields>;

export const Secret = kind({
  group: "",
  version: "v1",
  kind: "Secret",
  plural: "secrets",
  scope: "Namespaced",
  doc: "Values that are not for everybody, such as passwords and keys.",
  name: nameIsDnsSubdomain,
  fields,
  defaults(secret) {
    foldStringData(secret);
    secret.type ||= "Opaque";
  },
  rules: [dataRules, typeRules],
  updateRules(secret, old, { at, create }) {
    if ((secret.type ?? "") !== (old.type ?? ""))
      at.invalid("type", secret.type ?? "", "field is immutable");
    if (old.immutable) {
      const detail = "field is immutable when `immutable` is set";
      if (!secret.immutable) at.forbidden("immutable", detail);
      if (!sameValue(secret.data, old.data)) at.forbidden("data", detail);
    }
    create();
  },
  strategy: {
    prepare(secret, old) {
      if (!secret.type && old?.type) secret.type = old.type;
    },
    warnings({ type, data }) {
      if (type !== "kubernetes.io/tls") return [];
      const bytes = (key: string) => decodeBase64(data?.[key] ?? "");
      const fault = tlsPairFault(bytes("tls.crt"), bytes("tls.key"));
      return fault === undefined ? [] : [fault];
    },
  },
  columns: [
    nameColumn,
    {
      name: "Type",
      type: "string",
      description:
        "Used to facilitate programmatic handling of secret data. More info: https://kubernetes.io/docs/concepts/configuration/secret/#secret-types",
      cell: ({ type }) => type ?? "",
    },
    {
      name: "Data",
      type: "string",
      description:
        "Data contains the secret data. Each key must consist of alphanumeric characters, '-', '_' or '.'. The serialized form of the secret data is a base64 encoded string, representing the arbitrary (possibly non-string) data value here. Described in https://tools.ietf.org/html/rfc4648#section-4",
      cell: ({ data = {} }) => Object.keys(data).length,
    },
    ageColumn,
  ],
  selectableFields: { type: ({ type }) => type ?? "" },
});
export interface Secret extends ObjectOf<typeof Secret> {}

const encoder = new TextEncoder();

/** What is written as text becomes data, and wins over what stands there. */
function foldStringData(secret: Draft<Body>): void {
  const { stringData } = secret;
  delete secret.stringData;
  if (!stringData) return;
  const given: Record<string, string> = { ...secret.data };
  for (const [key, text] of Object.entries(stringData))
    setMember(given, key, encodeBase64(encoder.encode(text)));
  const data: Record<string, string> = {};
  for (const key of sortedKeys(given)) setMember(data, key, given[key]);
  secret.data = data;
}

function dataRules({ data = {} }: Body, at: At): void {
  const here = at.child("data");
  let size = 0;
  for (const [key, bytes] of Object.entries(data)) {
    here.key(key).invalidEach("", key, isConfigMapKey(key));
    size += decodedSize(bytes);
  }
  if (size > maxDataSize) here.tooLong("", maxDataSize);
}

/** What each type must have. */
function typeRules({ type, data = {}, metadata }: Body, at: At): void {
  const has = (key: string) => Object.hasOwn(data, key);
  const needs = (key: string) => at.child("data").key(key).required();
  switch (type) {
    case "kubernetes.io/service-account-token":
      if (!metadata.annotations?.[serviceAccountNameAnnotation])
        at.child("metadata").child("annotations").key(serviceAccountNameAnnotation).required();
      return;
    case "kubernetes.io/dockercfg":
      jsonObject(data, ".dockercfg", at);
      return;
    case "kubernetes.io/dockerconfigjson":
      jsonObject(data, ".dockerconfigjson", at);
      return;
    case "kubernetes.io/basic-auth":
      if (!has("username") && !has("password")) ["username", "password"].forEach(needs);
      return;
    case "kubernetes.io/ssh-auth":
      if (!data["ssh-privatekey"]) needs("ssh-privatekey");
      return;
    case "kubernetes.io/tls":
      for (const key of ["tls.crt", "tls.key"]) if (!has(key)) needs(key);
  }
}

function jsonObject(data: Readonly<Record<string, string>>, key: string, at: At): void {
  const here = at.child("data").key(key);
  const bytes = Object.hasOwn(data, key) ? data[key] : undefined;
  if (bytes === undefined) {
    here.required();
    return;
  }
  const fault = jsonObjectFault(decodeBase64(bytes));
  if (fault !== undefined) here.invalid("", "<secret contents redacted>", fault);
}

const goKinds: Readonly<Record<string, string>> = { boolean: "bool" };

/** Why bytes are not a JSON object, in Go's words. */
function jsonObjectFault(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  try {
    const { kind } = parseJson(text);
    if (kind === "object" || kind === "null") return undefined;
    const name = goKinds[kind] ?? kind;
    return `json: cannot unmarshal ${name} into Go value of type map[string]interface {}`;
  } catch (fault) {
    if (fault instanceof SyntaxError) return withRawByte(fault.message, text, bytes);
    throw fault;
  }
}

/** Go names the very byte that is wrong, which is lost where the bytes are no text. */
function withRawByte(message: string, text: string, bytes: Uint8Array): string {
  const position = text.indexOf("\ufffd");
  if (position < 0) return message;
  const byte = bytes[encoder.encode(text.slice(0, position)).length] ?? 0;
  const shown = quote(String.fromCharCode(byte)).slice(1, -1);
  return message.replace("invalid character 'ï'", `invalid character '${shown}'`);
}
