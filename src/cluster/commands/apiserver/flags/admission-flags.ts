import { pluginTable } from "../../../../apiserver/admission/plugin-table.ts";
import { pluginFaults } from "../../../../apiserver/admission/select-plugins.ts";
import { intFlag, stringFlag, stringsFlag, type Values } from "../../../../cli/flag.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { section } from "../../../flags/server-flag.ts";

const tolerated = (what: string) =>
  intFlag({
    usage: `how many seconds pods tolerate nodes that are ${what}, where they do not say`,
    default: 300,
  });

export const admissionFlags = section("Admission flags", {
  "enable-admission-plugins": stringsFlag({
    usage: "plugins of admission to run beside those that run anyway; their order is fixed",
  }),
  "disable-admission-plugins": stringsFlag({
    usage: "plugins of admission that are not to run, though they would",
  }),
  "admission-control": stringsFlag({
    usage: "the plugins of admission to run, and no others",
    deprecated:
      "Use --enable-admission-plugins or --disable-admission-plugins instead. Will be removed in a future version.",
  }),
  "admission-control-config-file": stringFlag({
    usage: "the `FILE` of a document AdmissionConfiguration, with what plugins are told",
  }),
  "default-not-ready-toleration-seconds": tolerated("not ready"),
  "default-unreachable-toleration-seconds": tolerated("unreachable"),
});

/** Which plugins are chosen, beside or instead of those that run anyway. */
export function chosenPlugins(flags: Values<typeof admissionFlags>): {
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

/** What is wrong with the values, in upstream's words. */
export function admissionProblems(flags: Values<typeof admissionFlags>): string[] {
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
