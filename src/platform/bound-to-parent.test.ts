import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { expect } from "vitest";
import { requires, testWith } from "../../test/requires.ts";
import { boundToParent } from "./bound-to-parent.ts";
import { identifyProcess, isRunning } from "./process-identity.ts";

testWith(requires("boxes"))(
  "boundToParent: a child does not outlive a parent that is killed",
  async () => {
    const child = JSON.stringify(boundToParent("sleep", ["1000"], "PARENT"));
    const parent = spawn(process.execPath, ["-e", parentProgram, child]);
    const [pid] = await once(parent.stdout, "data");
    const identity = identifyProcess(Number(pid));
    if (!identity) throw new Error("the child has not started");
    await expect.poll(() => readFile(`/proc/${identity.pid}/comm`, "utf8")).toBe("sleep\n");
    parent.kill("SIGKILL");
    await expect.poll(() => isRunning(identity)).toBe(false);
  },
);

const parentProgram = `
const args = JSON.parse(process.argv[1]).map((one) => (one === "PARENT" ? String(process.pid) : one));
console.log(require("node:child_process").spawn("sh", args).pid);
`;

testWith(requires("boxes"))(
  "boundToParent: a child whose parent has already ended does not start",
  () => {
    const child = boundToParent("echo", ["started"]);
    const run = (...args: readonly string[]): string =>
      execFileSync("sh", args, { encoding: "utf8" });
    expect(run(...child)).toBe("started\n");
    // The shell between has adopted the child.
    expect(run("-c", 'sh "$@"; true', "sh", ...child)).toBe("");
  },
);
