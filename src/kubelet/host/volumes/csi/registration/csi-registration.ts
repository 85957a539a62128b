import type { Clock } from "../../../../../base/clock.ts";
import { errorMessage } from "../../../../../base/error-message.ts";
import type { Log } from "../../../../../base/log.ts";
import { quote } from "../../../../../schema/values/quote.ts";
import type { Plugin, PluginHandler } from "../../../plugins/plugin-handler.ts";
import { csiDriverClient } from "../csi-driver-client.ts";
import type { CsiMetrics } from "../csi-metrics.ts";
import { csiError } from "../csi-text.ts";
import type { CsiDrivers } from "./csi-drivers.ts";
import { readNodeInfo } from "./driver-node-info.ts";
import type { NodeInfo } from "./node-info.ts";
import {
  type CsiVersion,
  highestSupportedVersion,
  isOlder,
  versionText,
} from "./supported-version.ts";

export interface CsiRegistrationOptions {
  readonly drivers: CsiDrivers;
  readonly nodeInfo: NodeInfo;
  readonly clock: Clock;
  readonly metrics: CsiMetrics;
  readonly log: Log;
}

/** Registers drivers: their calls are possible then, and the Node and the CSINode say what drivers say of the node. */
export function csiRegistration(options: CsiRegistrationOptions): PluginHandler {
  const { drivers, nodeInfo, log } = options;
  const registered = new Map<string, { readonly plugin: Plugin; readonly version: CsiVersion }>();

  const validate = (caller: string, { name, versions }: Plugin): CsiVersion => {
    const failure = (why: string): Error =>
      csiError(`${caller} for CSI driver ${quote(name)} failed. ${why}`);
    if (versions.length === 0)
      throw failure("Plugin returned an empty list for supported versions");
    const version = highestOf(versions, failure);
    const other = registered.get(name)?.version;
    if (other && !isOlder(other, version))
      throw failure(
        `Another driver with the same name is already registered with a higher supported version: ${quote(versionText(other))}`,
      );
    return version;
  };
  return {
    problemOf(plugin) {
      try {
        validate("ValidatePlugin", plugin);
        return undefined;
      } catch (error) {
        return `validation failed for CSI Driver ${plugin.name} at endpoint ${plugin.endpoint}: ${errorMessage(error)}`;
      }
    },
    async register(plugin) {
      const version = validate("RegisterPlugin", plugin);
      const { name, endpoint: socket } = plugin;
      const client = csiDriverClient({ ...options, name, socket });
      try {
        await nodeInfo.install(name, await readNodeInfo(client));
      } catch (error) {
        client.close();
        if (!registered.has(name)) await forget(name, { nodeInfo, log });
        throw error;
      }
      drivers.find(name)?.retire();
      registered.set(name, { plugin, version });
      drivers.set(name, client);
    },
    async deregister(plugin) {
      const { name } = plugin;
      // Another instance may have taken its place.
      if (registered.get(name)?.plugin !== plugin) return;
      registered.delete(name);
      drivers.find(name)?.retire();
      drivers.delete(name);
      await forget(name, { nodeInfo, log });
    },
  };
}

function highestOf(versions: readonly string[], failure: (why: string) => Error): CsiVersion {
  try {
    return highestSupportedVersion(versions);
  } catch (error) {
    const list = versions.map(quote).join(" ");
    throw failure(
      `None of the versions specified [${list}] are supported. err=${errorMessage(error)}`,
    );
  }
}

/** The Node and the CSINode are written again when the driver registers again: a failure does no harm. */
async function forget(
  name: string,
  { nodeInfo, log }: Pick<CsiRegistrationOptions, "nodeInfo" | "log">,
): Promise<void> {
  await nodeInfo
    .uninstall(name)
    .catch((error: unknown) => log.warn("uninstalling a CSI driver failed", { name, error }));
}
