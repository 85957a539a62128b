import type { Store } from "../../src/store/store.ts";
import { verdict } from "../apiserver/apiserver-verdict.ts";
import { podKey, timed, value, withStores } from "./store-context.ts";

const watchers = 1000;
const events = 1000;
/** Enough to know the rate of an etcd, which has to send each of them by itself. */
const etcdEvents = 50;

/** A thousand watchers of the same thousand events, against the same of an etcd. */
export function benchStoreWatchers(): Promise<void> {
  return withStores(async ({ lmdb, etcd }) => {
    console.log("");
    const own = await rateOf("lmdb", lmdb, events);
    if (etcd) {
      const other = await rateOf("etcd", etcd.store, etcdEvents);
      verdict(`${watchers} watchers × ${events} events`, own / other, { least: 2, unit: "×" });
    }
  });
}

/** Events per second that are brought to all of the watchers. */
async function rateOf(name: string, store: Store, count: number): Promise<number> {
  const from = await store.currentRevision();
  let delivered = 0;
  const stops: (() => void)[] = [];
  const all = new Promise<void>((resolve, reject) => {
    for (let n = 0; n < watchers; n++) {
      let last = from;
      const subscriber = {
        batch: ({ revision }: { readonly revision: number }) => {
          if (revision <= last) reject(new Error("a watcher went back"));
          last = revision;
          delivered++;
          if (delivered === watchers * count) resolve();
        },
        end: reject,
      };
      stops.push(store.subscribe("/registry/pods/", { from }, subscriber));
    }
  });
  let next = 0;
  const write = async (): Promise<void> => {
    while (next < count) {
      const outcome = await store.commit([{ type: "put", key: podKey(next++), value }]);
      if (!outcome.ok) throw new Error("a commit was refused");
    }
  };
  const ms = await timed(() => Promise.all([all, ...Array.from({ length: 32 }, write)]));
  for (const stop of stops) stop();
  const perSecond = (delivered / ms) * 1000;
  console.log(
    `${`${name}: ${watchers} watchers × ${count} events`.padEnd(42)} ${Math.round(perSecond).toLocaleString("en").padStart(9)} /s   ${(ms / 1000).toFixed(2)} s`,
  );
  return perSecond;
}
