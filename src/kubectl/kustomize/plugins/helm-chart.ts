import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { isMap } from "../../../schema/json/json-value.ts";
import { quote } from "../../../schema/values/quote.ts";
import { KustomizeError } from "../kustomize-error.ts";
import type { Generator, PluginContext } from "./plugin.ts";

/** How Helm is called. */
export interface HelmOptions {
  /** The name or the path of the program. */
  readonly command: string;
}

/** Checks the configuration of a chart. Charts are not inflated: using one is an error. */
export function helmChartGenerator(config: unknown, { helm }: PluginContext): Generator {
  if (!helm) throw new KustomizeError("must specify --enable-helm");
  const { command } = helm;
  if (command === "") throw new KustomizeError("must specify --helm-command");
  const { name = "", valuesMerge = "" } = isMap(config) ? config : {};
  if (name === "") throw new KustomizeError("chart name cannot be empty");
  if (!["", "merge", "override", "replace"].includes(String(valuesMerge)))
    throw new KustomizeError("valuesMerge must be one of [merge override replace]");
  return {
    generate: () => Promise.reject(refusal(command, String(name))),
  };
}

function refusal(command: string, chart: string): KustomizeError {
  const problem = missingProgram(command);
  if (problem === undefined)
    return new KustomizeError(
      `the chart ${quote(chart)} is not inflated: Helm charts are not supported here; render it by 'helm template', and list the file under resources`,
    );
  // Named in the message as the original names the folder that it makes for Helm.
  const folder = mkdtempSync(join(tmpdir(), "kustomize-helm-"));
  rmSync(folder, { recursive: true });
  const env = `HELM_CONFIG_HOME=${folder}/helm HELM_CACHE_HOME=${folder}/helm/.cache HELM_DATA_HOME=${folder}/helm/.data`;
  return new KustomizeError(
    `unable to run: '${command} version --short' with env=[${env}] (is '${command}' installed?): ${problem}`,
  );
}

/** Why a program cannot be run, in Go's words; undefined if it can. */
function missingProgram(command: string): string | undefined {
  if (command.includes("/")) {
    return isExecutable(command) ? undefined : `fork/exec ${command}: no such file or directory`;
  }
  const folders = (process.env.PATH ?? "").split(delimiter);
  if (folders.some((folder) => isExecutable(join(folder, command)))) return undefined;
  return `exec: ${quote(command)}: executable file not found in $PATH`;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
