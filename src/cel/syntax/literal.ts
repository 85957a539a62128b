import type { Literal } from "./ast.ts";
import { unquote, unquoteBytes } from "./unquote.ts";

/** Reads a constant: `label` is what the grammar calls it. */
export function readLiteral(label: string, text: string): Literal | { readonly error: string } {
  switch (label) {
    case "Int": {
      const value = readInteger(text);
      return value === BigInt.asIntN(64, value)
        ? { type: "int", value }
        : { error: "invalid int literal" };
    }
    case "Uint": {
      const value = readInteger(text.slice(0, -1));
      return value === BigInt.asUintN(64, value)
        ? { type: "uint", value }
        : { error: "invalid uint literal" };
    }
    case "Double": {
      const value = Number(text);
      return Number.isFinite(value)
        ? { type: "double", value }
        : { error: "invalid double literal" };
    }
    case "String": {
      const read = unquote(text);
      return "error" in read ? read : { type: "string", value: read.value };
    }
    case "Bytes": {
      const read = unquoteBytes(text.slice(1));
      return "error" in read ? read : { type: "bytes", value: read.value };
    }
    case "Null":
      return { type: "null", value: null };
    default:
      return { type: "bool", value: label === "BoolTrue" };
  }
}

function readInteger(text: string): bigint {
  return text.startsWith("-") ? -BigInt(text.slice(1)) : BigInt(text);
}
