import type { Clock } from "../../base/clock.ts";
import { errorMessage } from "../../base/error-message.ts";
import { quote } from "../../schema/values/quote.ts";
import { escalation } from "../authorization/escalation.ts";
import type { Registry } from "../objects/registry.ts";
import type { Resources } from "../objects/resources.ts";
import type { AdmissionPlugin } from "./admission.ts";
import type { AdmissionConfiguration } from "./configuration.ts";
import { deviceAdminAccess } from "./device-admin-access.ts";
import { pluginTable } from "./plugin-table.ts";
import { selectPlugins } from "./select-plugins.ts";

/** What plugins read of the cluster; the registry exists only after them. */
export type Cluster = () => Registry;

/** What plugins are made from. */
export interface PluginSetup {
  readonly cluster: Cluster;
  readonly resources: Resources;
  readonly clock: Clock;
  readonly configuration: AdmissionConfiguration;
}

/** Which plugins have a say, and what they are told. */
export interface AdmissionOptions {
  /** By name, beside those that are on by default. */
  readonly enable?: readonly string[];
  /** By name, of those that are on by default. */
  readonly disable?: readonly string[];
  readonly configuration?: AdmissionConfiguration;
  /** Plugins of whoever runs the server: they come after all others. */
  readonly also?: readonly AdmissionPlugin[];
}

/** The plugins of a server, in upstream's order; throws where they cannot be had as they are asked for. */
export function admissionPlugins(
  { enable = [], disable = [], configuration = {}, also = [] }: AdmissionOptions,
  from: Omit<PluginSetup, "configuration">,
): AdmissionPlugin[] {
  const selected = new Set(selectPlugins({ enable, disable }));
  const { cluster, resources } = from;
  return [
    ...pluginTable
      .filter(({ name }) => selected.has(name))
      .map(({ name, make }) => made(name, () => make?.({ ...from, configuration })))
      .filter((plugin) => plugin !== undefined),
    // Upstream has this one among the rules of claims.
    deviceAdminAccess(cluster, resources),
    // And this one in their storage: it comes after all that changes an object.
    escalation(cluster),
    ...also,
  ];
}

function made<T>(name: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new Error(`couldn't init admission plugin ${quote(name)}: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}
