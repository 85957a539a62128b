import { readFile } from "node:fs/promises";
import type { MetricSelection } from "../../base/metric-selection.ts";
import { pairsFlag, stringFlag, stringsFlag, type Values } from "../../cli/flag.ts";
import { UsageError } from "../../cli/parse-flags.ts";
import { fileFault } from "../../kubeconfig/file-fault.ts";
import { quote } from "../../schema/values/quote.ts";
import { yamlToJson } from "../../schema/yaml/yaml.ts";
import { versionInfo } from "../version.ts";
import { section } from "./server-flag.ts";

export const metricsFlags = section("Metrics flags", {
  "show-hidden-metrics-for-version": stringFlag({
    usage:
      "show metrics that are hidden because they are deprecated: the previous `VERSION`, 1.35, is the only one allowed, so that metrics hidden by the next release are noticed",
  }),
  "disabled-metrics": stringsFlag({
    usage: "the full names of metrics to leave out, whether they would be shown or not",
  }),
  "allow-metric-labels": pairsFlag({
    usage:
      "the allowed values of a label, as metric,label='value1,value2': other values become \"unexpected\"",
  }),
  "allow-metric-labels-manifest": stringFlag({
    usage:
      "the `FILE` with the allowed values, instead of that flag: a map in YAML, such as 'metric,label: value1,value2'",
  }),
});

type MetricsFlags = Values<typeof metricsFlags>;

const metricName = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const labelName = "[a-zA-Z_][a-zA-Z0-9_]*";
const keyFormat = `must have keys with format \`metricName,labelName\` where metricName matches "${metricName}" and labelName matches "${labelName}"`;

/** The problems of the values, in upstream's words; those of the file are found when it is read. */
export function metricsProblems(flags: MetricsFlags): string[] {
  const {
    "disabled-metrics": disabled,
    "allow-metric-labels": allowed,
    "allow-metric-labels-manifest": file,
  } = flags;
  const unnamed = disabled.find((name) => !new RegExp(`^${metricName}$`).test(name));
  const keyProblem = allowListProblem(allowed);
  const versionProblem = shownVersionProblem(flags["show-hidden-metrics-for-version"]);
  const problems: string[] = [];
  if (versionProblem !== undefined)
    problems.push(`metrics.showHiddenMetricsForVersion: ${versionProblem}`);
  if (unnamed !== undefined)
    problems.push(
      `metrics.disabledMetrics: Invalid value: ${JSON.stringify(disabled)}: must be fully qualified metric names matching "^${metricName}$", got ${quote(unnamed)}`,
    );
  if (keyProblem !== undefined) problems.push(`metrics.allowListMapping: ${keyProblem}`);
  if (allowed.size > 0 && file !== "")
    problems.push(
      `metrics: Invalid value: ${JSON.stringify(configurationOf(flags))}: cannot specify both allowListMapping and allowListMappingManifest`,
    );
  return problems;
}

/** Why hidden metrics cannot be shown for this version; undefined if they can. */
export function shownVersionProblem(version: string): string | undefined {
  const previous = `${versionInfo.major}.${Number(versionInfo.minor) - 1}`;
  if (version === "" || version === previous) return undefined;
  return `Invalid value: ${quote(version)}: must be omitted or have the value '${previous}'; only the previous minor version is allowed`;
}

/** The metrics of this release, with those that are hidden if a version is given. */
export const shownMetrics = (version: string): MetricSelection => ({
  minor: Number(versionInfo.minor),
  showsHidden: version !== "",
});

/** The metrics that the flags select. */
export async function metricSelection(flags: MetricsFlags): Promise<MetricSelection> {
  const file = flags["allow-metric-labels-manifest"];
  const allowed = file === "" ? flags["allow-metric-labels"] : await allowListOf(file);
  return {
    ...shownMetrics(flags["show-hidden-metrics-for-version"]),
    disabled: new Set(flags["disabled-metrics"]),
    ...(allowed.size > 0 && { allowed: allowedLabels(allowed) }),
  };
}

/** Reads an allow list from a file; throws a UsageError with what is wrong with it. */
async function allowListOf(path: string): Promise<ReadonlyMap<string, string>> {
  const at = "metrics.allowListMappingManifest";
  const fault = (why: string) => new UsageError([`${at}: Invalid value: ${quote(path)}: ${why}`]);
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw fault(`failed to read allow list manifest: ${fileFault("open", path, error)}`);
  });
  let parsed: unknown;
  try {
    parsed = yamlToJson(text) ?? {};
  } catch (error) {
    throw fault(`failed to parse allow list manifest: ${(error as Error).message}`);
  }
  const pairs = Object.entries(parsed as object);
  if (typeof parsed !== "object" || pairs.some(([, value]) => typeof value === "object"))
    throw fault("failed to parse allow list manifest: it is not a map of strings");
  const list = new Map(pairs.map(([key, value]) => [key, String(value)]));
  const problem = allowListProblem(list);
  if (problem !== undefined)
    throw fault(`invalid allow list mapping in manifest: [${at}: ${problem}]`);
  return list;
}

function allowListProblem(list: ReadonlyMap<string, string>): string | undefined {
  const key = new RegExp(`^${metricName},${labelName}$`);
  return [...list.keys()].every((one) => key.test(one))
    ? undefined
    : `Invalid value: ${JSON.stringify(sorted(list))}: ${keyFormat}`;
}

function allowedLabels(list: ReadonlyMap<string, string>): NonNullable<MetricSelection["allowed"]> {
  const allowed = new Map<string, Map<string, ReadonlySet<string>>>();
  for (const [key, values] of list) {
    const [metric = "", label = ""] = key.split(",");
    const labels = allowed.get(metric) ?? new Map<string, ReadonlySet<string>>();
    allowed.set(metric, labels.set(label, new Set(values.split(","))));
  }
  return allowed;
}

/** The flags as upstream's configuration, without empty fields. */
const configurationOf = (flags: MetricsFlags): object => ({
  ...(flags["show-hidden-metrics-for-version"] !== "" && {
    showHiddenMetricsForVersion: flags["show-hidden-metrics-for-version"],
  }),
  ...(flags["disabled-metrics"].length > 0 && { disabledMetrics: flags["disabled-metrics"] }),
  allowListMapping: sorted(flags["allow-metric-labels"]),
  allowListMappingManifest: flags["allow-metric-labels-manifest"],
});

const sorted = (list: ReadonlyMap<string, string>): object =>
  Object.fromEntries([...list].sort(([a], [b]) => (a < b ? -1 : 1)));
