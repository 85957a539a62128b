import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { kubernetesVersion, version } from "./version.ts";

const project = join(import.meta.dirname, "..", "..");

function wherry(...args: readonly string[]) {
  return new Promise((resolve) => {
    const script = [join(project, "scripts", "run.mjs"), join(import.meta.dirname, "main.ts")];
    const child = execFile(process.execPath, [...script, ...args], (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

test("wherry --version: prints our version and that of Kubernetes", async () => {
  const stdout = `wherry ${version} (Kubernetes ${kubernetesVersion})\n`;
  expect(await wherry("--version")).toEqual({ code: 0, stdout, stderr: "" });
});

test("wherry: a wrong flag is exit code 2, with a hint", async () => {
  expect(await wherry("--verion")).toEqual({
    code: 2,
    stdout: "",
    stderr:
      "Error: unknown flag: --verion\nDid you mean --version?\nSee 'wherry --help' for usage.\n",
  });
});
