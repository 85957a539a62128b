import type { Random } from "../../src/base/random.ts";
import type { EtcdServers } from "../../src/store/etcd/etcd-server.test-support.ts";

/** What may happen to members of an etcd. */
export type Harm = "pause" | "kill" | "killAll";

export interface NemesisOptions {
  readonly random: Random;
  readonly ended: () => boolean;
  readonly harms: readonly Harm[];
  /** The longest that all is well, and that it is not. */
  readonly longestMs?: number;
  readonly onHarm?: (harm: Harm) => void;
}

/** Pauses or kills members, one or all, and brings them back, until it has ended; then all are well. */
export async function harmMembers(servers: EtcdServers, options: NemesisOptions): Promise<void> {
  const { random, ended, harms, longestMs = 1500, onHarm } = options;
  const { members } = servers;
  const wait = () => new Promise((resolve) => setTimeout(resolve, random.next() * longestMs));
  for (await wait(); !ended(); await wait()) {
    const harm = harms[Math.floor(random.next() * harms.length)] ?? "kill";
    const member = members[Math.floor(random.next() * members.length)];
    onHarm?.(harm);
    if (harm === "pause") {
      member?.pause();
      await wait();
      member?.resume();
    } else {
      const victims = harm === "killAll" ? members : members.filter((one) => one === member);
      await Promise.all(victims.map((one) => one.kill()));
      await wait();
      await Promise.all(victims.map((one) => one.restart()));
    }
  }
  await servers.leader();
}
