import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { CommandContext } from "../../cli/command.ts";
import { stringFlag, type Values } from "../../cli/flag.ts";
import { UsageError } from "../../cli/parse-flags.ts";
import { realClock } from "../../platform/real-clock.ts";
import { openLmdbStore } from "../../store/lmdb/lmdb-store.ts";
import { type Store, StoreError } from "../../store/store.ts";
import { checkDataDirectory } from "../data-version.ts";

/** Which store is meant; all commands take them. */
export const storeFlags = {
  "data-dir": stringFlag({ usage: "the data `DIR` of a cluster or API server" }),
};

export type StoreFlags = Values<typeof storeFlags>;

/** Opens the store that the flags name, to be read, also beside a server; closes it when the work is done. */
export async function withStore<T>(
  { inherited }: Pick<CommandContext, "inherited">,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const path = join(await dataDirectory(inherited(storeFlags)), "store");
  const store = await openLmdbStore({ path, clock: realClock, readOnly: true });
  return closing(store, work);
}

/** Opens the store to change it; where a server has it open, `advice` says what to do instead. */
export async function withWritableStore<T>(
  { inherited }: Pick<CommandContext, "inherited">,
  advice: string,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const path = join(await dataDirectory(inherited(storeFlags)), "store");
  const store = await openLmdbStore({ path, clock: stillClock }).catch((error: unknown) => {
    if (!(error instanceof StoreError && error.code === "Locked")) throw error;
    throw new Error(`${error.message} (${advice})`);
  });
  return closing(store, work);
}

/** The data directory that the flags name; throws where it is none, or one of a newer version. */
export async function dataDirectory(flags: StoreFlags): Promise<string> {
  if (flags["data-dir"] === "")
    throw new UsageError("--data-dir is required: it says where the store is");
  const dir = resolve(flags["data-dir"]);
  await checkDataDirectory(dir);
  const files = await namesIn(join(dir, "store"));
  // A store that lost its data has something better to say of itself.
  if (files?.includes("data.mdb") || files?.includes("owner")) return dir;
  throw new Error(
    (await namesIn(dir)) === undefined
      ? `${dir}: there is no such directory`
      : `${dir} is no data directory of Wherry: there is no store in it`,
  );
}

async function namesIn(dir: string): Promise<string[] | undefined> {
  try {
    return await readdir(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function closing<T>(store: Store, work: (store: Store) => Promise<T>): Promise<T> {
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Looking after a store is no reason for keys to expire. */
const stillClock: Clock = { now: Date.now, setTimer: () => ({ cancel() {} }) };
