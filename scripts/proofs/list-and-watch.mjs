// @ts-check
// More interleavings of lists, watches and writes than the tests try: npm run list-and-watch -- [count] [first seed]
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { projectRoot } from "../project.mjs";

const [count = "1000", first = "1"] = process.argv.slice(2);
const vitest = join(projectRoot, "node_modules", "vitest", "vitest.mjs");
const { status } = spawnSync(
  process.execPath,
  [vitest, "run", "src/apiserver/watch/list-and-watch.test.ts"],
  {
    cwd: projectRoot,
    env: { ...process.env, WHERRY_INTERLEAVINGS: count, WHERRY_SEED: first },
    stdio: "inherit",
  },
);
process.exitCode = status ?? 1;
