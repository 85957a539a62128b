import { decodedSize } from "../../../base/base64.ts";
import { bool, mapOf, stringMap } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { bytesType } from "../../../schema/language/type.ts";
import { sameValue } from "../../../schema/language/validate.ts";
import { isConfigMapKey, nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";

/** The most that the values of a ConfigMap or Secret may take together. */
export const maxDataSize = 1024 * 1024;

export const ConfigMap = kind({
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  shortNames: ["cm"],
  scope: "Namespaced",
  doc: "Configuration for pods to read, as keys and values.",
  name: nameIsDnsSubdomain,
  fields: {
    immutable: bool(4).pointer().doc("Whether the data may no longer change."),
    data: stringMap(2).doc("Values that are text, by key."),
    binaryData: mapOf(3, bytesType).doc("Values that are bytes, by key."),
  },
  rules: [dataRules],
  updateRules(object, old, { at, create }) {
    if (old.immutable) {
      if (!object.immutable)
        at.forbidden("immutable", "field is immutable when `immutable` is set");
      for (const field of ["data", "binaryData"] as const)
        if (!sameValue(object[field], old[field]))
          at.forbidden(field, "field is immutable when `immutable` is set");
    }
    create();
  },
  columns: [
    nameColumn,
    {
      name: "Data",
      type: "string",
      description:
        "Data contains the configuration data. Each key must consist of alphanumeric characters, '-', '_' or '.'. Values with non-UTF-8 byte sequences must use the BinaryData field. The keys stored in Data must not overlap with the keys in the BinaryData field, this is enforced during validation process.",
      cell: ({ data = {}, binaryData = {} }) =>
        Object.keys(data).length + Object.keys(binaryData).length,
    },
    ageColumn,
  ],
});
export interface ConfigMap extends ObjectOf<typeof ConfigMap> {}

interface Data {
  readonly data?: Readonly<Record<string, string>> | undefined;
  readonly binaryData?: Readonly<Record<string, string>> | undefined;
}

function dataRules({ data = {}, binaryData = {} }: Data, at: At): void {
  let size = 0;
  for (const [key, text] of Object.entries(data)) {
    at.child("data").key(key).invalidEach("", key, isConfigMapKey(key));
    if (Object.hasOwn(binaryData, key))
      at.child("data").key(key).invalid("", key, "duplicate of key present in binaryData");
    size += utf8Length(text);
  }
  for (const [key, bytes] of Object.entries(binaryData)) {
    at.child("binaryData").key(key).invalidEach("", key, isConfigMapKey(key));
    size += decodedSize(bytes);
  }
  if (size > maxDataSize) at.tooLong("", maxDataSize);
}

const encoder = new TextEncoder();
const utf8Length = (text: string): number => encoder.encode(text).length;
