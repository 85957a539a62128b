import { expect, test } from "vitest";
import type { CommitOutcome, Op, Store } from "../../store/store.ts";
import {
  addressOf,
  configMapKind,
  objectOf,
  openParts,
  type TestParts,
  withStore,
} from "../verbs/verb-parts.test-support.ts";
import type { CommitPart } from "./commit-part.ts";
import { Stored } from "./stored.ts";

const address = addressOf(configMapKind, "a");
const object = objectOf(configMapKind, "a", { data: { k: "v" } });

/** A number in the store that each write increases by one, up to a limit. */
function counter({ cache }: TestParts, { limit = 10, lane = "counter", key = "/counter" } = {}) {
  let known: { readonly count: number; readonly revision: number } = { count: 0, revision: 0 };
  const read = () => {
    const entry = cache.unclaimed(`/registry${key}`);
    return entry ? { count: entry.value[0] ?? 0, revision: entry.modRevision } : known;
  };
  const part: CommitPart = {
    lane,
    changes() {
      known = read();
      if (known.count >= limit) throw new Error("full");
      const value = Uint8Array.of(known.count + 1);
      return [{ type: "put", key: `/registry${key}`, value, ifRevision: known.revision }];
    },
    async failed(outcome) {
      if (outcome.key !== `/registry${key}`) return undefined;
      await cache.fresh();
      return "retry";
    },
  };
  return { part, count: () => read().count };
}

/** Parts whose commits are observed, and that run `before` each of them. */
async function observed(before: (ops: readonly Op[], store: Store) => void | Promise<void>) {
  const parts = await openParts();
  const store = Object.create(parts.store) as typeof parts.store;
  store.commit = async (ops): Promise<CommitOutcome> => {
    await before(ops, parts.store);
    return parts.store.commit(ops);
  };
  return withStore(parts, store);
}

const outcomeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (outcome) => (outcome instanceof Stored ? "stored" : outcome),
    (error: Error) => error.message,
  );

test("Committer: an object is stored with its parts in one revision", async () => {
  const parts = await openParts();
  const { part, count } = counter(parts);
  const stored = await parts.committer.put(address, { object, ifRevision: 0 }, { charges: [part] });
  expect(stored).toBeInstanceOf(Stored);
  expect([count(), parts.cache.unclaimed("/registry/counter")?.modRevision]).toEqual([
    1,
    (stored as Stored).revision,
  ]);
});

test("Committer: the object that was written is not decoded again", async () => {
  const parts = await openParts();
  const stored = (await parts.committer.put(address, { object, ifRevision: 0 })) as Stored;
  expect((stored.object as { data?: unknown }).data).toBe((object as { data?: unknown }).data);
  expect(parts.cache.written.get(stored.entry.value)).toBeUndefined();
});

test("Committer: commits of one lane run one after the other, of different lanes side by side", async () => {
  const log: string[] = [];
  const parts = await observed(async (ops) => {
    const name = ops[0]?.key.split("/").at(-1) ?? "";
    log.push(`${name} begins`);
    await Promise.resolve();
    log.push(`${name} ends`);
  });
  const write = (name: string, lane: string) =>
    parts.committer.put(
      addressOf(configMapKind, name),
      { object: objectOf(configMapKind, name), ifRevision: 0 },
      { charges: [{ lane, changes: () => [], failed: () => undefined }] },
    );
  await Promise.all([write("a", "x"), write("b", "x"), write("c", "y")]);
  expect(log).toEqual(["a begins", "c begins", "a ends", "c ends", "b begins", "b ends"]);
});

test("Committer: a part that throws rejects the write, and does not block its lane", async () => {
  const parts = await openParts();
  const { part, count } = counter(parts, { limit: 2 });
  const outcomes = await Promise.all(
    ["a", "b", "c", "d"].map((name) =>
      outcomeOf(
        parts.committer.put(
          addressOf(configMapKind, name),
          { object: objectOf(configMapKind, name), ifRevision: 0 },
          { charges: [part] },
        ),
      ),
    ),
  );
  expect(outcomes).toEqual(["stored", "stored", "full", "full"]);
  expect(count()).toBe(2);
});

test("Committer: an object that exists is a conflict, and its parts store nothing", async () => {
  const parts = await openParts();
  await parts.committer.put(address, { object, ifRevision: 0 });
  const { part, count } = counter(parts);
  const outcome = parts.committer.put(address, { object, ifRevision: 0 }, { charges: [part] });
  expect([await outcome, count()]).toEqual(["conflict", 0]);
});

test("Committer: a part is retried after another write to its key, and may then reject the write", async () => {
  let overtaking = 1;
  const parts = await observed(async (_, store) => {
    if (overtaking-- <= 0) return;
    await store.commit([{ type: "put", key: "/registry/counter", value: Uint8Array.of(7) }]);
  });
  const { part, count } = counter(parts, { limit: 8 });
  const put = (name: string) =>
    outcomeOf(
      parts.committer.put(
        addressOf(configMapKind, name),
        { object: objectOf(configMapKind, name), ifRevision: 0 },
        { charges: [part] },
      ),
    );
  expect([await put("a"), count()]).toEqual(["stored", 8]);
  expect(await put("b")).toBe("full");
});

test("Committer: a claim that is lost ends the commit, before and after the attempt", async () => {
  const parts = await openParts();
  const put = (claim: CommitPart) =>
    parts.committer.put(address, { object, ifRevision: 0 }, { claim });
  expect(await put({ changes: () => "lost", failed: () => undefined })).toBe("lost");
  await parts.store.commit([{ type: "put", key: "/registry/taken", value: new Uint8Array() }]);
  const taking: Op = {
    type: "put",
    key: "/registry/taken",
    value: new Uint8Array(),
    ifRevision: 0,
  };
  expect(await put({ changes: () => [taking], failed: () => "lost" })).toBe("lost");
});

test("Committer: a failed claim is reported before an object that exists", async () => {
  const parts = await openParts();
  await parts.committer.put(address, { object, ifRevision: 0 });
  await parts.store.commit([{ type: "put", key: "/registry/taken", value: new Uint8Array() }]);
  const claim: CommitPart = {
    changes: () => [
      { type: "put", key: "/registry/taken", value: new Uint8Array(), ifRevision: 0 },
    ],
    failed({ key }) {
      if (key === "/registry/taken") throw new Error("taken");
      return undefined;
    },
  };
  const outcome = outcomeOf(parts.committer.put(address, { object, ifRevision: 0 }, { claim }));
  expect(await outcome).toBe("taken");
});
