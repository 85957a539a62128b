import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { otherCheckout } from "../apiserver/apiserver-process.ts";
import { median, verdict } from "../apiserver/apiserver-verdict.ts";

const rounds = 7;

/** How long `wherry up` takes until a cluster with a simulated node is usable, and in another checkout. */
export async function benchUp(work: string): Promise<void> {
  const other = otherCheckout();
  const checkouts = [".", ...(other === undefined ? [] : [other])].map((directory) => ({
    directory,
    first: [] as number[],
    again: [] as number[],
  }));
  // As users have it: the package's own program.
  for (const { directory } of checkouts) run(directory, ["scripts/build/build.mjs"], {});
  for (let round = 0; round < rounds; round++) {
    for (const [index, { directory, first, again }] of checkouts.entries()) {
      const env = {
        KUBECONFIG: join(work, `kubeconfig-${index}-${round}`),
        XDG_DATA_HOME: join(work, `data-${index}-${round}`),
      };
      const wherry = (...args: string[]) =>
        run(directory, [join("dist", "wherry.js"), ...args], env);
      first.push(wherry("up", "--simulated", "--port", "0"));
      wherry("down");
      again.push(wherry("up"));
      wherry("delete", "--yes");
    }
  }
  const [own, before] = checkouts.map(({ first, again }) => ({
    first: median(first),
    again: median(again),
  }));
  if (own === undefined) return;
  console.log(`\nup: ${own.first.toFixed(0)} ms the first time, ${own.again.toFixed(0)} ms again`);
  if (before === undefined) return;
  console.log(
    `up of the other checkout: ${before.first.toFixed(0)} ms the first time, ${before.again.toFixed(0)} ms again`,
  );
  verdict("later, the first time", own.first - before.first, { most: 100, unit: "ms" });
  verdict("later, again", own.again - before.again, { most: 100, unit: "ms" });
}

function run(
  directory: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): number {
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: resolve(directory),
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`node ${args.join(" ")} ended with ${status}: ${stderr}`);
  return performance.now() - began;
}
