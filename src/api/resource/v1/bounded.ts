import type { At } from "../../../schema/language/report.ts";

const encoder = new TextEncoder();

/** How long a text is in bytes, as limits count it. */
export const byteLength = (text: string): number => encoder.encode(text).length;

/** Validates each item of a list, or, where there are too many, says only that. */
export function validateItems<T>(
  items: readonly T[] | undefined,
  at: At,
  { max, item }: { readonly max: number; readonly item: (item: T, at: At) => void },
): boolean {
  const { length } = items ?? [];
  if (max >= 0 && length > max) {
    at.tooMany("", length, max);
    return false;
  }
  for (const [i, each] of (items ?? []).entries()) item(each, at.index(i));
  return true;
}

/** As `validateItems`; then no key may come twice. */
export function validateSet<T>(
  items: readonly T[] | undefined,
  at: At,
  {
    key,
    ...rule
  }: {
    readonly max: number;
    readonly item: (item: T, at: At) => void;
    /** What identifies an item, as an error shows it. */
    readonly key: (item: T) => unknown;
  },
): void {
  if (!validateItems(items, at, rule)) return;
  const seen = new Set<string>();
  for (const [i, item] of (items ?? []).entries()) {
    const shown = key(item);
    const text = JSON.stringify(shown);
    if (seen.has(text)) at.index(i).duplicate("", shown);
    seen.add(text);
  }
}

/** Validates keys, reported at the map, and values, reported at their keys, which may be shortened. */
export function validateMap<T>(
  map: Readonly<Record<string, T>> | undefined,
  at: At,
  {
    max,
    maxKey,
    key: keyRule,
    item,
  }: {
    readonly max: number;
    readonly maxKey: number;
    readonly key: (key: string, at: At) => void;
    readonly item?: (item: T, at: At) => void;
  },
): void {
  const entries = Object.entries(map ?? {});
  if (max >= 0 && entries.length > max) {
    at.tooMany("", entries.length, max);
    return;
  }
  for (const [key, value] of entries) {
    keyRule(key, at);
    item?.(value, at.key(shortened(key, maxKey)));
  }
}

/** A text with its middle left out, where it is longer than that. */
function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  const rest = max - 3;
  return `${text.slice(0, Math.ceil(rest / 2))}...${text.slice(text.length - Math.floor(rest / 2))}`;
}
