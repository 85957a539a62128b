import { quote } from "../../schema/values/quote.ts";
import type { PluginRef, PluginSet, Profile } from "../configuration/scheduler-configuration.ts";
import {
  type ExtensionPoint,
  extensionPointNames,
  hasExtensionPoint,
  type Plugin,
} from "./plugin.ts";

/** A plugin that implements certain methods. */
export type With<M extends keyof Plugin> = Plugin & {
  readonly [K in M]-?: NonNullable<Plugin[K]>;
};

/** The plugins of a profile at each extension point, in order. */
export interface PluginLists {
  readonly preEnqueue: readonly With<"preEnqueue">[];
  readonly queueSort: readonly With<"less">[];
  readonly preFilter: readonly With<"preFilter">[];
  readonly filter: readonly With<"filter">[];
  readonly postFilter: readonly With<"postFilter">[];
  readonly preScore: readonly With<"preScore">[];
  readonly score: readonly With<"score">[];
  readonly reserve: readonly Plugin[];
  readonly permit: readonly With<"permit">[];
  readonly preBind: readonly With<"preBind">[];
  readonly bind: readonly With<"bind">[];
  readonly postBind: readonly With<"postBind">[];
  /** The weight of a plugin's scores. */
  readonly weights: ReadonlyMap<string, number>;
}

/**
 * Orders the plugins of a profile at each extension point: first those that are enabled both there and
 * by MultiPoint, then the others of MultiPoint, then those enabled only there.
 */
export function pluginLists(
  { schedulerName = "", plugins = {} }: Profile,
  made: ReadonlyMap<string, Plugin>,
): PluginLists {
  const multiPoint = plugins.multiPoint?.enabled ?? [];
  const lists = Object.fromEntries(
    extensionPointNames.map((point) => [
      point,
      listOf(point, plugins[point] ?? {}, { multiPoint, made }),
    ]),
  ) as unknown as Omit<PluginLists, "weights">;
  const name = quote(schedulerName);
  if (lists.queueSort.length !== 1)
    throw new Error(
      `only one queue sort plugin required for profile with scheduler name ${name}, but got ${lists.queueSort.length}`,
    );
  if (lists.bind.length === 0)
    throw new Error(`at least one bind plugin is needed for profile with scheduler name ${name}`);
  const weights = scoreWeights([...(plugins.score?.enabled ?? []), ...multiPoint], made);
  return { ...lists, weights };
}

function listOf(
  point: ExtensionPoint,
  { enabled = [], disabled = [] }: PluginSet,
  given: { readonly multiPoint: readonly PluginRef[]; readonly made: ReadonlyMap<string, Plugin> },
): readonly Plugin[] {
  const type = `${point[0]?.toUpperCase()}${point.slice(1)}Plugin`;
  const pluginOf = (name: string): Plugin => {
    const plugin = given.made.get(name);
    if (!plugin) throw new Error(`${type} ${quote(name)} does not exist`);
    return plugin;
  };
  const here = new Set<string>();
  for (const { name } of enabled) {
    if (!hasExtensionPoint(pluginOf(name), point))
      throw new Error(`plugin ${quote(name)} does not extend ${type} plugin`);
    if (here.has(name))
      throw new Error(`plugin ${quote(name)} already registered as ${quote(type)}`);
    here.add(name);
  }
  const isDisabled = new Set(disabled.map(({ name }) => name));
  if (isDisabled.has("*")) return [...here].map(pluginOf);
  const everywhere = new Set<string>();
  const both = new Set<string>();
  for (const { name } of given.multiPoint) {
    if (!hasExtensionPoint(pluginOf(name), point) || isDisabled.has(name)) continue;
    if (here.has(name)) both.add(name);
    else if (everywhere.has(name))
      throw new Error(`plugin ${quote(name)} already registered as ${quote(type)}`);
    else everywhere.add(name);
  }
  return [
    ...[...here].filter((name) => both.has(name)),
    ...everywhere,
    ...[...here].filter((name) => !both.has(name)),
  ].map(pluginOf);
}

/** The first configured weight counts; default: 1. */
function scoreWeights(
  refs: readonly PluginRef[],
  made: ReadonlyMap<string, Plugin>,
): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const { name, weight } of refs) {
    const plugin = made.get(name);
    if (!plugin || !hasExtensionPoint(plugin, "score") || weights.has(name)) continue;
    weights.set(name, weight || 1);
  }
  return weights;
}
