import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { KubeletConfiguration } from "../../config/kubelet-configuration.ts";
import { machineProblems } from "./machine-problems.ts";

const kernel = {
  "sys/vm/overcommit_memory": "1\n",
  "sys/vm/panic_on_oom": "0\n",
  "sys/kernel/panic": "10\n",
  "sys/kernel/panic_on_oops": "1\n",
  "sys/kernel/keys/root_maxkeys": "1000000\n",
  "sys/kernel/keys/root_maxbytes": "25000000\n",
};
const headings = "Filename Type Size Used Priority\n";

/** The problems of a configuration on a machine with these files in `/proc`. */
async function problemsOf(
  config: Partial<KubeletConfiguration>,
  files: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const proc = await mkdtemp(join(tmpdir(), "proc-"));
  onTestFinished(() => rm(proc, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(proc, name)), { recursive: true });
    await writeFile(join(proc, name), text);
  }
  return machineProblems(config as KubeletConfiguration, proc);
}

test("machineProblems: a kubelet does not start on a machine with swap, unless it may", async () => {
  const swaps = `${headings}/dev/sda2 partition 1048572 0 -2\n`;
  expect(await problemsOf({ failSwapOn: true }, { swaps })).toEqual([
    "running with swap on is not supported, please disable swap or set --fail-swap-on flag to false",
  ]);
  expect(await problemsOf({ failSwapOn: false }, { swaps })).toEqual([]);
  expect(await problemsOf({ failSwapOn: true }, { swaps: headings })).toEqual([]);
  expect(await problemsOf({ failSwapOn: true }, {})).toEqual([]);
});

test("machineProblems: a kubelet that must not change the kernel needs its settings", async () => {
  const config = { protectKernelDefaults: true };
  expect(await problemsOf(config, kernel)).toEqual([]);
  const { "sys/kernel/panic": _, ...others } = kernel;
  expect(await problemsOf(config, { ...others, "sys/vm/overcommit_memory": "0\n" })).toEqual([
    "invalid kernel flag: vm/overcommit_memory, expected value: 1, actual value: 0",
    expect.stringContaining("no such file"),
  ]);
  expect(await problemsOf({ protectKernelDefaults: false }, {})).toEqual([]);
});
