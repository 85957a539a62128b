import type { Clock } from "../../../base/clock.ts";
import { errorMessage } from "../../../base/error-message.ts";
import { firstCall, type PluginClient, pluginClient } from "./plugin-client.ts";
import type { Plugin, PluginHandler, PluginHandlers, PluginType } from "./plugin-handler.ts";
import { registrationMethods } from "./registration-service.ts";

/** A plugin that is in use, and its handler. */
export interface RegisteredPlugin {
  readonly plugin: Plugin;
  readonly handler: PluginHandler;
}

export interface RegistrationOptions {
  readonly handlers: PluginHandlers;
  readonly clock: Clock;
  /** Ends the attempt before the plugin is in use. */
  readonly signal: AbortSignal;
}

/** Registers the plugin at a socket, and notifies it of the outcome. Rejects if it is not registered. */
export async function registerPlugin(
  socket: string,
  { handlers, clock, signal }: RegistrationOptions,
): Promise<RegisteredPlugin> {
  const client = pluginClient(socket);
  try {
    const info = await firstCall({ clock, signal }, () =>
      client.call(registrationMethods.getInfo, {}, { timeoutMs: infoMs, signal }),
    );
    const { name, type, supported_versions: versions } = info;
    const handler = handlers[type as PluginType];
    if (!handler)
      return await refuse(
        client,
        `no handler registered for plugin type: ${type} at socket ${socket}`,
      );
    const plugin = { name, endpoint: info.endpoint || socket, versions };
    const problem = handler.problemOf(plugin);
    if (problem !== undefined)
      return await refuse(client, `plugin validation failed with err: ${problem}`);
    try {
      await handler.register(plugin);
    } catch (error) {
      return await refuse(client, `plugin registration failed with err: ${errorMessage(error)}`);
    }
    try {
      await notify(client, { plugin_registered: true });
    } catch (error) {
      // A plugin that does not know that it is registered tries it again.
      await handler.deregister(plugin);
      throw error;
    }
    return { plugin, handler };
  } finally {
    client.close();
  }
}

const infoMs = 1000;
const notifyMs = 5000;

async function refuse(client: PluginClient, why: string): Promise<never> {
  const error = `RegisterPlugin error -- ${why}`;
  await notify(client, { plugin_registered: false, error });
  throw new Error(error);
}

const notify = (
  client: PluginClient,
  status: { readonly plugin_registered: boolean; readonly error?: string },
) => client.call(registrationMethods.notifyRegistrationStatus, status, { timeoutMs: notifyMs });
