import { StatusError } from "../api/meta/v1/status-error.ts";
import type { Random } from "../base/random.ts";
import type { Cluster } from "../testing/cluster.ts";
import type { Fault, FaultyCall } from "../testing/faults/fault.ts";

/** A world made at random, in which a controller is at work. */
export interface RandomWorld {
  /** How much the controller has written. */
  readonly writes: number;
  /** Which calls may come late; all of them if not given. */
  readonly mayDelay?: ((call: FaultyCall) => boolean) | undefined;
  populate(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Does something at random. */
  act(): Promise<void>;
  /** Lets go what is held. */
  releaseAll(): Promise<void>;
  /** What is not as it should be when all is done. */
  faults(): Promise<string[]>;
}

/** What came of a seed. */
export interface WorldFigures {
  /** What is wrong, in words. */
  readonly problems: readonly string[];
  /** How often something went wrong on the way. */
  readonly faults: number;
}

/** Has things happen in a world while its controller meets faults, and looks at what comes of it. */
export async function convergeWorld(
  cluster: Cluster,
  random: Random,
  world: RandomWorld,
): Promise<WorldFigures> {
  try {
    await world.populate();
    const met = addFaults(cluster, random, world);
    await world.start();
    for (let i = 2 + below(random, 8); i > 0; i--) {
      await world.act();
      await cluster.advance(below(random, 20_000));
    }
    cluster.faults.clear();
    await world.releaseAll();
    // After as many failures as there can have been, no retry waits for longer.
    await cluster.advance("20m");
    const problems = await world.faults();
    const writes = world.writes;
    await cluster.advance("1h");
    if (world.writes > writes) problems.push(`${world.writes - writes} writes in a quiet hour`);
    await world.stop();
    return { problems, faults: met() };
  } finally {
    await cluster.close();
  }
}

export const below = (random: Random, most: number): number => Math.floor(random.next() * most);

export const pick = <T>(random: Random, all: readonly T[]): T | undefined =>
  all[below(random, all.length)];

function addFaults({ faults }: Cluster, random: Random, { mayDelay }: RandomWorld): () => number {
  const some = random.next() * 0.15;
  let count = 0;
  const add = (share: number, fault: Fault, may = (_: FaultyCall): boolean => true): void => {
    const calls = (call: FaultyCall): boolean => {
      const isMet = may(call) && random.next() < some * share;
      if (isMet) count++;
      return isMet;
    };
    faults.add({ calls, fault });
  };
  add(0.5, { type: "fail" });
  add(0.5, { type: "fail", error: new StatusError("InternalError", "broken") });
  add(1, { type: "lose-response" }, ({ verb }) => verb !== "watch");
  add(1, { type: "delay", ms: below(random, 3000) }, mayDelay);
  add(1, { type: "break", afterMs: below(random, 10_000) });
  add(0.5, { type: "expire" });
  return () => count;
}
