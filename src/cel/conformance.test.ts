import { tests } from "@bufbuild/cel-spec/testdata/conformance.js";
import { describe, expect, test } from "vitest";
import {
  anyType,
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  opaqueType,
  showType,
  stringType,
  structType,
  timestampType,
  typeOf,
  uintType,
} from "./checking/cel-type.ts";
import { baseEnvironment, bindings, extendEnvironment } from "./checking/environment.ts";
import { compile } from "./compile.ts";
import { plan } from "./evaluation/program.ts";
import {
  CelDuration,
  CelList,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
} from "./values/cel-value.ts";
import { convertValue } from "./values/convert-value.ts";
import { fromJson } from "./values/json-value.ts";
import { ArrayList, elementsOf } from "./values/list.ts";
import { EntryMap, entriesOf } from "./values/map.ts";

/** A value in the JSON of the vectors: one member, which says its type. */
type VectorValue = Readonly<Record<string, unknown>>;
type VectorType = Readonly<Record<string, unknown>>;
interface Vector {
  readonly name: string;
  readonly expr: string;
  readonly value?: VectorValue;
  readonly evalError?: unknown;
  readonly typeEnv?: readonly {
    readonly name: string;
    readonly ident?: { readonly type: VectorType };
  }[];
  readonly bindings?: Readonly<Record<string, { readonly value: VectorValue }>>;
  readonly container?: string;
  readonly checkOnly?: boolean;
  readonly typedResult?: { readonly result?: VectorValue; readonly deducedType?: VectorType };
}
interface Suite {
  readonly name: string;
  readonly suites?: readonly Suite[];
  readonly tests?: readonly { readonly original: object }[];
}

function vectorsOf(suite: Suite, path = ""): (readonly [path: string, vector: Vector])[] {
  return [
    ...(suite.tests ?? []).map(({ original }) => {
      const vector = original as Vector;
      return [`${path}/${vector.name}`, vector] as const;
    }),
    ...(suite.suites ?? []).flatMap((inner) =>
      vectorsOf(inner, path === "" ? inner.name : `${path}/${inner.name}`),
    ),
  ];
}

/** Libraries that Kubernetes does not have. */
const otherLibraries = /^(math_ext|encoders_ext|proto2_ext|block_ext)\//;

