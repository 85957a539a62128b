import { expect, test } from "vitest";
import { noLog } from "../../base/log.ts";
import { StoreError } from "../../store/store.ts";
import {
  configMapKind,
  openParts,
  type TestParts,
  withStore,
  write,
} from "../verbs/verb-parts.test-support.ts";
import { Compactor } from "./compactor.ts";

const fiveMinutes = 300_000;

/** The oldest revision that can still be read. */
async function oldest({ store }: TestParts): Promise<number> {
  try {
    await store.list("/", { revision: 1 });
    return 1;
  } catch (error) {
    return (error as StoreError).revision;
  }
}

test("Compactor: keeps the revision of five minutes ago, and compacts earlier ones", async () => {
  const parts = await openParts();
  const compactor = new Compactor(parts, noLog);
  for (const name of ["a", "b", "c"]) await write(parts, configMapKind, name);
  await parts.clock.advance(fiveMinutes);
  expect(await oldest(parts)).toEqual(1);
  await write(parts, configMapKind, "d");
  await parts.clock.advance(fiveMinutes);
  expect(await oldest(parts)).toEqual(4);
  await parts.clock.advance(fiveMinutes);
  expect(await oldest(parts)).toEqual(5);
  compactor.close();
});

test("Compactor: uses the configured interval, and never compacts if it is 0", async () => {
  for (const [interval, kept] of [
    [1000, 4],
    [0, 1],
  ] as const) {
    const parts = await openParts();
    const compactor = new Compactor(parts, noLog, interval);
    for (const name of ["a", "b", "c"]) await write(parts, configMapKind, name);
    await parts.clock.advance(1000);
    await write(parts, configMapKind, "d");
    await parts.clock.advance(1000);
    expect(await oldest(parts)).toEqual(kept);
    compactor.close();
  }
});

test("Compactor: without writes it sleeps", async () => {
  const parts = await openParts();
  const compactor = new Compactor(parts, noLog);
  await write(parts, configMapKind, "a");
  await parts.clock.advance(10 * fiveMinutes);
  expect(parts.clock.pending).toEqual(0);
  await write(parts, configMapKind, "b");
  expect(parts.clock.pending).toEqual(1);
  compactor.close();
  expect(parts.clock.pending).toEqual(0);
});

test("Compactor: a store that is compacted further is no error; other errors are logged and retried", async () => {
  const parts = await openParts();
  const told: unknown[] = [];
  const faults = [new StoreError("Compacted", "gone", { revision: 9 }), new Error("broken")];
  const compact = async () => {
    const fault = faults.shift();
    if (fault) throw fault;
  };
  const store = new Proxy(parts.reader.store, {
    get: (target, name) => (name === "compact" ? compact : Reflect.get(target, name)),
  });
  const log = { ...noLog, error: (_: string, fault?: unknown) => void told.push(fault) };
  const compactor = new Compactor(withStore(parts, store), log);
  for (const name of ["a", "b"]) {
    await write(parts, configMapKind, name);
    await parts.clock.advance(fiveMinutes);
  }
  await write(parts, configMapKind, "c");
  await parts.clock.advance(fiveMinutes);
  expect(told.map((fault) => (fault as Error).message)).toEqual(["broken"]);
  compactor.close();
});
