import { extensionPointNames } from "../framework/plugin.ts";
import type { PluginRef, PluginSet, Plugins } from "./scheduler-configuration.ts";

/** Applies the plugin configuration of a profile to the default plugins. */
export function mergePlugins(defaults: Plugins, custom: Plugins | undefined): Plugins {
  if (!custom) return defaults;
  const merged: Record<string, PluginSet> = {};
  for (const point of points) {
    const set = mergePluginSet(defaults[point], custom[point]);
    if (set.enabled || set.disabled) merged[point] = set;
  }
  return merged;
}

/**
 * Removes disabled plugins, replaces reconfigured ones in their place, and appends the other enabled
 * ones.
 */
export function mergePluginSet(defaults: PluginSet = {}, custom: PluginSet = {}): PluginSet {
  const disabled = [...(custom.disabled ?? []), ...(defaults.disabled ?? [])].map(({ name }) => ({
    name,
  }));
  const isDisabled = new Set(disabled.map(({ name }) => name));
  const configured = new Map((custom.enabled ?? []).map((one) => [one.name, one]));
  const replaced = new Set<PluginRef>();
  const kept = isDisabled.has("*")
    ? []
    : (defaults.enabled ?? [])
        .filter(({ name }) => !isDisabled.has(name))
        .map((one) => {
          const replacement = configured.get(one.name);
          if (!replacement) return one;
          replaced.add(replacement);
          return replacement;
        });
  const added = (custom.enabled ?? []).filter((one) => !replaced.has(one));
  const enabled = [...kept, ...added];
  return {
    ...(enabled.length > 0 && { enabled }),
    ...(disabled.length > 0 && { disabled }),
  };
}

/** The names of all enabled plugins, sorted. */
export function enabledPlugins(plugins: Plugins): readonly string[] {
  const names = points.flatMap((point) => (plugins[point]?.enabled ?? []).map(({ name }) => name));
  return [...new Set(names)].sort();
}

const points = [
  "multiPoint",
  ...extensionPointNames,
  "placementGenerate",
  "placementScore",
] as const;
