import { SeededRandom } from "../../src/base/random.ts";
import { realClock } from "../../src/platform/real-clock.ts";
import { startEtcdServers } from "../../src/store/etcd/etcd-server.test-support.ts";
import { openEtcdStore } from "../../src/store/etcd/etcd-store.ts";
import type { CrashOptions } from "./crash-rounds.ts";
import { harmMembers } from "./etcd-nemesis.ts";
import { compactNowAndThen, prepareStores } from "./linearizability-backends.ts";
import { runRound } from "./linearizability-round.ts";

/** So many kills are in one history. */
const perHistory = 20;
/** Members that are started again are soon found, and a leader that is gone is soon replaced. */
const hurried = ["--heartbeat-interval", "30", "--election-timeout", "300"];

/** Kills members of an etcd of three, one or all, under 32 writers; throws if what is left is wrong. */
export async function crashEtcd({ seed, rounds, report }: CrashOptions): Promise<void> {
  const random = new SeededRandom(seed);
  const servers = await startEtcdServers({ members: 3, arguments: hurried });
  const { endpoints } = servers;
  const store = await openEtcdStore({ endpoints, clock: realClock });
  report(`seed ${seed}: killing members of an etcd of three ${rounds} times`);
  const compact = compactNowAndThen(store);
  let kills = 0;
  let acknowledged = 0;
  let revision = 1;
  try {
    while (kills < rounds) {
      const last = Math.min(kills + perHistory, rounds);
      const ended = (): boolean => kills >= last;
      const harming = {
        random,
        ended,
        harms: ["kill", "kill", "killAll"],
        longestMs: 500,
      } as const;
      const { problems, counts } = await runRound(
        {
          prepare: prepareStores([store]),
          disturb: async ({ begun }) => {
            const harmed = harmMembers(servers, { ...harming, onHarm: () => void kills++ });
            await Promise.all([harmed, compact({ random, ended, begun })]);
          },
          close: async () => undefined,
        },
        { name: `kills-${kills}`, clients: 32, random, ended },
      );
      if (problems.length > 0) throw new Error(problems.slice(0, 10).join("\n"));
      const before = revision;
      revision = await store.currentRevision();
      if (revision < before)
        throw new Error(`the revision went down from ${before} to ${revision}`);
      acknowledged += counts.done ?? 0;
      report(
        `${kills} kills, revision ${revision}: ${acknowledged} acknowledged commits are all there, ${counts.unknown ?? 0} of the last history are unknown`,
      );
    }
    if (acknowledged < rounds) throw new Error("the writers hardly wrote: nothing was tested");
  } finally {
    await store.close();
    await servers.stop();
  }
}
