/** The types of plugins that register at a kubelet. */
export type PluginType = "CSIPlugin" | "DevicePlugin" | "DRAPlugin";

/** A plugin, as it introduces itself. */
export interface Plugin {
  /** Unique among the plugins of its type: a resource, or a driver. */
  readonly name: string;
  /** The path of the socket at which it is called. */
  readonly endpoint: string;
  /** The versions of its API. */
  readonly versions: readonly string[];
}

/** How a kubelet uses the plugins of one type. The calls for a plugin follow each other. */
export interface PluginHandler {
  /** Returns why a plugin cannot be used, which the plugin learns; undefined if it can. */
  problemOf(plugin: Plugin): string | undefined;
  /** Starts to use a plugin. The plugin learns why it failed, and it is retried. */
  register(plugin: Plugin): Promise<void>;
  /** Stops to use a plugin, whose socket is gone or was created anew. */
  deregister(plugin: Plugin): Promise<void>;
}

/** The handlers of the types that a kubelet can use. */
export type PluginHandlers = Readonly<Partial<Record<PluginType, PluginHandler>>>;
