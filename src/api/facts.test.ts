import { describe, expect, test } from "vitest";
import type { Field } from "../schema/language/field.ts";
import type { Struct } from "../schema/language/struct.ts";
import type { Type, TypeCode } from "../schema/language/type.ts";
import { openApiName, reachableStructs } from "../schema/openapi/openapi.ts";
import { enumTypes } from "../schema/openapi/openapi-enums.ts";
import { Scale } from "./autoscaling/v1/scale.ts";
import {
  type FieldFact,
  messageFact,
  resourceFacts,
  splitName,
  structFact,
  type TypeFact,
  wireName,
} from "./facts.test-support.ts";
import { kinds } from "./kinds.generated.ts";
import { APIGroupList, APIResourceList, APIVersions } from "./meta/v1/discovery.ts";
import { DeleteOptions } from "./meta/v1/options.ts";
import { Status } from "./meta/v1/status.ts";
import { WatchEvent } from "./meta/v1/watch-event.ts";

const structs = reachableStructs([
  // What cannot be listed has no type of lists.
  ...kinds.flatMap(({ struct, list, verbs }) =>
    verbs.includes("list") ? [struct, list] : [struct],
  ),
  ...[Scale, DeleteOptions, Status, WatchEvent, APIGroupList, APIResourceList, APIVersions],
]);

describe("every declaration equals upstream's:", () => {
  test.each([...structs])("the fields of %s", (name, struct) => {
    const { fields = {}, required = [], mapType } = structFact(name);
    const isRequired = Object.entries(struct.fields).filter(([, field]) => field.isRequired);
    expect({
      fields: mapValues(struct.fields, (field, key) =>
        declaredLine(field, fields[key], key).join(", "),
      ),
      required: isRequired.map(([key]) => key).sort(),
      mapType: struct.isAtomic ? "atomic" : undefined,
    }).toEqual({
      fields: mapValues(fields, (fact, key) =>
        expectedLine(struct.fields[key], fact, key).join(", "),
      ),
      required: [...required].sort(),
      mapType,
    });
  });

  test.each([...structs])("the protobuf of %s", (name, struct) => {
    expect(declaredMessage(struct)).toEqual(expectedMessage(name, struct));
  });

  test.each(kinds.map((kind) => [kind.struct.name, kind] as const))(
    "how %s is served",
    (_, kind) => {
      const fact = resourceFacts().find(
        ({ group, version, resource }) =>
          group === kind.group && version === kind.version && resource === kind.plural,
      );
      expect({
        kind: kind.kind,
        singular: kind.singular,
        namespaced: kind.scope === "Namespaced",
        verbs: [...kind.verbs].sort(),
        shortNames: kind.shortNames,
        categories: kind.categories,
        subresources: [...kind.subresources].sort(),
      }).toEqual({
        kind: fact?.kind,
        singular: fact?.singular,
        namespaced: fact?.namespaced,
        verbs: fact?.verbs,
        shortNames: fact?.shortNames ?? [],
        categories: fact?.categories ?? [],
        subresources: (fact?.subresources ?? []).map(({ name }) => name).sort(),
      });
    },
  );
});

function declaredLine(field: Field, fact: FieldFact | undefined, name: string): string[] {
  const { type, listKind = "", listKeys = [], patchStrategy = "", patchMergeKey = "" } = field;
  return [
    typeName(type),
    isEmbedded(field, name) || fact === undefined ? "" : zeroOf(field),
    `list ${listKind} ${listKeys}`,
    `patch ${patchStrategy} ${patchMergeKey}`,
    field.isGranular ? "granular" : field.isAtomic ? "atomic" : "",
    enumOf(field, field.constants),
  ];
}

function expectedLine(field: Field | undefined, fact: FieldFact, name: string): string[] {
  const { listType = "", listMapKeys = [], patchStrategy = "", patchMergeKey = "" } = fact;
  // Of fields of embedded structs the facts do not tell the flags and constants.
  const embedded = field !== undefined && isEmbedded(field, name);
  return [
    factName(fact),
    embedded ? "" : zeroFact(fact),
    `list ${listType} ${listMapKeys}`,
    `patch ${patchStrategy} ${patchMergeKey}`,
    fact.mapType ?? "",
    enumOf(field, embedded || isUntold(field, fact) ? field?.constants : fact.constants),
  ];
}

