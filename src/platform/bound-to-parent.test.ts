import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { expect } from "vitest";
import { requires, testWith } from "../../test/requires.ts";
import { boundToParent } from "./bound-to-parent.ts";
import { identifyProcess, isRunning } from "./process-identity.ts";

testWith(requires("boxes"))(
  "boundToParent: a child does not outlive a parent that is killed",
  async () => {
    const child = boundToParent("sleep", ["1000"]);
    const parent = spawn("sh", ["-c", 'sh "$@" & echo $!; wait', "sh", ...child]);
    const [pid] = await once(parent.stdout, "data");
    const identity = identifyProcess(Number(pid));
    if (!identity) throw new Error("the child has not started");
    await expect.poll(() => readFile(`/proc/${identity.pid}/comm`, "utf8")).toBe("sleep\n");
    parent.kill("SIGKILL");
    await expect.poll(() => isRunning(identity)).toBe(false);
  },
);
