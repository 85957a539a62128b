import { jsonValue, parseJson } from "../schema/json/strict-json.ts";

/** Parses JSON; integers that a number cannot represent exactly become bigints. */
export function parseJsonText(text: string): unknown {
  return longInteger.test(text) ? jsonValue(parseJson(text)) : (JSON.parse(text) as unknown);
}

/** Finds possible integers beyond 2^53. A match inside a string only costs time. */
const longInteger = /[:,[]\s*-?\d{16,}\s*[,\]}]|^\s*-?\d{16,}\s*$/;
