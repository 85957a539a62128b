import { isMap } from "../../../schema/json/json-value.ts";

/** The version that the bytes of a custom object are in. */
export function versionOfStored(bytes: Uint8Array): string {
  // Members are stored in the order of their names, so that apiVersion is mostly the first.
  const head = decoder.decode(bytes.subarray(0, longestHead));
  if (head.startsWith(beginning)) {
    const end = head.indexOf('"', beginning.length);
    if (end > 0) return head.slice(beginning.length, end);
  }
  const object: unknown = JSON.parse(decoder.decode(bytes));
  return isMap(object) && typeof object.apiVersion === "string" ? object.apiVersion : "";
}

const beginning = '{"apiVersion":"';
/** A group has up to 253 letters and a version up to 63. */
const longestHead = beginning.length + 253 + 64 + 1;
const decoder = new TextDecoder();