/** The vectors that Kubernetes' CEL answers otherwise, or cannot, and why. */
const left: readonly (readonly [vectors: RegExp, reason: string])[] = [
  [/^fields\/quoted_map_fields\//, "names in backquotes, which it does not read"],
  [
    /^comparisons\/(eq|ne)_literal\/.*(not_eq_list_null|not_eq_map_null|mixed_type|false_vs_types|elem_null|value_null|elem_mixed)/,
    "lists and maps of several types, which it rejects",
  ],
  [/^comparisons\/in_(list|map)_literal\/.*mixed/, "the same"],
  [/^conversions\/dyn\/dyn_heterogeneous_list$/, "the same"],
  [/^dynamic\/(list|value_struct|value_list)\/literal$/, "the same"],
  [
    /^fields\/map_fields\/map_(key_u?int64|key_mixed_type|key_mixed_numbers_(double|u?int)_key|value_mix_type)$/,
    "the same",
  ],
  [/^fields\/in\/mixed/, "the same"],
  [/^macros2?\/exists\/(list_elem|map_key)_type_/, "the same"],
  [/^macros\/all\/list_elem_type_shortcircuit$/, "the same"],
  [/^macros2\/all\/list_elem_type_(shortcircuit|exhaustive)$/, "the same"],
  [/^optionals\/optionals\/(optional_chaining_13|map_key_mixed_.*optindex_value)$/, "the same"],
  [/^type_deductions\/flexible_type_parameter_assignment\/optional_dyn_promotion/, "the same"],
  [
    /^type_deductions\/legacy_nullable_types\/null_assignable_to_abstract_parameter_candidate$/,
    "the same",
  ],
  [
    /^(basic\/(variables|functions)\/unbound_is_runtime_error|comparisons\/eq_literal\/not_eq_list_length|logic\/.*(short_circuit_type_|mixed_type)|parse\/receiver_function_names\/|plumbing\/check_inputs\/skip_check)/,
    "expressions whose types do not fit: it checks them all",
  ],
  [
    /^string_ext\/format\/(.*scientific notation|NaN support for decimal|.*infinity support|(list|map) support|dyntype support for (lists|maps)$)/,
    "the second version of format, which writes numbers by a locale",
  ],
  [/^string_ext\/value_errors\/(last)?indexof_out_of_range$/, "places beyond a text are -1"],
  [/^timestamps\/duration_converters\/get_milliseconds$/, "cel-go returns them all"],
  [/^fields\/.*\/map_value_repeat_key$/, "cel-go does not see that a key is there twice"],
  [
    /^fields\/map_fields\/map_bad_key_type_(or_true|and_false)$/,
    "cel-go plans constant keys, and rejects this one",
  ],
  [
    /^optionals\/optionals\/map_(null_entry_no_such_key|present_key_invalid_field)$/,
    "cel-go takes parts of no value for absent ones",
  ],
  [
    /^type_deductions\/(functions\/function_result_type|type_parameters\/multiple_parameters)/,
    "functions of its own",
  ],
];

/** Messages, enums and containers of names of the vectors, which Kubernetes does not know. */
const needsMessages = (vector: Vector): boolean =>
  (vector.container ?? "") !== "" ||
  /TestAllTypes|TestRequired|cel\.expr\.conformance/.test(JSON.stringify(vector));

const all = vectorsOf(tests as unknown as Suite);
const known = all.filter(([path, vector]) => !otherLibraries.test(path) && !needsMessages(vector));
const run = known.filter(([path]) => !left.some(([vectors]) => vectors.test(path)));

const primitives: Readonly<Record<string, CelType>> = {
  BOOL: boolType,
  INT64: intType,
  UINT64: uintType,
  DOUBLE: doubleType,
  STRING: stringType,
  BYTES: bytesType,
};
const wellKnown: Readonly<Record<string, CelType>> = {
  ANY: anyType,
  DURATION: durationType,
  TIMESTAMP: timestampType,
};
const wrappers: Readonly<Record<string, string>> = {
  BOOL: "Bool",
  INT64: "Int64",
  UINT64: "UInt64",
  DOUBLE: "Double",
  STRING: "String",
  BYTES: "Bytes",
};

function typeFrom(type: VectorType): CelType {
  const [[kind, of] = ["", undefined]] = Object.entries(type);
  const inner = of as Readonly<Record<string, VectorType>>;
  switch (kind) {
    case "primitive":
      return primitives[of as string] ?? dynType;
    case "wellKnown":
      return wellKnown[of as string] ?? dynType;
    case "wrapper":
      return structType(`google.protobuf.${wrappers[of as string]}Value`);
    case "listType":
      return listType(typeFrom(inner.elemType ?? {}));
    case "mapType":
      return mapType(typeFrom(inner.keyType ?? {}), typeFrom(inner.valueType ?? {}));
    case "messageType":
      return structType(of as string);
    case "null":
      return nullType;
    case "type":
      return typeOf(typeFrom(inner));
    case "abstractType": {
      const { name, parameterTypes = [] } = of as {
        readonly name: string;
        readonly parameterTypes?: readonly VectorType[];
      };
      return opaqueType(name, ...parameterTypes.map(typeFrom));
    }
    default:
      return dynType;
  }
}

function valueFrom(value: VectorValue): CelValue {
  const [[kind, of] = ["", undefined]] = Object.entries(value);
  switch (kind) {
    case "int64Value":
      return BigInt(of as string);
    case "uint64Value":
      return new CelUint(BigInt(of as string));
    case "doubleValue":
      return Number(of);
    case "boolValue":
    case "stringValue":
      return of as boolean | string;
    case "bytesValue":
      return new Uint8Array(Buffer.from(of as string, "base64"));
    case "typeValue":
      return new CelTypeValue(of as string);
    case "listValue": {
      const { values = [] } = of as { readonly values?: readonly VectorValue[] };
      return new ArrayList(values.map(valueFrom));
    }
    case "mapValue": {
      const { entries = [] } = of as {
        readonly entries?: readonly { readonly key: VectorValue; readonly value: VectorValue }[];
      };
      return new EntryMap(entries.map(({ key, value: held }) => [valueFrom(key), valueFrom(held)]));
    }
    case "objectValue":
      return messageFrom(of as Readonly<Record<string, unknown>>);
    default:
      return null;
  }
}

/** The value that a well-known message stands for. */
function messageFrom({ "@type": type, value }: Readonly<Record<string, unknown>>): CelValue {
  const name = String(type).replace("type.googleapis.com/google.protobuf.", "");
  if (name === "Duration") return convertValue(value as string, "duration");
  if (name === "Timestamp") return convertValue(value as string, "timestamp");
  if (name === "BytesValue") return new Uint8Array(Buffer.from(value as string, "base64"));
  if (name === "UInt64Value" || name === "UInt32Value") return new CelUint(BigInt(value as string));
  if (name === "Int64Value" || name === "Int32Value") return BigInt(value as string);
  if (name === "DoubleValue" || name === "FloatValue") return Number(value);
  if (name === "Struct" || name === "ListValue" || name === "Value") return doubles(value);
  return fromJson(value);
}

/** In JSON of messages all numbers are doubles. */
function doubles(json: unknown): CelValue {
  if (Array.isArray(json)) return new ArrayList(json.map(doubles));
  if (typeof json === "object" && json !== null)
    return new EntryMap(Object.entries(json).map(([name, held]) => [name, doubles(held)]));
  return typeof json === "number" ? json : fromJson(json);
}

/** A text that tells values of different types apart; the order of entries does not count. */
function shown(value: CelValue): string {
  if (value === null) return "null";
  if (typeof value === "bigint") return `int ${value}`;
  if (typeof value === "number") return `double ${Object.is(value, -0) ? 0 : value}`;
  if (typeof value !== "object") return `${typeof value} ${value}`;
  if (value instanceof Uint8Array) return `bytes ${value.join()}`;
  if (value instanceof CelUint) return `uint ${value.value}`;
  if (value instanceof CelDuration) return `duration ${value.nanos}`;
  if (value instanceof CelTimestamp) return `timestamp ${value.seconds} ${value.nanos}`;
  if (value instanceof CelTypeValue) return `type ${value.name}`;
  if (value instanceof CelOptional)
    return `optional ${value.value === undefined ? "" : shown(value.value)}`;
  if (value instanceof CelList) return `[${elementsOf(value).map(shown).join(", ")}]`;
  if (!(value instanceof CelMap)) return value.typeName;
  const entries = entriesOf(value).map(([key, held]) => `${shown(key)}: ${shown(held)}`);
  return `{${entries.sort().join(", ")}}`;
}

/** What comes of an expression: its type, and its value or an error. */
function outcomeOf({ expr, typeEnv = [], bindings: given = {} }: Vector): {
  readonly type?: string;
  readonly value?: string;
  readonly error?: string;
} {
  const variables = Object.fromEntries(
    typeEnv.map(({ name, ident }) => [name, typeFrom(ident?.type ?? {})]),
  );
  const environment = extendEnvironment(extendEnvironment(baseEnvironment(), bindings), {
    variables,
  });
  const checked = compile(environment, expr);
  if ("error" in checked) return { error: checked.error };
  const type = showType(checked.type);
  const program = plan(checked);
  if ("error" in program) return { type, error: program.error };
  const result = program.evaluate((name) => {
    const bound = given[name];
    return bound && valueFrom(bound.value);
  });
  return "error" in result ? { type, error: result.error } : { type, value: shown(result.value) };
}

/** What is wrong with the outcome of a vector; undefined if nothing is. */
function faultOf(vector: Vector): string | undefined {
  const { typedResult, evalError, checkOnly } = vector;
  const outcome = outcomeOf(vector);
  if (evalError !== undefined)
    return outcome.error === undefined ? `no error, but ${outcome.value}` : undefined;
  const type = typedResult?.deducedType && showType(typeFrom(typedResult.deducedType));
  if (type !== undefined && outcome.type !== type)
    return `type ${outcome.type} (${outcome.error}), not ${type}`;
  if (checkOnly) return undefined;
  const value = shown(valueFrom(typedResult?.result ?? vector.value ?? { boolValue: true }));
  return outcome.value === value ? undefined : `${outcome.value ?? outcome.error}, not ${value}`;
}

describe("the conformance vectors of CEL", () => {
  test("most of those are run that Kubernetes can know", () => {
    expect([all.length, known.length, run.length]).toEqual([2344, 1519, 1407]);
    const unused = left.filter(([vectors]) => !known.some(([path]) => vectors.test(path)));
    expect(unused).toEqual([]);
  });

  test("what Kubernetes answers otherwise has another outcome here, too", () => {
    const others = known.filter(([path]) => left.some(([vectors]) => vectors.test(path)));
    const equal = others.filter(([, vector]) => faultOf(vector) === undefined);
    expect(equal.map(([path]) => path)).toEqual([]);
  });

  const suites = new Set(run.map(([path]) => path.slice(0, path.indexOf("/"))));
  test.each([...suites])("%s", (suite) => {
    const faults = run.flatMap(([path, vector]) => {
      if (!path.startsWith(`${suite}/`)) return [];
      const fault = faultOf(vector);
      return fault === undefined ? [] : [`${path}: ${vector.expr}: ${fault}`];
    });
    expect(faults).toEqual([]);
  });
});
