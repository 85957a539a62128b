import { jsonValue, parseJson } from "../schema/json/strict-json.ts";

/** The value of a JSON text: integers that a number cannot hold are bigints. */
export function parseJsonText(text: string): unknown {
  return longInteger.test(text) ? jsonValue(parseJson(text)) : (JSON.parse(text) as unknown);
}

/** What may be an integer beyond 2^53; text that only looks like one costs time, nothing else. */
const longInteger = /[:,[]\s*-?\d{16,}\s*[,\]}]|^\s*-?\d{16,}\s*$/;
