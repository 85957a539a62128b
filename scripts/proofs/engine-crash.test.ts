import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { requires, testWith } from "../../test/requires.ts";
import { runScript } from "../project.mjs";

testWith(requires("containers"))(
  "the engine: killed 10 times, it loses no container and leaves nothing behind",
  async () => {
    const program = join(import.meta.dirname, "engine-crash.ts");
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...[runScript, program, "--kills", "10", "--pods", "5"],
    ]);
    expect(stdout).toMatch(/10 kills, \d+ pods, .*\nnothing is left behind\n/);
  },
  150_000,
);
