import { quote } from "../../schema/values/quote.ts";
import { compareUtf8 } from "../../schema/values/utf8-order.ts";
import { pluginTable } from "./plugin-table.ts";

/** The names of plugins that are enabled and disabled. */
export interface PluginChoice {
  readonly enable?: readonly string[] | undefined;
  readonly disable?: readonly string[] | undefined;
}

/** The names of the active plugins, in their own order; throws if the choice is invalid. */
export function selectPlugins(choice: PluginChoice): readonly string[] {
  const faults = pluginFaults(choice);
  if (faults.length > 0) throw new Error(faults.join("; "));
  const { enable = [], disable = [] } = choice;
  return pluginTable
    .filter(
      ({ name, isDefault }) => enable.includes(name) || (isDefault && !disable.includes(name)),
    )
    .map(({ name }) => name);
}

/** The errors in a choice, with upstream's messages. */
export function pluginFaults({ enable = [], disable = [] }: PluginChoice): readonly string[] {
  const unknown = (flag: string, names: readonly string[]) =>
    names
      .filter((name) => !pluginTable.some((entry) => entry.name === name))
      .map((name) => `${flag} plugin ${quote(name)} is unknown`);
  const both = [...new Set(enable)].filter((name) => disable.includes(name)).sort(compareUtf8);
  const overlapping =
    both.length > 0
      ? [`[${both.join(" ")}] in enable-admission-plugins and disable-admission-plugins overlapped`]
      : [];
  return [
    ...unknown("enable-admission-plugins", enable),
    ...unknown("disable-admission-plugins", disable),
    ...overlapping,
  ];
}
