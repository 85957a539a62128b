import { pluginTable } from "../../../../apiserver/admission/plugin-table.ts";
import { pluginFaults } from "../../../../apiserver/admission/select-plugins.ts";
import { intFlag, stringFlag, stringsFlag } from "../../../../cli/flag.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { readAdmissionConfiguration } from "../admission-configuration.ts";
import { flagGroup, optionFlag } from "./apiserver-flag.ts";

const tolerationFlag = (state: string, option: "notReady" | "unreachable") =>
  optionFlag(
    intFlag({
      usage: `the default of how many seconds pods tolerate nodes that are ${state}`,
      default: 300,
    }),
    {
      sets: (seconds) => ({
        core: { admission: { configuration: { DefaultTolerationSeconds: { [option]: seconds } } } },
      }),
    },
  );

export const admissionFlags = flagGroup(
  "Admission flags",
  {
    "enable-admission-plugins": stringsFlag({
      usage: "admission plugins to run in addition to the default ones; the order has no effect",
    }),
    "disable-admission-plugins": stringsFlag({
      usage: "admission plugins to disable, although they are on by default",
    }),
    "admission-control": stringsFlag({
      usage: "the only admission plugins to run",
      deprecated:
        "Use --enable-admission-plugins or --disable-admission-plugins instead. Will be removed in a future version.",
    }),
    "admission-control-config-file": stringFlag({
      usage: "the `FILE` with an AdmissionConfiguration, which configures plugins",
    }),
    "default-not-ready-toleration-seconds": tolerationFlag("not ready", "notReady"),
    "default-unreachable-toleration-seconds": tolerationFlag("unreachable", "unreachable"),
  },
  {
    problems: pluginProblems,
    async sets(flags: AdmissionValues) {
      const flag = "admission-control-config-file";
      const path = flags[flag];
      const configuration = path === "" ? {} : await readAdmissionConfiguration({ flag, path });
      return { core: { admission: { ...chosenPlugins(flags), configuration } } };
    },
  },
);

/** The flag values that the group reads. */
interface AdmissionValues {
  readonly "enable-admission-plugins": readonly string[];
  readonly "disable-admission-plugins": readonly string[];
  readonly "admission-control": readonly string[];
  readonly "admission-control-config-file": string;
}

/** The chosen plugins, in addition to or instead of the default ones. */
function chosenPlugins(flags: AdmissionValues): {
  readonly enable: readonly string[];
  readonly disable: readonly string[];
} {
  const all = flags["admission-control"];
  if (all.length === 0)
    return {
      enable: flags["enable-admission-plugins"],
      disable: flags["disable-admission-plugins"],
    };
  return { enable: all, disable: pluginNames.filter((name) => !all.includes(name)) };
}

function pluginProblems(flags: AdmissionValues): string[] {
  const enable = flags["enable-admission-plugins"];
  const disable = flags["disable-admission-plugins"];
  const all = flags["admission-control"];
  const problems: string[] = [];
  if (all.length > 0 && enable.length + disable.length > 0)
    problems.push(
      "admission-control and enable-admission-plugins/disable-admission-plugins flags are mutually exclusive",
    );
  for (const name of all)
    if (!pluginNames.includes(name))
      problems.push(`admission-control plugin ${quote(name)} is unknown`);
  return [...problems, ...pluginFaults({ enable, disable })];
}

const pluginNames = pluginTable.map(({ name }) => name);
