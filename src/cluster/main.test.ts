import { execFile } from "node:child_process";
import { expect, test } from "vitest";
import { wherryProgram } from "../../test/wherry-program.ts";
import { kubernetesVersion, version } from "./version.ts";

function wherry(...args: readonly string[]) {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [wherryProgram(), ...args], (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

test("wherry --version: prints the versions of Wherry and Kubernetes", async () => {
  const stdout = `wherry ${version} (Kubernetes ${kubernetesVersion})\n`;
  expect(await wherry("--version")).toEqual({ code: 0, stdout, stderr: "" });
});

test("wherry: an unknown flag exits with code 2 and a suggestion", async () => {
  expect(await wherry("--verion")).toEqual({
    code: 2,
    stdout: "",
    stderr:
      "Error: unknown flag: --verion\nDid you mean --version?\nSee 'wherry --help' for usage.\n",
  });
});
