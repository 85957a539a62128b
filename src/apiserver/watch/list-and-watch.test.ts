import { afterAll, beforeAll, expect, test } from "vitest";
import { SeededRandom } from "../../base/random.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { MemoryStore } from "../../store/memory/memory-store.ts";
import { inProcessHarness } from "../in-process-harness.test-support.ts";
import { Api, configMap, type Json, newYear, numbers } from "../suite/harness-suite.ts";

/** All objects of a client's cache: revisions by name. */
type State = Map<string, string>;

let api: Api;
beforeAll(async () => {
  const clock = new VirtualClock(newYear);
  api = new Api(await inProcessHarness(new MemoryStore(clock), clock));
});
afterAll(() => api.close());

// More of them, and others: npm run list-and-watch
const interleavings = Number(process.env.WHERRY_INTERLEAVINGS ?? 200);
const firstSeed = Number(process.env.WHERRY_SEED ?? 1);

test(
  "a watch from the revision of a list has neither a gap nor an overlap, however writes interleave",
  async () => {
    for (const n of numbers(interleavings)) await interleave(firstSeed + n);
  },
  1_000 * interleavings,
);

/** Checks that a client that lists and then watches has the server's objects after concurrent writes. */
async function interleave(seed: number): Promise<void> {
  const hint = `to repeat it: npm run list-and-watch -- 1 ${seed}`;
  const random = new SeededRandom(seed);
  const namespace = `seed-${seed}`;
  await api.create("/api/v1/namespaces", { metadata: { name: namespace } });
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const selector = random.next() < 0.3 ? "&labelSelector=seen" : "";
  const written = new Map<number, string>();
  const writers = numbers(3).map((n) =>
    write({ path, random, written, names: [`a${n}`, `b${n}`] }),
  );

  await pause(random);
  const { state, from } = await list(`${path}?${selector}`, random);
  await pause(random);
  const watch = await api.watch(`${path}?watch=1&resourceVersion=${from}${selector}`);
  await Promise.all(writers);
  const end = { metadata: { name: "end", labels: { seen: "yes" } } };
  const last = await api.create(path, end);

  const revisions: number[] = [];
  for (let name = ""; name !== "end"; ) {
    const event = await watch.next();
    expect(event, `${hint}: the watch ended early`).toBeDefined();
    if (event === undefined) return;
    const { resourceVersion } = event.object.metadata;
    name = event.object.metadata.name;
    if (event.type === "ADDED") expect(state.has(name), `${hint}: ${name} twice`).toBe(false);
    else expect(state.has(name), `${hint}: ${event.type} ${name} without`).toBe(true);
    if (event.type === "DELETED") state.delete(name);
    else state.set(name, resourceVersion);
    revisions.push(Number(resourceVersion));
  }
  await watch.close();
  expect(revisions, hint).toEqual([...new Set(revisions)].sort((a, b) => a - b));
  if (selector === "") {
    const wanted = [...written.keys()].filter((revision) => revision > Number(from));
    const puts = revisions.filter((revision) => written.has(revision));
    expect(puts, hint).toEqual(wanted.sort((a, b) => a - b));
  }
  const final = await api.read(`${path}?${selector}`);
  expect(Number(final.metadata.resourceVersion), hint).toBeGreaterThanOrEqual(
    Number(last.metadata.resourceVersion),
  );
  expect([...state].sort(), hint).toEqual([...stateOf(final.items)].sort());
}

interface Writing {
  readonly path: string;
  readonly random: SeededRandom;
  readonly names: readonly string[];
  /** The objects that were created or changed, by revision. */
  readonly written: Map<number, string>;
}

async function write({ path, random, names, written }: Writing): Promise<void> {
  for (const _ of numbers(8)) {
    const name = names[Math.floor(random.next() * names.length)] as string;
    const labels = random.next() < 0.5 ? { seen: "yes" } : {};
    const body = {
      ...configMap(name),
      metadata: { name, labels },
      data: { n: `${random.next()}` },
    };
    const roll = random.next();
    const { status, body: answer } =
      roll < 0.3
        ? await api.delete(`${path}/${name}`)
        : roll < 0.6
          ? await api.put(`${path}/${name}`, body)
          : await api.post(path, body);
    if (roll >= 0.3 && status < 300) written.set(Number(answer.metadata.resourceVersion), name);
    await pause(random);
  }
}

/** Lists objects in pages, at once, or by the initial events of a watch. */
async function list(
  path: string,
  random: SeededRandom,
): Promise<{ readonly state: State; readonly from: string }> {
  const roll = random.next();
  if (roll < 0.2) return initialEvents(path);
  if (roll < 0.5) {
    const { items, metadata } = await api.read(path);
    return { state: stateOf(items), from: metadata.resourceVersion };
  }
  const items: Json[] = [];
  let from = "";
  for (let token: string | undefined = ""; token !== undefined; ) {
    const page: Json = await api.read(`${path}&limit=2&continue=${encodeURIComponent(token)}`);
    items.push(...page.items);
    from = page.metadata.resourceVersion;
    token = page.metadata.continue;
    await pause(random);
  }
  return { state: stateOf(items), from };
}

async function initialEvents(path: string): Promise<{ state: State; from: string }> {
  const query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
  const watch = await api.watch(`${path}&${query}&allowWatchBookmarks=true`);
  const state: State = new Map();
  for (;;) {
    const event = await watch.next();
    const { name = "", resourceVersion: from = "" } = event?.object.metadata ?? {};
    if (event?.type === "BOOKMARK") {
      await watch.close();
      return { state, from };
    }
    expect(event?.type).toBe("ADDED");
    state.set(name, from);
  }
}

const stateOf = (items: readonly Json[]): State =>
  new Map(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));

/** Lets others go on for a while: some steps of theirs, or whatever is waiting. */
async function pause(random: SeededRandom): Promise<void> {
  const steps = Math.floor(random.next() * 40);
  if (steps > 34) await new Promise((resolve) => setImmediate(resolve));
  for (let i = 0; i < steps; i++) await undefined;
}
