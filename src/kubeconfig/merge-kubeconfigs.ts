import { type Kubeconfig, type NamedExtension, type Section, sections } from "./kubeconfig.ts";

/**
 * Merges kubeconfigs: of entries with the same name the first wins as a whole, and the first current
 * context that is not empty.
 */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  // Unknown fields cannot be merged: the first wins.
  const merged: Record<string, unknown> = Object.assign({}, ...configs.toReversed());
  for (const section of Object.keys(sections) as Section[]) {
    const items = firstOfEach(configs.flatMap<Named>((config) => config[section] ?? []));
    if (items.length > 0) merged[section] = items;
    else delete merged[section];
  }
  const current = configs.map((config) => config["current-context"]).find((name) => name);
  if (current) merged["current-context"] = current;
  const extensions = firstOfEach(configs.flatMap((config) => config.extensions ?? []));
  if (extensions.length > 0) merged.extensions = extensions;
  const preferences = mergedPreferences(configs);
  if (preferences) merged.preferences = preferences;
  return merged as Kubeconfig;
}

interface Named {
  readonly name?: string | undefined;
}

function firstOfEach<T extends Named>(items: readonly T[]): T[] {
  const first = new Map<string, T>();
  for (const item of items) {
    const name = item.name ?? "";
    if (!first.has(name)) first.set(name, item);
  }
  return [...first.values()];
}

function mergedPreferences(configs: readonly Kubeconfig[]): object | undefined {
  const given = configs.map(({ preferences }) => preferences).filter((one) => one != null);
  if (given.length < 2) return given[0];
  const extensions: NamedExtension[] = firstOfEach(given.flatMap((one) => one.extensions ?? []));
  return {
    ...Object.assign({}, ...given.toReversed()),
    ...(given.some(({ colors }) => colors) && { colors: true }),
    ...(extensions.length > 0 && { extensions }),
  };
}
