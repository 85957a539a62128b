import type { CommitOutcome, Op } from "../../../store/store.ts";
import type { Commit } from "../../registry.ts";

/** A write that is committed together with what it is charged. */
export interface ChargedWrite<A> {
  readonly ops: readonly Op[];
  /** By what it must be committed, alone; it can share a commit with others if not given. */
  readonly by?: Commit | undefined;
  /** The accounts after it; throws where it may not be. */
  charge(accounts: A): A;
}

/** Where accounts are, and how they are written. */
export interface Accounts<A> {
  /** As they are known here. */
  read(namespace: string): A;
  /** Resolves when what is known here is what there was at the call. */
  fresh(): Promise<unknown>;
  /** Commits operations and the change of accounts, all or nothing; "overtaken" where others changed one. */
  commit(
    change: { readonly before: A; readonly after: A },
    ops: readonly Op[],
    by: Commit | undefined,
  ): Promise<CommitOutcome | "overtaken">;
  /** Says that others were faster, again and again. */
  conflict(accounts: A): Error;
}

/** So many operations at most are committed at once; etcd takes 128. */
const mostOps = 100;
/** So often others may change the accounts in between. */
const mostRetries = 10;

/**
 * Commits writes of a namespace one after the other, each with its charge. Those that come while one is
 * under way wait, and share the next commit: a hundred writes need a few syncs of the disk, not a hundred.
 *
 *     a ───commit(a)───┐
 *     b, c, d wait ────┴─commit(b, c, d)──┐
 *     e waits ────────────────────────────┴─commit(e)
 */
export function chargeLanes<A>(
  accounts: Accounts<A>,
): (namespace: string, write: ChargedWrite<A>) => Promise<CommitOutcome> {
  const lanes = new Map<string, Waiting<A>[]>();

  const run = async (namespace: string, lane: Waiting<A>[]): Promise<void> => {
    while (lane.length > 0) await settle(accounts, namespace, nextBatch(lane));
    lanes.delete(namespace);
  };

  return (namespace, write) =>
    new Promise((resolve, reject) => {
      const waiting = { write, resolve, reject };
      const lane = lanes.get(namespace);
      if (lane) {
        lane.push(waiting);
        return;
      }
      const started = [waiting];
      lanes.set(namespace, started);
      void run(namespace, started);
    });
}

interface Waiting<A> {
  readonly write: ChargedWrite<A>;
  readonly resolve: (outcome: CommitOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/** Takes from a lane what can be committed at once: no key twice. */
function nextBatch<A>(lane: Waiting<A>[]): Waiting<A>[] {
  const batch = lane.splice(0, 1);
  const keys = new Set(batch.flatMap(({ write }) => write.ops.map(({ key }) => key)));
  if (batch[0]?.write.by) return batch;
  for (let next = lane[0]; next; next = lane[0]) {
    const { by, ops } = next.write;
    if (by || keys.size + ops.length > mostOps || ops.some(({ key }) => keys.has(key))) break;
    for (const { key } of ops) keys.add(key);
    batch.push(next);
    lane.shift();
  }
  return batch;
}

/** Commits a batch, less those who may not be and those whose own write fails. */
async function settle<A>(
  accounts: Accounts<A>,
  namespace: string,
  batch: readonly Waiting<A>[],
): Promise<void> {
  let left = batch;
  let retries = 0;
  try {
    while (left.length > 0) {
      const before = accounts.read(namespace);
      const charged = chargeAll(left, before);
      const outcome = await commitAll(accounts, { before, after: charged.after }, charged.allowed);
      if (outcome !== "overtaken") left = stillLeft(left, charged, outcome);
      else if (retries++ === mostRetries) throw accounts.conflict(before);
      else await accounts.fresh();
    }
  } catch (error) {
    for (const { reject } of left) reject(error);
  }
}

/** Answers those for whom an outcome is final; the others are looked at again. */
function stillLeft<A>(
  batch: readonly Waiting<A>[],
  { allowed, refused }: Charged<A>,
  outcome: CommitOutcome | undefined,
): readonly Waiting<A>[] {
  if (outcome && !outcome.ok) {
    const failed = whoFailed(allowed, outcome.key);
    failed.resolve(outcome);
    return batch.filter((one) => one !== failed);
  }
  // Only now those are there who left nothing for the others.
  for (const { reject, error } of refused) reject(error);
  if (outcome) for (const { resolve } of allowed) resolve(outcome);
  return [];
}

interface Charged<A> {
  readonly allowed: readonly Waiting<A>[];
  readonly refused: readonly (Waiting<A> & { readonly error: unknown })[];
  readonly after: A;
}

/** Who may be written, and who may not after all of those; and the accounts then. */
function chargeAll<A>(batch: readonly Waiting<A>[], before: A): Charged<A> {
  let after = before;
  const allowed: Waiting<A>[] = [];
  const refused: (Waiting<A> & { readonly error: unknown })[] = [];
  for (const one of batch) {
    try {
      after = one.write.charge(after);
      allowed.push(one);
    } catch (error) {
      refused.push({ ...one, error });
    }
  }
  return { allowed, refused, after };
}

async function commitAll<A>(
  accounts: Accounts<A>,
  change: { readonly before: A; readonly after: A },
  [first, ...rest]: readonly Waiting<A>[],
): Promise<CommitOutcome | "overtaken" | undefined> {
  if (!first) return undefined;
  const ops = [first, ...rest].flatMap(({ write }) => write.ops);
  return accounts.commit(change, ops, first.write.by);
}

/** Whose write it is that fails by a key; one that is committed alone may fail by what is not its own. */
const whoFailed = <A>(batch: readonly Waiting<A>[], key: string): Waiting<A> =>
  batch.find(({ write }) => write.ops.some((op) => op.key === key)) ?? (batch[0] as Waiting<A>);
