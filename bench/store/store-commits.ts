import { verdict } from "../apiserver/apiserver-verdict.ts";
import { podKey, type StoreBench, value, withStores } from "./store-context.ts";
import { grpcClient, http2Client } from "./store-etcd.ts";
import { measureInTurn, type Rate, show } from "./store-measure.ts";

const keys = 10_000;
/** Of the faster of two clients of etcd; LMDB syncs twice for each commit, which one writer alone pays. */
const bounds = new Map([
  [1, 0.5],
  [32, 3],
  [256, 3],
]);

/** Durable commits of 1 KB by one writer and by many, who share a sync. */
export function benchCommits(): Promise<void> {
  return withStores(async ({ lmdb, etcd }: StoreBench) => {
    let commits = 0;
    const contenders: Record<string, (n: number) => Promise<unknown>> = {
      "lmdb: durable commits": async (n) => {
        await lmdb.commit([{ type: "put", key: podKey(n % keys), value }]);
        commits++;
      },
    };
    const clients = etcd && [grpcClient(etcd.server.address), http2Client(etcd.server.address)];
    for (const [index, client] of (clients ?? []).entries()) {
      const name = index === 0 ? "etcd by @grpc/grpc-js: puts" : "etcd by node:http2: puts";
      contenders[name] = (n) => client.put(podKey(n % keys), value);
    }
    console.log("");
    for (const [workers, least] of bounds) {
      const rates = await measureInTurn({ workers, seconds: 0.6, rounds: 4 }, contenders);
      for (const [name, rate] of Object.entries(rates))
        console.log(`${`${name}, ${workers} writers`.padEnd(42)} ${show(rate)}`);
      if (etcd) verdict(`commits with ${workers} writers`, ratio(rates), { least, unit: "×" });
    }
    for (const client of clients ?? []) client.close();
    // A new store is at revision 1.
    if ((await lmdb.currentRevision()) !== commits + 1) throw new Error("commits are missing");
  });
}

function ratio(rates: Readonly<Record<string, Rate>>): number {
  const [own = 0, ...others] = Object.values(rates).map(({ perSecond }) => perSecond);
  return own / Math.max(...others);
}
