import type { PluginFactory } from "./plugin.ts";

/** Plugins that can be configured, by name. */
export type Registry = Readonly<Record<string, PluginFactory>>;

/** The plugins that there are, and those that somebody adds; throws where both have one of a name. */
export function mergedRegistry(known: Registry, added: Registry = {}): Registry {
  for (const name of Object.keys(added))
    if (Object.hasOwn(known, name)) throw new Error(`a plugin named ${name} already exists`);
  return { ...known, ...added };
}
