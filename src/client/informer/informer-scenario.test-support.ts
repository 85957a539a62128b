import { isDeepStrictEqual } from "node:util";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { noLog } from "../../base/log.ts";
import { SeededRandom } from "../../base/random.ts";
import type { SelectOptions } from "../call-options.ts";
import { type Client, createClient } from "../client.ts";
import {
  formatKey,
  type KubernetesObject,
  keyOf,
  metadataOnly,
  type ResourceKind,
} from "../resource-kind.ts";
import { withChanges } from "../with-changes.ts";
import { History } from "./informer-history.test-support.ts";
import type { HandlerRegistration, Informer } from "./informer-options.ts";
import type { InformerWorld } from "./informer-world.test-support.ts";
import { createInformers, type Informers } from "./informers.ts";
import { type JumpingClock, jumpingClock } from "./jumping-clock.test-support.ts";
import {
  type MisbehavingTransport,
  misbehavingTransport,
  type Traits,
} from "./misbehaving-transport.test-support.ts";

/** Counters of a scenario. */
export interface ScenarioFigures {
  readonly writes: number;
  readonly calls: number;
  readonly lists: number;
  readonly resumes: number;
  readonly stalls: number;
  readonly changesFoundByRelist: number;
  readonly faults: ReadonlyMap<string, number>;
}

/**
 * Runs informers against a faulty server while objects are written, all at random from a seed. Then the
 * faults stop, and after a while the caches must equal the server's objects, and every handler must have
 * seen a valid history that ends in them. Throws the list of differences.
 */
export async function runScenario(world: InformerWorld, seed: number): Promise<ScenarioFigures> {
  const scenario = new Scenario(world, seed);
  try {
    await scenario.begin();
    await scenario.run();
    await scenario.settle();
    return await scenario.end();
  } finally {
    scenario.abandon();
  }
}

interface Followed {
  readonly informer: Informer<KubernetesObject>;
  readonly kind: ResourceKind<KubernetesObject>;
  readonly scope: SelectOptions;
  readonly transform: ((object: KubernetesObject) => KubernetesObject) | undefined;
  readonly delivered: Set<Told>;
}

interface Told {
  readonly history: History<KubernetesObject>;
  readonly registration: HandlerRegistration;
  readonly name: string;
}

class Scenario {
  readonly #world: InformerWorld;
  readonly #random: SeededRandom;
  readonly #client: Client;
  readonly #clock: JumpingClock;
  readonly #transport: MisbehavingTransport;
  readonly #informers: Informers;
  readonly #followed: Followed[] = [];
  readonly #histories: Told[] = [];
  readonly #objects = new Map<string, ConfigMap>();
  /** All object versions that ever existed, as `KEY UID VERSION`. */
  readonly #existed = new Set<string>();
  readonly #problems: string[] = [];
  /** Calls of `reached` that must have settled at the end. */
  readonly #reaching: Promise<void>[] = [];
  readonly #sendsBookmarks: boolean;
  #lastVersion = 0;
  #wasRestored = false;
  #writes = 0;

