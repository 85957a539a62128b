import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { readTracingConfiguration } from "./tracing-configuration.ts";

const head = "apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\n";

async function read(text: string): Promise<unknown> {
  const path = join(await mkdtemp(join(tmpdir(), "tracing-")), "tracing.yaml");
  await writeFile(path, text);
  return readTracingConfiguration(path).catch((error: Error) => error.message);
}

each<[what: string, text: string, outcome: unknown]>([
  ["nothing", head, { address: "localhost:4317", ratePerMillion: 0 }],
  [
    "an endpoint and a rate",
    `${head}endpoint: collector:9999\nsamplingRatePerMillion: 100`,
    { address: "collector:9999", ratePerMillion: 100 },
  ],
  [
    "a name of DNS",
    `${head}endpoint: dns:///collector:1`,
    { address: "collector:1", ratePerMillion: 0 },
  ],
  [
    "a socket",
    `${head}endpoint: unix:///run/otlp.sock`,
    { address: "unix:///run/otlp.sock", ratePerMillion: 0 },
  ],
  [
    "too much",
    `${head}samplingRatePerMillion: 1000001`,
    "failed to validate tracing configuration: samplingRatePerMillion: Invalid value: 1000001: sampling rate per million must be less than or equal to one million",
  ],
  [
    "another scheme",
    `${head}endpoint: http://a`,
    'failed to validate tracing configuration: endpoint: Invalid value: "http://a": unsupported scheme: http.  Options are none, dns, unix, or unix-abstract.  See https://github.com/grpc/grpc/blob/master/doc/naming.md',
  ],
  [
    "another kind",
    "apiVersion: v1\nkind: Pod",
    expect.stringMatching(
      /^failed to read tracing config: unable to decode tracing configuration data: no kind "Pod" is registered/,
    ),
  ],
])("readTracingConfiguration: %s", async (_, text, outcome) => {
  expect(await read(text)).toEqual(outcome);
});

test("readTracingConfiguration: a file that is not there", async () => {
  await expect(readTracingConfiguration("/nonexistent")).rejects.toThrow(
    'failed to read tracing config: unable to read tracing configuration from "/nonexistent": open /nonexistent: no such file or directory',
  );
});
