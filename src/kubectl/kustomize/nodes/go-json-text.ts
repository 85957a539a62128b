import { goJson } from "../../../schema/json/go-json.ts";
import { compareUtf8 } from "../../../schema/values/utf8-order.ts";

/** JSON as Go writes maps: keys in order, also those that are numbers. */
export function goJsonText(value: unknown, indent = "", at = ""): string {
  const inner = at + indent;
  const wrap = (open: string, parts: readonly string[], close: string): string => {
    if (parts.length === 0) return open + close;
    if (indent === "") return open + parts.join(",") + close;
    return `${open}\n${parts.map((part) => inner + part).join(",\n")}\n${at}${close}`;
  };
  if (Array.isArray(value)) {
    return wrap(
      "[",
      value.map((item) => goJsonText(item, indent, inner)),
      "]",
    );
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).toSorted(([a], [b]) => compareUtf8(a, b));
    const colon = indent === "" ? ":" : ": ";
    const parts = entries.map(
      ([name, member]) => goJson(name) + colon + goJsonText(member, indent, inner),
    );
    return wrap("{", parts, "}");
  }
  return typeof value === "bigint" ? `${value}` : goJson(value ?? null);
}
