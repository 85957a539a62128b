import { expect, onTestFinished, test } from "vitest";
import { nodeCiphers } from "../../../test/node-ciphers.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { MemoryStore } from "../memory/memory-store.ts";
import type { StoreEvent } from "../store.ts";
import { encryptedStore } from "./encrypted-store.ts";
import { gcmTransformer } from "./key-transformers.ts";
import { identity, prefixTransformer, type Transformer } from "./transformer.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (value: Uint8Array | undefined): string | undefined =>
  value && new TextDecoder().decode(value);
const keyOf = (seed: number): Uint8Array => new Uint8Array(32).fill(seed);
const gcm = (name: string, seed: number) => ({
  prefix: `k8s:enc:aesgcm:v1:${name}:`,
  transformer: gcmTransformer(nodeCiphers, keyOf(seed)),
});

/** Encrypts keys under `/registry/secrets/` with what `current` is at the moment. */
function open(first: Transformer) {
  const raw = new MemoryStore(new VirtualClock());
  onTestFinished(() => raw.close());
  let current = first;
  const unreadable: string[] = [];
  const store = encryptedStore(raw, {
    transformerOf: (key) => (key.startsWith("/registry/secrets/") ? current : undefined),
    pathOf: bytes,
    onUnreadable: (key) => void unreadable.push(key),
  });
  return {
    raw,
    store,
    unreadable,
    use(next: Transformer) {
      current = next;
    },
  };
}

const only = (...list: Parameters<typeof prefixTransformer>[0]) => prefixTransformer(list, "none");
const key = "/registry/secrets/default/a";

test("encryptedStore: values are encrypted in the store, and plain for those who use it", async () => {
  const { raw, store } = open(only(gcm("1", 1)));
  const events: StoreEvent[] = [];
  const stop = store.subscribe(
    "/registry/",
    { from: 1 },
    { batch: (batch) => void events.push(...batch.events), end: () => {} },
  );
  const value = bytes("password");
  await store.commit([
    { type: "put", key, value },
    { type: "put", key: "/registry/pods/default/a", value },
  ]);
  // The same array, so that it need not be decoded.
  expect(events.map(({ entry }) => entry?.value === value)).toEqual([true, true]);
  expect(text((await raw.get(key))?.value)).toMatch(/^k8s:enc:aesgcm:v1:1:/);
  expect(text((await raw.get(key))?.value)).not.toContain("password");
  expect(text((await raw.get("/registry/pods/default/a"))?.value)).toBe("password");
  expect(text((await store.get(key))?.value)).toBe("password");
  const { entries } = await store.list("/registry/");
  expect(entries.map((entry) => text(entry.value))).toEqual(["password", "password"]);
  const refused = await store.commit([{ type: "put", key, value, ifRevision: 0 }]);
  expect(!refused.ok && text(refused.current?.value)).toBe("password");
  await store.commit([{ type: "put", key, value: bytes("other") }]);
  expect(text(events.at(-1)?.previous?.value)).toBe("password");
  stop();
});

test("encryptedStore: a value under an older key is stale until it is written again", async () => {
  const { store, use } = open(only({ prefix: "", transformer: identity }));
  const value = bytes("password");
  await store.commit([{ type: "put", key, value }]);
  expect(await store.isStale?.(key)).toBe(false);
  use(only(gcm("1", 1), { prefix: "", transformer: identity }));
  expect(await store.isStale?.(key)).toBe(true);
  await store.commit([{ type: "put", key, value }]);
  expect(await store.isStale?.(key)).toBe(false);
  use(only(gcm("2", 2), gcm("1", 1)));
  expect(await store.isStale?.(key)).toBe(true);
  expect(text((await store.get(key))?.value)).toBe("password");
  expect(await store.isStale?.("/registry/secrets/default/none")).toBe(false);
});

test("encryptedStore: a value that cannot be decrypted does not hide the others", async () => {
  const { raw, store, unreadable } = open(only(gcm("2", 2)));
  const value = only(gcm("1", 1)).seal(bytes("password"), bytes(key));
  await raw.commit([{ type: "put", key, value }]);
  await store.commit([{ type: "put", key: `${key}b`, value: bytes("other") }]);
  const { entries } = await store.list("/registry/");
  expect(entries.map((entry) => text(entry.value)?.slice(0, 8))).toEqual(["k8s:enc:", "other"]);
  expect(unreadable).toEqual([key]);
});

test("encryptedStore: batches stay in order when a key must be asked for", async () => {
  const { raw, store, use } = open(only({ prefix: "", transformer: identity }));
  const asked: (() => void)[] = [];
  use({
    seal: (value) => value,
    open: (value) =>
      text(value) === "slow"
        ? new Promise((resolve) => {
            asked.push(() => resolve({ value: bytes("asked"), isStale: false }));
          })
        : { value, isStale: false },
  });
  const seen: (string | undefined)[] = [];
  store.subscribe(
    "/registry/",
    { from: 1 },
    {
      batch: ({ events }) => void seen.push(...events.map(({ entry }) => text(entry?.value))),
      end: () => void seen.push("end"),
    },
  );
  for (const value of ["first", "slow", "third"])
    await raw.commit([{ type: "put", key, value: bytes(value) }]);
  expect(seen).toEqual(["first"]);
  for (const go of asked) go();
  expect(text((await raw.get(key))?.value)).toBe("third");
  await Promise.resolve();
  await expect.poll(() => seen).toEqual(["first", "asked", "third"]);
});
