import type { Expr, ListExpr, MapExpr, StructExpr } from "../syntax/ast.ts";
import { mostGeneral } from "./assignable.ts";
import {
  type CelType,
  dynType,
  errorType,
  isDyn,
  isOptional,
  listType,
  mapType,
  optionalType,
  showType,
  withoutOptional,
} from "./cel-type.ts";
import { findFieldType } from "./check-field.ts";
import type { Checking } from "./checking.ts";

/** Checks a list; that its elements are of one type is a rule of constants, not of types. */
export function checkList(checking: Checking, expr: ListExpr): ListExpr {
  let type: CelType | undefined;
  const elements = expr.elements.map((element, index) => {
    const checked = checking.check(element);
    const elementType = typeOfValue(checking, checked, expr.optional.includes(index));
    type = join(checking, type, elementType);
    return checked;
  });
  checking.types.set(expr.id, listType(type ?? checking.newTypeParameter()));
  return { ...expr, elements };
}

/** Checks a map, whose keys and values are as the elements of a list. */
export function checkMap(checking: Checking, expr: MapExpr): MapExpr {
  let keys: CelType | undefined;
  let values: CelType | undefined;
  const entries = expr.entries.map((entry) => {
    const key = checking.check(entry.key);
    keys = join(checking, keys, checking.typeOf(key));
    const value = checking.check(entry.value);
    values = join(checking, values, typeOfValue(checking, value, entry.optional));
    return { ...entry, key, value };
  });
  const keyType = keys ?? checking.newTypeParameter();
  checking.types.set(expr.id, mapType(keyType, values ?? checking.newTypeParameter()));
  return { ...expr, entries };
}

/** Checks a message: its type has the fields that are given, with their types. */
export function checkStruct(checking: Checking, expr: StructExpr): StructExpr {
  const found = checking.findName(expr.typeName);
  if (found === undefined) {
    const message = `undeclared reference to '${expr.typeName}' (in container '')`;
    checking.fail(expr.id, message);
    checking.types.set(expr.id, errorType);
    return expr;
  }
  checking.references.set(expr.id, { name: found.name, overloads: [] });
  const { type, typeName } = structOf(checking, expr.id, found);
  checking.types.set(expr.id, type);
  const fields = expr.fields.map((field) => {
    const value = checking.check(field.value);
    const expected = findFieldType(checking, { id: field.id, typeName, field: field.name });
    const given = typeOfValue(checking, value, field.optional);
    if (!checking.isAssignable([expected], [given])) {
      checking.fail(
        field.id,
        `expected type of field '${field.name}' is '${showType(expected)}' but provided type is '${showType(given)}'`,
      );
    }
    return { ...field, value };
  });
  return { ...expr, typeName: found.name, fields };
}

function structOf(
  checking: Checking,
  id: number,
  found: { name: string; type: CelType },
): { type: CelType; typeName: string } {
  const [type = errorType] = found.type.parameters;
  if (found.type.kind === "error") return { type: errorType, typeName: found.name };
  if (found.type.kind !== "type") {
    checking.fail(id, `'${declaredName(found.type)}' is not a type`);
    return { type: errorType, typeName: found.name };
  }
  if (type.kind === "struct") return { type, typeName: type.name };
  if (isWellKnown(type)) return { type, typeName: wellKnownNames[type.kind] ?? "" };
  checking.fail(id, `'${declaredName(type)}' is not a message type`);
  return { type: errorType, typeName: found.name };
}

/** The type of what is given, if it is; something that must be given cannot be missing. */
function typeOfValue(checking: Checking, expr: Expr, optional: boolean): CelType {
  const given = checking.typeOf(expr);
  if (!optional) return given;
  const type = withoutOptional(given);
  if (!isOptional(given) && !isDyn(type)) {
    const expected = showType(optionalType(type));
    checking.fail(expr.id, `expected type '${expected}' but found '${showType(type)}'`);
  }
  return type;
}

/** The type of elements of both types: if they have nothing in common, any. */
function join(checking: Checking, previous: CelType | undefined, current: CelType): CelType {
  if (previous === undefined) return current;
  if (checking.isAssignable([previous], [current])) return mostGeneral(previous, current);
  return dynType;
}

function isWellKnown(type: CelType): boolean {
  const [first, second] = type.parameters;
  switch (type.kind) {
    case "any":
    case "timestamp":
    case "duration":
    case "dyn":
    case "null":
      return true;
    case "list":
      return first?.kind === "dyn";
    case "map":
      return first?.kind === "string" && second?.kind === "dyn";
    default:
      return type.nullable === true;
  }
}

const wellKnownNames: Readonly<Record<string, string>> = {
  any: "google.protobuf.Any",
  bool: "google.protobuf.BoolValue",
  bytes: "google.protobuf.BytesValue",
  double: "google.protobuf.DoubleValue",
  duration: "google.protobuf.Duration",
  dyn: "google.protobuf.Value",
  int: "google.protobuf.Int64Value",
  list: "google.protobuf.ListValue",
  null: "google.protobuf.NullValue",
  map: "google.protobuf.Struct",
  string: "google.protobuf.StringValue",
  timestamp: "google.protobuf.Timestamp",
  uint: "google.protobuf.UInt64Value",
};

const declaredName = (type: CelType): string =>
  type.nullable === true ? `wrapper(${type.name})` : type.name;
