import type { PluginFactory } from "./plugin.ts";

/** Plugin factories by the names that configurations use. */
export type Registry = Readonly<Record<string, PluginFactory>>;

/** Adds plugins to the in-tree ones; throws if a name is taken. */
export function mergedRegistry(known: Registry, added: Registry = {}): Registry {
  for (const name of Object.keys(added))
    if (Object.hasOwn(known, name)) throw new Error(`a plugin named ${name} already exists`);
  return { ...known, ...added };
}
