import { expect, test } from "vitest";
import { KustomizeError } from "../kustomize-error.ts";
import { helmChartGenerator } from "./helm-chart.ts";
import type { PluginContext } from "./plugin.ts";

const withHelm = (command: string): PluginContext =>
  ({ helm: { command } }) as unknown as PluginContext;

test("helmChartGenerator: a chart needs Helm, which is named if it is missing", async () => {
  const { generate } = helmChartGenerator({ name: "nginx" }, withHelm("no-such-helm"));
  await expect(generate()).rejects.toThrow(
    /^unable to run: 'no-such-helm version --short' with env=\[HELM_CONFIG_HOME=(\S+)\/helm HELM_CACHE_HOME=\1\/helm\/\.cache HELM_DATA_HOME=\1\/helm\/\.data\] \(is 'no-such-helm' installed\?\): exec: "no-such-helm": executable file not found in \$PATH$/,
  );
});

test("helmChartGenerator: where Helm is there, charts are refused by their names", async () => {
  const { generate } = helmChartGenerator({ name: "nginx" }, withHelm(process.execPath));
  const error = await generate().catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(KustomizeError);
  expect((error as Error).message).toContain(
    'the chart "nginx" is not inflated: Helm charts are not supported here',
  );
});
