import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { errorMessage } from "../../../base/error-message.ts";
import type { KubeletConfiguration } from "../../config/kubelet-configuration.ts";

/** Why a kubelet with a configuration must not start on this machine; `proc` is its `/proc`. */
export const machineProblems = async (
  { failSwapOn, protectKernelDefaults }: KubeletConfiguration,
  proc = "/proc",
): Promise<readonly string[]> => [
  ...(failSwapOn && (await hasSwap(proc)) ? [swapProblem] : []),
  ...(protectKernelDefaults ? await kernelProblems(proc) : []),
];

const swapProblem =
  "running with swap on is not supported, please disable swap or set --fail-swap-on flag to false";

/** The file has a line of headings, and one for each area. */
async function hasSwap(proc: string): Promise<boolean> {
  const text = await readFile(join(proc, "swaps"), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return "";
  });
  return text.trim().split("\n").length > 1;
}

async function kernelProblems(proc: string): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [name, expected] of Object.entries(expectedKernel)) {
    try {
      const actual = Number(await readFile(join(proc, "sys", name), "utf8"));
      if (actual !== expected)
        problems.push(
          `invalid kernel flag: ${name}, expected value: ${expected}, actual value: ${actual}`,
        );
    } catch (error) {
      problems.push(errorMessage(error));
    }
  }
  return problems;
}

/** What upstream's kubelet needs of the kernel. It sets these itself unless its configuration protects them. */
const expectedKernel: Readonly<Record<string, number>> = {
  "vm/overcommit_memory": 1,
  "vm/panic_on_oom": 0,
  "kernel/panic": 10,
  "kernel/panic_on_oops": 1,
  "kernel/keys/root_maxkeys": 1_000_000,
  "kernel/keys/root_maxbytes": 25_000_000,
};
