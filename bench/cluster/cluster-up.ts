import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { median, verdict } from "../apiserver/apiserver-verdict.ts";

const rounds = 5;

/** How long `wherry up` takes until the cluster is usable, over a Node that does nothing. */
export async function benchUp(work: string): Promise<void> {
  // As users have it: the package's own program.
  run(["scripts/build/build.mjs"], {});
  const wherry = join("dist", "wherry.js");
  const bare: number[] = [];
  const first: number[] = [];
  const again: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const env = {
      KUBECONFIG: join(work, `kubeconfig-${i}`),
      XDG_DATA_HOME: join(work, `data-${i}`),
    };
    bare.push(run(["-e", "0"], env));
    first.push(run([wherry, "up", "--port", "0"], env));
    run([wherry, "down"], env);
    again.push(run([wherry, "up"], env));
    run([wherry, "delete", "--yes"], env);
  }
  const nothing = median(bare);
  console.log(
    `\nup: ${median(first).toFixed(0)} ms the first time, ${median(again).toFixed(0)} ms again; node -e 0 takes ${nothing.toFixed(0)} ms`,
  );
  verdict("up to usable, the first time", median(first) - nothing, { most: 1200, unit: "ms" });
  verdict("up to usable, again", median(again) - nothing, { most: 800, unit: "ms" });
}

function run(args: readonly string[], env: Readonly<Record<string, string>>): number {
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, {
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`node ${args.join(" ")} ended with ${status}: ${stderr}`);
  return performance.now() - began;
}
