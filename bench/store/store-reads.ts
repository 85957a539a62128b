import { verdict } from "../apiserver/apiserver-verdict.ts";
import { fill, podKey, podKeys, withStores } from "./store-context.ts";
import { measureInTurn, show } from "./store-measure.ts";

const keys = 10_000;

/** One key, and all of ten thousand, against the same of an etcd. */
export function benchReads(): Promise<void> {
  return withStores(async ({ lmdb, etcd }) => {
    const stores = { lmdb, ...(etcd && { etcd: etcd.store }) };
    for (const store of Object.values(stores)) await fill(store, podKeys(keys));
    const race = async (
      what: string,
      least: number,
      read: (name: keyof typeof stores) => Reader,
    ) => {
      const contenders = Object.fromEntries(
        Object.keys(stores).map((name) => [name, read(name as keyof typeof stores)]),
      );
      const rates = await measureInTurn({ workers: 4, seconds: 0.7, rounds: 4 }, contenders);
      console.log("");
      for (const [name, rate] of Object.entries(rates))
        console.log(`${`${name}: ${what}`.padEnd(42)} ${show(rate)}`);
      const [own = 0, other] = Object.values(rates).map(({ perSecond }) => perSecond);
      if (other !== undefined) verdict(what, own / other, { least, unit: "×" });
    };
    await race("get of one key", 10, (name) => async (n) => {
      const key = podKey((n * 7919) % keys);
      if ((await stores[name]?.get(key))?.key !== key) throw new Error(`${key} was not found`);
    });
    await race("list of 10,000 keys", 1, (name) => async () => {
      const list = await stores[name]?.list("/registry/pods/");
      if (list?.entries.length !== keys) throw new Error(`${list?.entries.length} keys are listed`);
    });
  });
}

type Reader = (n: number) => Promise<void>;
