import { splitPath } from "./apply-field-spec.ts";

/** Splits a path at its dots, but not within brackets. */
export function splitFieldPath(path: string): string[] {
  const parts = splitPath(path, ".");
  const result: string[] = [];
  for (let i = 0; i < parts.length; i++) {
    const first = parts[i] ?? "";
    if (!first.startsWith("[") || first.endsWith("]")) {
      result.push(first);
      continue;
    }
    const bracketed = [first];
    while (i < parts.length - 1) {
      const next = parts[++i] ?? "";
      bracketed.push(next);
      if (next.endsWith("]")) break;
    }
    const text = bracketed.join(".");
    result.push(text.includes("=") ? text : text.replace(/^[[\]]+|[[\]]+$/g, ""));
  }
  return result;
}