  constructor(world: InformerWorld, seed: number) {
    this.#world = world;
    this.#random = new SeededRandom(seed * 4);
    const { clock, transport, direct, inactivityMs } = world;
    this.#client = createClient(direct, { clock });
    this.#clock = jumpingClock(clock);
    const traits = this.#traits();
    this.#sendsBookmarks = traits.sendsBookmarks;
    this.#transport = misbehavingTransport(transport, traits, {
      clock,
      random: new SeededRandom(seed * 4 + 1),
    });
    world.misbehave?.(new SeededRandom(seed * 4 + 3), traits.faultRate);
    this.#informers = createInformers({
      client: createClient(this.#transport.transport, { clock: this.#clock }),
      clock: this.#clock,
      random: new SeededRandom(seed * 4 + 2),
      log: noLog,
      inactivityMs,
    });
  }

  async begin(): Promise<void> {
    for (const object of (await this.#client.list(ConfigMap)).items)
      this.#existed.add(identity(object));
    for (let i = this.#below(8); i > 0; i--) await this.#write();
    for (let i = 1 + this.#below(3); i > 0; i--) this.#runReflector();
    for (const followed of this.#followed) this.#addHandler(followed);
  }

  async run(): Promise<void> {
    const isRestored = this.#random.next() < 0.06;
    for (let i = 8 + this.#below(16); i > 0; i--) await this.#step();
    if (!isRestored) return;
    // The restore comes last: later writes could hide that the server went back in time.
    this.#world.remember();
    const before = new Map(this.#objects);
    for (let i = 5 + this.#below(10); i > 0; i--) await this.#step();
    this.#wasRestored = true;
    this.#objects.clear();
    for (const [key, object] of before) this.#objects.set(key, object);
    await this.#world.restore();
  }

  /** Waits until all informers have converged, and stay so. */
  async settle(): Promise<void> {
    this.#transport.calmDown();
    this.#world.misbehave?.(this.#random, 0);
    // Responses from before the restore may still arrive and look like news.
    if (this.#wasRestored) await this.#world.advance(longestDelayMs);
    const differences = await this.#differencesInTheEnd();
    this.#problems.push(...differences);
    if (!this.#wasRestored && differences.length === 0) await Promise.all(this.#reaching);
    this.#checkIndexes();
    for (const { history, name } of this.#histories) {
      for (const problem of history.problems) this.#problems.push(`${name}: ${problem}`);
      for (const object of history.delivered)
        if (!this.#existed.has(identity(object)))
          this.#problems.push(`${name} was delivered of ${identity(object)}, which never was`);
    }
  }

  async end(): Promise<ScenarioFigures> {
    const health = this.#followed.map(({ informer }) => informer.health);
    const sum = (of: (one: (typeof health)[number]) => number): number =>
      health.reduce((total, one) => total + of(one), 0);
    this.#informers.close();
    // Over a network, it takes a moment until both sides have closed a connection.
    for (let i = 0; i < 50 && this.#transport.openCalls > 0; i++)
      await this.#world.advance(i * 100);
    const { openCalls, faults } = this.#transport;
    if (openCalls > 0) this.#problems.push(`${openCalls} calls are left open`);
    const { pendingTimers } = this.#clock;
    if (pendingTimers > 0) this.#problems.push(`${pendingTimers} timers are left`);
    if (this.#problems.length > 0) throw new Error(this.#problems.slice(0, 12).join("\n"));
    return {
      writes: this.#writes,
      calls: this.#histories.reduce((total, { history }) => total + history.calls, 0),
      lists: sum(({ lists }) => lists),
      resumes: sum(({ resumes }) => resumes),
      stalls: sum(({ stalls }) => stalls),
      changesFoundByRelist: sum(({ changesFoundByRelist }) => changesFoundByRelist),
      faults,
    };
  }

  abandon(): void {
    this.#informers.close();
  }

  async #step(): Promise<void> {
    const chance = this.#random.next();
    if (chance < 0.5) await this.#write();
    else if (chance < 0.58) for (let i = this.#below(12); i > 0; i--) await this.#write();
    else if (chance < 0.68) await this.#world.advance(this.#below(5_000));
    else if (chance < 0.76) await this.#world.advance(this.#below(240_000));
    else if (chance < 0.85) this.#addHandler(this.#pick(this.#followed));
    else if (chance < 0.89) this.#removeHandler();
    else if (chance < 0.92) this.#runReflector();
    else if (chance < 0.95)
      this.#clock.jump(this.#pick([-86_400_000, -60_000, 60_000, 86_400_000]));
    else await this.#world.restart({ forgets: this.#random.next() < 0.6 });
  }

  async #write(): Promise<void> {
    const metadata = { namespace: this.#pick(namespaces), name: this.#pick(names) };
    const key = formatKey(metadata);
    const known = this.#objects.get(key);
    const labels = { team: this.#pick(teams) };
    const data = { value: String(this.#below(4)) };
    this.#writes++;
    const chance = this.#random.next();
    if (known && chance < 0.55) {
      const changed = withChanges(known, (draft) => {
        draft.metadata.labels = labels;
        draft.data = data;
      });
      this.#wrote(key, await this.#client.update(ConfigMap, changed));
      return;
    }
    if (known) {
      await this.#client.delete(ConfigMap, metadata);
      this.#objects.delete(key);
      if (chance < 0.8) return;
    }
    this.#wrote(
      key,
      await this.#client.create(ConfigMap, { metadata: { ...metadata, labels }, data }),
    );
  }

  #wrote(key: string, object: ConfigMap): void {
    this.#objects.set(key, object);
    this.#existed.add(identity(object));
    this.#lastVersion = Number(object.metadata.resourceVersion);
    if (this.#random.next() < 0.1) this.#reach(object);
  }

  /** After `reached`, the written version must be in the cache, unless it was changed since. */
  #reach(written: ConfigMap): void {
    const informer = this.#followed.find(({ scope }) => scope === everything)?.informer;
    if (!informer) return;
    const key = keyOf(written);
    const { resourceVersion = "", uid } = written.metadata;
    const check = (): void => {
      const found = informer.get(key)?.metadata;
      const isOld = Number(found?.resourceVersion) < Number(resourceVersion);
      const isMissing = !found && this.#objects.get(formatKey(key))?.metadata.uid === uid;
      if ((isOld || isMissing) && !this.#wasRestored)
        this.#problems.push(`${identity(written)} was reached, and is not in the cache`);
    };
    this.#reaching.push(informer.reached(resourceVersion).then(check, () => undefined));
  }

  #runReflector(): void {
    const scope = this.#pick(scopes);
    const chance = this.#random.next();
    const kind = (chance < 0.15 ? metadataOnly(ConfigMap) : ConfigMap) as Followed["kind"];
    const transform = chance > 0.85 ? withoutData : undefined;
    const informer = this.#informers.of(kind, { ...scope, transform, indexers });
    this.#followed.push({ informer, kind, scope, transform, delivered: new Set() });
  }

  #addHandler(followed: Followed): void {
    const resyncs = this.#random.next() < 0.2;
    const fault = this.#below(10);
    let calls = 0;
    const history = new History<KubernetesObject>({
      resyncs,
      mayGoBack: () => this.#wasRestored,
      onCall: () => {
        calls++;
        if (fault === 0 && calls % 3 === 0) throw new Error("a handler fails");
        if (fault === 1 && calls === 2) this.#addHandler(followed);
        if (fault === 2 && calls === 4) this.#remove(followed, delivered);
      },
    });
    const how = resyncs ? { resyncMs: 45_000 } : {};
    const registration = followed.informer.addHandler(history.handler, how);
    const name = `handler ${this.#histories.length} of ${JSON.stringify(followed.scope)}`;
    const delivered: Told = { history, registration, name };
    followed.delivered.add(delivered);
    this.#histories.push(delivered);
  }

  #removeHandler(): void {
    const followed = this.#pick(this.#followed);
    const [delivered] = followed.delivered;
    if (delivered) this.#remove(followed, delivered);
  }

  #remove(followed: Followed, delivered: Told): void {
    delivered.registration.remove();
    delivered.history.removed();
    followed.delivered.delete(delivered);
  }

  /**
   * Returns the differences that remain after enough time. There must be none twice, a while apart: a
   * cache that lags behind may equal the server's state by coincidence.
   */
  async #differencesInTheEnd(): Promise<readonly string[]> {
    const { longestMs, inactivityMs } = this.#world;
    let differences: readonly string[] = [];
    let wereNone = false;
    for (let waited = 0; waited < longestMs; ) {
      const ms = wereNone ? inactivityMs : Math.min(waited / 4 + 500, 30_000);
      await this.#world.advance(ms);
      waited += ms;
      differences = await this.#differences();
      if (differences.length === 0 && wereNone) break;
      wereNone = differences.length === 0;
    }
    return differences;
  }

  /** Lists the differences between the server's objects, the caches and what handlers have seen. */
  async #differences(): Promise<readonly string[]> {
    const found: string[] = [];
    for (const followed of this.#followed) {
      const { informer, kind, scope, transform, delivered } = followed;
      const { items } = await this.#client.list(kind, scope);
      const expected = byKey(transform ? items.map(transform) : items);
      const where = `${kind.isMetadataOnly ? "metadata" : "objects"} ${JSON.stringify(scope)}`;
      const cached = byKey(informer.list());
      if (!isDeepStrictEqual(cached, expected))
        found.push(`the cache of ${where}: ${summary(cached)} instead of ${summary(expected)}`);
      if (this.#isBehind(followed))
        found.push(`the cache of ${where} is at version ${informer.resourceVersion}`);
      for (const { history, name, registration } of delivered) {
        if (!registration.hasSynced) found.push(`${name} has not synced`);
        const known = new Map([...history.known].sort());
        if (!isDeepStrictEqual(known, expected))
          found.push(`${name} knows ${summary(known)} instead of ${summary(expected)}`);
      }
    }
    return found;
  }

  /** Bookmarks tell an informer the server's version even if no object changed. */
  #isBehind({ informer }: Followed): boolean {
    const isTold = this.#sendsBookmarks && !this.#wasRestored;
    return isTold && Number(informer.resourceVersion) < this.#lastVersion;
  }

  #checkIndexes(): void {
    for (const { informer } of this.#followed) {
      for (const [index, valuesOf] of Object.entries(indexers)) {
        for (const value of ["x", "y", "z", ...namespaces]) {
          const expected = informer.list().filter((object) => valuesOf(object).includes(value));
          if (!isDeepStrictEqual(byKey(informer.byIndex(index, value)), byKey(expected)))
            this.#problems.push(`the index ${index} has something else for ${value}`);
        }
      }
    }
  }

  #traits(): Traits {
    return {
      faultRate: this.#pick([0, 0.05, 0.2, 0.4, 0.6]),
      streams: this.#pick(["served", "served", "refused", "unknown"] as const),
      pageSize: this.#pick([0, 1, 3]),
      sendsBookmarks: this.#random.next() < 0.8,
    };
  }

  #below(end: number): number {
    return Math.floor(this.#random.next() * end);
  }

  #pick<T>(choices: readonly T[]): T {
    return choices[this.#below(choices.length)] as T;
  }
}

/** No message takes longer to arrive. */
const longestDelayMs = 30_000;
/** The namespaces that exist in every world. */
export const namespaces = ["north", "south", "west"];
const names = ["a", "b", "c", "d", "e"];
const teams = ["x", "y", "z"];
const everything: SelectOptions = {};
const scopes: readonly SelectOptions[] = [
  everything,
  everything,
  { namespace: "north" },
  { labelSelector: { team: "x" } },
  { namespace: "south", labelSelector: "team in (y, z)" },
  { fieldSelector: { "metadata.name": "a" } },
];
const indexers = {
  byTeam: ({ metadata }: KubernetesObject) => [metadata.labels?.team ?? ""],
  byPlace: ({ metadata }: KubernetesObject) => [metadata.namespace ?? "", metadata.name ?? ""],
};

const withoutData = (object: KubernetesObject): KubernetesObject => {
  const { data: _, ...rest } = object as ConfigMap;
  return rest as KubernetesObject;
};

const identity = ({ metadata }: Pick<KubernetesObject, "metadata">): string =>
  `${formatKey(keyOf({ metadata }))} ${metadata.uid} ${metadata.resourceVersion}`;

const byKey = (objects: readonly KubernetesObject[]): Map<string, KubernetesObject> =>
  new Map(objects.map((object) => [formatKey(keyOf(object)), object] as const).sort());

const summary = (objects: ReadonlyMap<string, KubernetesObject>): string =>
  [...objects].map(([key, { metadata }]) => `${key}@${metadata.resourceVersion}`).join(" ");
