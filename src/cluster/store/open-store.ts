import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { CommandContext } from "../../cli/command.ts";
import { stringFlag, type Values } from "../../cli/flag.ts";
import { UsageError } from "../../cli/parse-flags.ts";
import { openLmdbStore } from "../../store/lmdb/lmdb-store.ts";
import { type Store, StoreError } from "../../store/store.ts";
import { checkDataDirectory } from "../data-version.ts";

/** Which store is meant; all commands take them. */
export const storeFlags = {
  "data-dir": stringFlag({ usage: "the data `DIR` of a cluster or API server" }),
};

export type StoreFlags = Values<typeof storeFlags>;

/** Opens the store that the flags name, to be read; closes it when the work is done. */
export async function withStore<T>(
  { inherited }: Pick<CommandContext, "inherited">,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openStore(inherited(storeFlags));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Opens the store to change it; where a server has it open, `advice` says what to do instead. */
export async function withWritableStore<T>(
  { inherited }: Pick<CommandContext, "inherited">,
  advice: string,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openStore(inherited(storeFlags)).catch((error: unknown) => {
    if (!(error instanceof StoreError && error.code === "Locked")) throw error;
    throw new Error(`${error.message}: ${advice}`);
  });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function openStore(flags: StoreFlags): Promise<Store> {
  const dir = await dataDirectory(flags);
  return openLmdbStore({ path: join(dir, "store"), clock: stillClock });
}

/** The data directory that the flags name; throws where it is none, or one of a newer version. */
export async function dataDirectory(flags: StoreFlags): Promise<string> {
  if (flags["data-dir"] === "")
    throw new UsageError("--data-dir is required: it says where the store is");
  const dir = resolve(flags["data-dir"]);
  await checkDataDirectory(dir);
  if (await isFile(join(dir, "store", "data.mdb"))) return dir;
  const exists = await stat(dir).catch(() => undefined);
  throw new Error(
    exists
      ? `${dir} is no data directory of Wherry: there is no store in it`
      : `${dir}: there is no such directory`,
  );
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );

/** Looking at a store must not change it: nothing expires while it is open. */
const stillClock: Clock = { now: Date.now, setTimer: () => ({ cancel() {} }) };
