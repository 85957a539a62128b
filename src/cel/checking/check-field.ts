import type { Expr } from "../syntax/ast.ts";
import {
  type CelType,
  dynType,
  errorType,
  isDyn,
  isOptional,
  optionalType,
  showType,
  withoutOptional,
} from "./cel-type.ts";
import type { Checking } from "./checking.ts";

/** The type of a field of an operand that was checked; with `optional` the field may be missing. */
export function typeOfField(
  checking: Checking,
  { id, operand, field, optional }: { id: number; operand: Expr; field: string; optional: boolean },
): CelType {
  const operandType = checking.resolve(checking.typeOf(operand));
  const type = withoutOptional(operandType);
  const fieldType = typeOfFieldIn(checking, { id, type, field });
  return isOptional(operandType) || optional ? optionalType(fieldType) : fieldType;
}

/** The type of a field of a type with fields; says so if there is none. */
export function findFieldType(
  { environment, fail }: Checking,
  { id, typeName, field }: { id: number; typeName: string; field: string },
): CelType {
  if (!environment.hasStruct(typeName)) {
    fail(id, `unexpected failed resolution of '${typeName}'`);
    return errorType;
  }
  const found = environment.findField(typeName, field);
  if (found === undefined) fail(id, `undefined field '${field}'`);
  return found ?? errorType;
}

function typeOfFieldIn(
  checking: Checking,
  { id, type, field }: { id: number; type: CelType; field: string },
): CelType {
  switch (type.kind) {
    case "map":
      return type.parameters[1] ?? dynType;
    case "struct":
      return findFieldType(checking, { id, typeName: type.name, field });
    case "parameter":
      checking.isAssignable([dynType], [type]);
      return dynType;
    default:
      if (!isDyn(type) && type.kind !== "error") {
        checking.fail(id, `type '${showType(type)}' does not support field selection`);
      }
      return dynType;
  }
}
