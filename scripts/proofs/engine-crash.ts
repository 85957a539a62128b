// Kills the engine at random points while containers come and go: npm run engine-crash -- [--kills N] [--pods N] [--seed N]
import { chmodSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Random, SeededRandom } from "../../src/base/random.ts";
import { hostEngine, KillableEngine } from "./engine-crash-host.ts";
import { engineLeftovers } from "./engine-crash-leftovers.ts";
import { below, type CrashTally, livePod } from "./engine-crash-pod.ts";

/** How long a start of the engine and the end of the last pods may take. */
const limitMs = 60_000;

const cgroup = `wherry-crash-${process.pid}`;

if (process.argv[2] === "host") await hostEngine(process.argv[3] ?? "");
else await main();

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { kills: { type: "string" }, pods: { type: "string" }, seed: { type: "string" } },
  });
  const kills = Number(values.kills ?? 1000);
  const pods = Number(values.pods ?? 50);
  const seed = Number(values.seed ?? Date.now() % 1e6);
  const random = new SeededRandom(seed);
  const root = mkdtempSync(join(tmpdir(), "wherry-crash-"));
  console.log(`seed ${seed}, ${pods} pods at a time, ${kills} kills`);
  const engine = new KillableEngine(root);
  const tally: CrashTally = { finished: 0, interrupted: 0, withUsers: 0 };
  // The root of a pod with users of its own must be able to enter.
  chmodSync(root, 0o711);
  try {
    await engine.start();
    const { handlers } = await engine.call("status");
    const hasUsers = handlers[0]?.userNamespaces ?? false;
    await killOften(engine, { kills, pods, random, tally, hasUsers });
  } finally {
    await engine.kill();
  }
  const left = engineLeftovers(root, cgroup);
  removeCgroups();
  rmSync(root, { recursive: true, force: true });
  console.log(
    `${kills} kills, ${tally.finished} pods, ${tally.interrupted} starts interrupted and repeated, ${tally.withUsers} pods with users of their own`,
  );
  if (left.length === 0) return console.log("nothing is left behind");
  for (const one of left) console.error(`left behind: ${one}`);
  process.exitCode = 1;
}

interface CrashLoad {
  readonly kills: number;
  /** How many pods there are at a time. */
  readonly pods: number;
  readonly random: Random;
  readonly tally: CrashTally;
  /** Whether pods can have users of their own. */
  readonly hasUsers: boolean;
}

/** Kills the engine while pods come and go; rejects with what is wrong with one of them. */
async function killOften(
  engine: KillableEngine,
  { kills, pods, random, tally, hasUsers }: CrashLoad,
): Promise<void> {
  let isOver = false;
  let next = 0;
  const live = async (): Promise<void> => {
    while (!isOver) {
      const number = next++;
      const hostId = hasUsers ? 65_536 * (1 + (number % 10_000)) : undefined;
      await livePod(engine, { uid: `pod-${number}`, cgroup, hostId, random, tally });
    }
  };
  const living = Promise.all(Array.from({ length: pods }, live));
  let failure: unknown;
  living.catch((error) => {
    failure = error;
  });
  for (let kill = 1; kill <= kills && failure === undefined; kill++) {
    // Long enough for some of the pods to come further than their start.
    await wait(20 + below(100 + 60 * pods, random));
    await engine.kill();
    await inTime(engine.start(), () => `the engine did not start after kill ${kill}`);
    if (kill % 50 === 0) console.log(`${kill} kills, ${tally.finished} pods`);
  }
  isOver = true;
  await inTime(living, () =>
    ["pods did not end; open calls of the engine:", ...engine.openCalls].join("\n  "),
  );
}

/** Waits for a step that is expected to end; says what is missing when it does not. */
async function inTime<T>(step: Promise<T>, missing: () => string): Promise<T> {
  const limit = new AbortController();
  const late = wait(limitMs, undefined, limit).then(() => {
    throw new Error(missing());
  });
  late.catch(() => {});
  try {
    return await Promise.race([step, late]);
  } finally {
    limit.abort();
  }
}

/** The cgroups of pods are made for a kubelet, which would remove them. */
function removeCgroups(): void {
  const remove = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory()) remove(join(folder, entry.name));
    rmdirSync(folder);
  };
  for (const hierarchy of readdirSync("/sys/fs/cgroup"))
    try {
      remove(join("/sys/fs/cgroup", hierarchy, cgroup));
    } catch {
      // It has no such cgroup.
    }
}
