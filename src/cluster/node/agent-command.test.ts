import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { givenNodeFlags } from "../commands/node/flags/given-node-flags.test-support.ts";
import { nodeOptions } from "../commands/node/node-options.ts";
import { boxKubeletConfiguration } from "./agent-command.ts";
import { ownFileLimit } from "./own-process.ts";

test("boxKubeletConfiguration: is valid and has no effectless settings, with either version of cgroups", async () => {
  const folder = await mkdtemp(join(tmpdir(), "agent-command-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "config.yaml");
  const given = {
    ...{ address: "10.0.0.1", cgroupRoot: "/box", podCIDR: "10.1.0.0/24" },
    clusterDns: ["10.96.0.10"],
  };
  await writeFile(file, JSON.stringify(boxKubeletConfiguration(given)));
  for (const isCgroupV1 of [true, false]) {
    const { config, warnings } = await nodeOptions(givenNodeFlags([`--config=${file}`]), {
      isCgroupV1,
    });
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({ oomScoreAdj: 0, maxOpenFiles: ownFileLimit(), kubeAPIQPS: 500 });
  }
});
