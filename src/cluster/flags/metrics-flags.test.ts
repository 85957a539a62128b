import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";

import { metricSelection, metricsFlags, metricsProblems } from "./metrics-flags.ts";
import { parsedFlags } from "./parsed-flags.test-support.ts";

const given = (...args: readonly string[]) => parsedFlags(metricsFlags, args).flags;

const keyFormat =
  'must have keys with format `metricName,labelName` where metricName matches "[a-zA-Z_:][a-zA-Z0-9_:]*" and labelName matches "[a-zA-Z_][a-zA-Z0-9_]*"';

each<[what: string, args: readonly string[], problems: readonly string[]]>([
  ["nothing", [], []],
  ["the previous version", ["--show-hidden-metrics-for-version=1.35"], []],
  [
    "an older version, and a metric without a name",
    ["--show-hidden-metrics-for-version=1.34", "--disabled-metrics=,x"],
    [
      `metrics.showHiddenMetricsForVersion: Invalid value: "1.34": must be omitted or have the value '1.35'; only the previous minor version is allowed`,
      'metrics.disabledMetrics: Invalid value: ["","x"]: must be fully qualified metric names matching "^[a-zA-Z_:][a-zA-Z0-9_:]*$", got ""',
    ],
  ],
  [
    "values without a label",
    ["--allow-metric-labels=a=b"],
    [`metrics.allowListMapping: Invalid value: {"a":"b"}: ${keyFormat}`],
  ],
  [
    "values here and in a file",
    [
      "--allow-metric-labels=m,l=v,w",
      "--allow-metric-labels=m2,l2=c",
      "--allow-metric-labels-manifest=/m2.yaml",
    ],
    [
      'metrics: Invalid value: {"allowListMapping":{"m,l":"v,w","m2,l2":"c"},"allowListMappingManifest":"/m2.yaml"}: cannot specify both allowListMapping and allowListMappingManifest',
    ],
  ],
])("metrics flags: %s", (_, args, problems) => {
  expect(metricsProblems(given(...args))).toEqual(problems);
});

test("metrics flags: select metrics and values of labels", async () => {
  expect(
    await metricSelection(
      given(
        "--disabled-metrics=a,b",
        "--show-hidden-metrics-for-version=1.35",
        "--allow-metric-labels=m,l=v,w",
        "--allow-metric-labels=m,k=",
      ),
    ),
  ).toEqual({
    minor: 36,
    showsHidden: true,
    disabled: new Set(["a", "b"]),
    allowed: new Map([
      [
        "m",
        new Map([
          ["l", new Set(["v", "w"])],
          ["k", new Set([""])],
        ]),
      ],
    ]),
  });
});

test("metrics flags: a file has the values of labels, or the server says why it cannot be used", async () => {
  const path = join(await mkdtemp(join(tmpdir(), "metrics-flags-")), "labels.yaml");
  const select = (file: string) =>
    metricSelection(given(`--allow-metric-labels-manifest=${file}`)).then(
      ({ allowed }) => allowed,
      (error: Error) => error.message,
    );
  const selectText = async (text: string) => {
    await writeFile(path, text);
    return select(path);
  };
  const at = `metrics.allowListMappingManifest: Invalid value: "${path}": `;
  expect(await selectText('"m,l": "v,w"\n')).toEqual(
    new Map([["m", new Map([["l", new Set(["v", "w"])]])]]),
  );
  expect(await selectText("a: b\n")).toBe(
    `${at}invalid allow list mapping in manifest: [metrics.allowListMappingManifest: Invalid value: {"a":"b"}: ${keyFormat}]`,
  );
  expect(await selectText("a: {}\n")).toBe(
    `${at}failed to parse allow list manifest: it is not a map of strings`,
  );
  expect(await selectText("{")).toContain(`${at}failed to parse allow list manifest: `);
  expect(await select("/nonexistent")).toBe(
    'metrics.allowListMappingManifest: Invalid value: "/nonexistent": failed to read allow list manifest: open /nonexistent: no such file or directory',
  );
});
