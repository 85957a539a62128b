import { bridgePlugin } from "./bridge/bridge.ts";
import { builtIn } from "./built-in.ts";
import { hostLocal } from "./host-local/host-local.ts";
import { loopback } from "./loopback.ts";
import type { CniPlugin } from "./plugin.ts";
import { portmap } from "./portmap/portmap.ts";

/** The plugins of a program, by the names that it is called by. */
export function ownPlugins(path: string): Readonly<Record<string, CniPlugin>> {
  const plugins: Readonly<Record<string, CniPlugin>> = {
    ...{ loopback, "host-local": hostLocal, portmap, wherry: builtIn },
    bridge: bridgePlugin({ path, plugins: () => plugins }),
  };
  return plugins;
}
