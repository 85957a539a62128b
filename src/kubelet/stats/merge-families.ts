import type { ReadFamily } from "../../base/metrics-text.ts";

/** Joins the samples of metrics with the same name: each may occur once in a text. Sorted by name. */
export function mergeFamilies(families: readonly ReadFamily[]): readonly ReadFamily[] {
  const byName = new Map<string, ReadFamily>();
  for (const family of families) {
    const before = byName.get(family.name);
    const samples = before ? [...before.samples, ...family.samples] : family.samples;
    byName.set(family.name, { ...(before ?? family), samples });
  }
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
