import { expect, test } from "vitest";
import { describeWith, requires } from "../../test/requires.ts";
import type { Field } from "../schema/field.ts";
import { openApiNames, reachableStructs } from "../schema/openapi.ts";
import { enumTypes } from "../schema/openapi-enums.ts";
import type { Struct } from "../schema/struct.ts";
import { structOf, type Type, type TypeCode } from "../schema/type.ts";
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
  ...kinds.flatMap(({ struct, list }) => [struct, list]),
  ...[Scale, DeleteOptions, Status, WatchEvent, APIGroupList, APIResourceList, APIVersions],
]);

describeWith(requires("shared facts"))("every declaration equals upstream's:", () => {
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
    field.isAtomic ? "atomic" : "",
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
    enumOf(field, embedded && field ? field.constants : fact.constants),
  ];
}

const isEmbedded = (field: Field, name: string): boolean =>
  field.under !== undefined || ((name === "kind" || name === "apiVersion") && field.tag === 0);

function enumOf(field: Field | undefined, values: readonly string[] = []): string {
  const type = field?.type.of ?? field?.type;
  return type && enumTypes.has(type.goType) ? `one of ${[...values].sort()}` : "";
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
  return structOf(type)?.name ?? openApiNames[type.code] ?? plainNames[type.code] ?? "";
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
      const path = under === undefined ? `${tag}` : `${under}.${tag}`;
      return `${path} ${wireType(type, struct.name)} ${name}`;
    });
}

function expectedMessage(name: string, struct: Struct): string[] {
  const fact = messageFact(name);
  // Tables have no protobuf.
  if (!fact) return declaredMessage(struct);
  const inlined = new Set(Object.values(struct.fields).map(({ under }) => under));
  return fact.flatMap(([tag, type, field]) => {
    const inner = inlined.has(tag) ? messageFact(`${splitName(name)[0]}.${type}`) : undefined;
    if (!inner) return [`${tag} ${type} ${field}`];
    return inner.map((line) => `${tag}.${line.join(" ")}`);
  });
}

function wireType(type: Type, holder: string): string {
  if (type.wrapped) return type.goType.slice(type.goType.lastIndexOf(".") + 1);
  if (type.code === "list" && type.of) return `repeated ${wireType(type.of, holder)}`;
  if (type.code === "map" && type.of) return `map<string,${wireType(type.of, holder)}>`;
  const name = structOf(type)?.name ?? openApiNames[type.code];
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
