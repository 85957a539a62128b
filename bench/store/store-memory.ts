import { realClock } from "../../src/platform/real-clock.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { fill, podKey, podKeys, timed, value } from "./store-context.ts";
import { measure, show } from "./store-measure.ts";

const keys = 10_000;
const forks = 10_000;

/** The store of tests, which nothing is compared with. */
export async function benchMemory(): Promise<void> {
  const store = new MemoryStore(realClock);
  await fill(store, podKeys(keys));
  const put = (n: number) => store.commit([{ type: "put", key: podKey(n % keys), value }]);
  console.log(
    `\n${"memory: commits".padEnd(42)} ${show(await measure({ workers: 32, seconds: 1 }, put))}`,
  );
  const ms = await timed(async () => {
    for (let n = 0; n < forks; n++) store.fork();
  });
  console.log(
    `${`memory: fork with ${keys} keys`.padEnd(42)} ${((ms / forks) * 1000).toFixed(2)} µs`,
  );
  await store.close();
}
