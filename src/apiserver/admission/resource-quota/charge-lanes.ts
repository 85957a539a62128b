import type { CommitOutcome } from "../../../store/store.ts";

/** A write that is committed together with what it is charged. */
export interface ChargedWrite<A> {
  /** The accounts after it; throws where it may not be. */
  charge(accounts: A): A;
  /** Commits it and the change of accounts, all or nothing; "overtaken" where others changed one. */
  commit(change: { readonly before: A; readonly after: A }): Promise<CommitOutcome | "overtaken">;
}

/** Where accounts are. */
export interface Accounts<A> {
  /** As they are known here. */
  read(namespace: string): A;
  /** Resolves when what is known here is what there was at the call. */
  fresh(): Promise<unknown>;
  /** Says that others were faster, again and again. */
  conflict(accounts: A): Error;
}

/** So often others may change the accounts in between. */
const mostRetries = 10;

/**
 * Commits writes of a namespace one after the other, each with its charge: every one needs the versions
 * that the one before leaves. They do not share commits, though that would be faster: who follows a
 * resource goes on after the last version that he has seen, so no two objects of it may have the same.
 */
export function chargeLanes<A>(
  accounts: Accounts<A>,
): (namespace: string, write: ChargedWrite<A>) => Promise<CommitOutcome> {
  /** The last write of each namespace that has not ended. */
  const lanes = new Map<string, Promise<unknown>>();
  return (namespace, write) => {
    const before = lanes.get(namespace) ?? Promise.resolve();
    const outcome = before.then(() => commitOne(accounts, namespace, write));
    const ended = outcome.then(
      () => {},
      () => {},
    );
    lanes.set(namespace, ended);
    void ended.then(() => lanes.get(namespace) === ended && lanes.delete(namespace));
    return outcome;
  };
}

async function commitOne<A>(
  accounts: Accounts<A>,
  namespace: string,
  { charge, commit }: ChargedWrite<A>,
): Promise<CommitOutcome> {
  for (let retries = 0; ; retries++) {
    const before = accounts.read(namespace);
    const outcome = await commit({ before, after: charge(before) });
    if (outcome !== "overtaken") return outcome;
    if (retries === mostRetries) throw accounts.conflict(before);
    await accounts.fresh();
  }
}