/**
 * Whether the facts do not list a field's constants: upstream writes those of two types as
 * conversions, and has those of some types that are no published enum in another package.
 */
const isUntold = (field: Field | undefined, { constants }: FieldFact): boolean =>
  ["v1.AddressType", "v1.PathType"].includes(field?.type.goType ?? "") ||
  (constants === undefined && !isPublishedEnum(field));

const isEmbedded = (field: Field, name: string): boolean =>
  field.under.length > 0 || ((name === "kind" || name === "apiVersion") && field.tag === 0);

/** What a field declares of its constants; if anything, or if they are published. */
function enumOf(field: Field | undefined, values: readonly string[] = []): string {
  const isTold = field?.constants !== undefined || isPublishedEnum(field);
  return isTold ? `one of ${[...values].sort()}` : "";
}

function isPublishedEnum(field: Field | undefined): boolean {
  const type = field?.type.of ?? field?.type;
  return type !== undefined && enumTypes.has(type.goType);
}

/** A list or map without omitempty is written as null or as empty: Go's tags do not tell. */
const zeroOf = ({ zero, type }: Field): string =>
  zero === "null" && type.of !== undefined ? "always" : zero;

function zeroFact({ pointer, omitempty, omitzero, ref }: FieldFact): string {
  if (omitzero) return "omit";
  if (pointer) return omitempty ? "pointer" : "null";
  return omitempty && ref === undefined ? "omit" : "always";
}

const plainNames: Partial<Record<TypeCode, string>> = {
  string: "string",
  bool: "boolean",
  int32: "integer int32",
  int64: "integer int64",
  double: "number double",
  bytes: "string byte",
};

function typeName(type: Type): string {
  if (type.of) return `${type.code} of ${typeName(type.of)}`;
  return openApiName(type) ?? plainNames[type.code] ?? "";
}

function factName({ type = "", format, ref, array, map }: TypeFact): string {
  if (array) return `list of ${factName(array)}`;
  if (map) return `map of ${factName(map)}`;
  return ref ?? (format === undefined ? type : `${type} ${format}`);
}

/** `tag type name`, in order; what JSON has inline follows its own tag. */
function declaredMessage(struct: Struct): string[] {
  return Object.entries(struct.fields)
    .filter(([, { tag }]) => tag !== 0)
    .map(([name, { tag, type, under }]) => {
      return `${[...under, tag].join(".")} ${wireType(type, struct.name)} ${jsonName(wireField(name))}`;
    });
}

function expectedMessage(name: string, struct: Struct): string[] {
  // Tables have no protobuf.
  if (!messageFact(name)) return declaredMessage(struct);
  const inlined = Object.values(struct.fields).flatMap(({ under }) =>
    under.map((_, i) => under.slice(0, i + 1).join(".")),
  );
  return expectedLines(name, "", new Set(inlined));
}

/** The lines of a message, and of those in it that JSON has inline. */
function expectedLines(name: string, prefix: string, inlined: ReadonlySet<string>): string[] {
  return (messageFact(name) ?? []).flatMap(([tag, type, field]) => {
    const path = `${prefix}${tag}`;
    if (!inlined.has(path)) return [`${path} ${type} ${jsonName(field)}`];
    const inner = type.startsWith(".") ? type.slice(1) : `${splitName(name)[0]}.${type}`;
    return expectedLines(inner, `${path}.`, inlined);
  });
}

/** Some messages name their fields as Go does (`Webhooks`): only the first letter's case differs. */
const jsonName = (name: string): string =>
  name === "aPIGroup" ? "apiGroup" : name.charAt(0).toLowerCase() + name.slice(1);

/** `$ref` and `x-kubernetes-list-type` are no names in protobuf. */
const wireField = (name: string): string =>
  name.replace("$", "").replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

function wireType(type: Type, holder: string): string {
  if (type.wrapped) return type.goType.slice(type.goType.lastIndexOf(".") + 1);
  if (type.code === "list" && type.of) return `repeated ${wireType(type.of, holder)}`;
  if (type.code === "map" && type.of) return `map<string,${wireType(type.of, holder)}>`;
  const name = openApiName(type);
  if (name === undefined) return type.code;
  const [folder, short] = splitName(name);
  return folder === splitName(holder)[0] ? short : `.${wireName(name)}`;
}

function mapValues<T>(
  record: Readonly<Record<string, T>>,
  change: (value: T, key: string) => string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => [key, change(value, key)]),
  );
}
