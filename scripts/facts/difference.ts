import { isMembers, stable } from "./values.ts";

/**
 * The first difference between a recorded value and a new one, as one line; undefined when they are
 * equal. A list named `events` is shown by what is missing from it and what is extra.
 */
export function difference(recorded: unknown, now: unknown, at = ""): string | undefined {
  if (Object.is(recorded, now)) return undefined;
  if (Array.isArray(recorded) && Array.isArray(now))
    return at.endsWith(".events")
      ? eventDifference(recorded, now, at)
      : listDifference(recorded, now, at);
  if (isMembers(recorded) && isMembers(now)) {
    for (const name of new Set([...Object.keys(recorded), ...Object.keys(now)])) {
      const found = difference(recorded[name], now[name], `${at}.${name}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return `${at || "/"}: recorded ${short(recorded)}, now ${short(now)}`;
}

function listDifference(
  recorded: readonly unknown[],
  now: readonly unknown[],
  at: string,
): string | undefined {
  for (let i = 0; i < Math.min(recorded.length, now.length); i++) {
    const found = difference(recorded[i], now[i], `${at}[${i}]`);
    if (found !== undefined) return found;
  }
  if (recorded.length === now.length) return undefined;
  const change = now.length > recorded.length ? "extra" : "missing";
  const item = (change === "extra" ? now : recorded)[Math.min(recorded.length, now.length)];
  return `${at}: ${now.length} items instead of ${recorded.length}; ${change}: ${short(item)}`;
}

function eventDifference(
  recorded: readonly unknown[],
  now: readonly unknown[],
  at: string,
): string | undefined {
  if (stable(recorded) === stable(now)) return undefined;
  const [missing, extra] = [without(recorded, now), without(now, recorded)];
  if (missing.length === 0 && extra.length === 0) return `${at}: the order differs`;
  const list = (items: readonly unknown[]) => items.map(short).join(" ") || "none";
  return `${at}: missing ${list(missing)}; extra ${list(extra)}`;
}

function without(items: readonly unknown[], others: readonly unknown[]): readonly unknown[] {
  const texts = new Set(others.map(stable));
  return items.filter((item) => !texts.has(stable(item)));
}

function short(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > 700 ? `${text.slice(0, 700)}…` : text;
}
