import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { requires, testWith } from "../../test/requires.ts";
import { runScript } from "../project.mjs";

testWith(requires("nft", "conntrack"))(
  "service proxy: killed while services change, it ends with the tables of a fresh process, for 4 seeds",
  async () => {
    const program = join(import.meta.dirname, "proxy-crash.ts");
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...[runScript, program, "--seeds", "4", "--kills", "2"],
    ]);
    expect(stdout).toMatch(/4 seeds with 2 kills each .*no stale endpoint responds\n/);
  },
  180_000,
);
