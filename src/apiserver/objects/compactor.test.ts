import { expect, test } from "vitest";
import { noLog } from "../../base/log.ts";
import { StoreError } from "../../store/store.ts";
import { Compactor } from "./compactor.ts";
import { configMapKind, openRegistry, type TestRegistry, write } from "./registry.test-support.ts";

const fiveMinutes = 300_000;

/** The oldest revision that can still be read. */
async function oldest({ store }: TestRegistry): Promise<number> {
  try {
    await store.list("/", { revision: 1 });
    return 1;
  } catch (error) {
    return (error as StoreError).revision;
  }
}

test("Compactor: what was current five minutes ago is kept, and what was not is forgotten", async () => {
  const registry = await openRegistry();
  const compactor = new Compactor(registry, noLog);
  for (const name of ["a", "b", "c"]) await write(registry, configMapKind, name);
  await registry.clock.advance(fiveMinutes);
  expect(await oldest(registry)).toEqual(1);
  await write(registry, configMapKind, "d");
  await registry.clock.advance(fiveMinutes);
  expect(await oldest(registry)).toEqual(4);
  await registry.clock.advance(fiveMinutes);
  expect(await oldest(registry)).toEqual(5);
  compactor.close();
});

test("Compactor: with an interval of its own it goes by that, and with none it forgets nothing", async () => {
  for (const [interval, kept] of [
    [1000, 4],
    [0, 1],
  ] as const) {
    const registry = await openRegistry();
    const compactor = new Compactor(registry, noLog, interval);
    for (const name of ["a", "b", "c"]) await write(registry, configMapKind, name);
    await registry.clock.advance(1000);
    await write(registry, configMapKind, "d");
    await registry.clock.advance(1000);
    expect(await oldest(registry)).toEqual(kept);
    compactor.close();
  }
});

test("Compactor: without writes it sleeps", async () => {
  const registry = await openRegistry();
  const compactor = new Compactor(registry, noLog);
  await write(registry, configMapKind, "a");
  await registry.clock.advance(10 * fiveMinutes);
  expect(registry.clock.pending).toEqual(0);
  await write(registry, configMapKind, "b");
  expect(registry.clock.pending).toEqual(1);
  compactor.close();
  expect(registry.clock.pending).toEqual(0);
});

test("Compactor: another that has gone further is no fault, a broken store is told and tried again", async () => {
  const registry = await openRegistry();
  const told: unknown[] = [];
  const faults = [new StoreError("Compacted", "gone", { revision: 9 }), new Error("broken")];
  const compact = async () => {
    const fault = faults.shift();
    if (fault) throw fault;
  };
  const store = new Proxy(registry.store, {
    get: (target, name) => (name === "compact" ? compact : Reflect.get(target, name)),
  });
  const log = { ...noLog, error: (_: string, fault?: unknown) => void told.push(fault) };
  const compactor = new Compactor({ ...registry, store }, log);
  for (const name of ["a", "b"]) {
    await write(registry, configMapKind, name);
    await registry.clock.advance(fiveMinutes);
  }
  await write(registry, configMapKind, "c");
  await registry.clock.advance(fiveMinutes);
  expect(told.map((fault) => (fault as Error).message)).toEqual(["broken"]);
  compactor.close();
});
