import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import type { Log } from "../../base/log.ts";
import { noLog } from "../../base/log.ts";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import { SeededRandom } from "../../base/random.ts";
import { type Client, createClient } from "../client.ts";
import type { InformerHandler } from "../informer/informer-options.ts";
import type { InformerWorld } from "../informer/informer-world.test-support.ts";
import { createInformers, type Informers } from "../informer/informers.ts";
import { type JumpingClock, jumpingClock } from "../informer/jumping-clock.test-support.ts";
import { dynamicKind, metadataOnly } from "../resource-kind.ts";

/** The contract of informers, as tests for any transport. */
export function informerSuite(name: string, openWorld: () => Promise<InformerWorld>): void {
  describe(`informers ${name}`, () => {
    let world: InformerWorld;
    let client: Client;
    let clock: JumpingClock;
    let informers: Informers;
    let metrics: MetricsRegistry;
    let errors: unknown[];

    beforeEach(async () => {
      world = await openWorld();
      client = createClient(world.direct, { clock: world.clock, namespace: "north" });
      clock = jumpingClock(world.clock);
      metrics = new MetricsRegistry();
      errors = [];
      const log: Log = { ...noLog, with: () => log, error: (_, error) => errors.push(error) };
      informers = createInformers({
        client: createClient(world.transport, { clock }),
        clock,
        random: new SeededRandom(1),
        log,
        metrics,
      });
    });
    afterEach(async () => {
      informers.close();
      await world.close();
    });

    const write = (name: string, labels: Record<string, string> = {}) =>
      client.create(ConfigMap, { metadata: { name, labels }, data: { value: "1" } });
    const change = (name: string, value: string) =>
      client.patch(ConfigMap, { name }, { merge: { data: { value } } });
    const versionOf = ({ metadata }: ConfigMap): string => metadata.resourceVersion ?? "";
    const namesOf = (objects: readonly ConfigMap[]): (string | undefined)[] =>
      objects.map(({ metadata }) => metadata.name).sort();
    const north = { namespace: "north" };
    /** Advances the clock until a promise settles. */
    const passing = async (what: Promise<void>): Promise<void> => {
      let isOver = false;
      const over = what.finally(() => {
        isOver = true;
      });
      while (!isOver) await world.advance(500);
      await over;
    };

    test("call handlers for existing objects and for every change, in order, and update the cache", async () => {
      await write("a");
      const informer = informers.of(ConfigMap, north);
      const { lines, handler } = recorder();
      const registration = informer.addHandler(handler);
      expect([informer.hasSynced, registration.hasSynced, informer.list()]).toEqual([
        false,
        false,
        [],
      ]);
      await registration.synced();
      expect(lines).toEqual(["added a, initial"]);
      await write("b");
      await change("b", "2");
      await client.delete(ConfigMap, { name: "a" });
      await informer.reached(versionOf(await write("c")));
      expect(lines.slice(1)).toEqual(["added b", "updated b 1 to 2", "deleted a", "added c"]);
      expect(namesOf(informer.list())).toEqual(["b", "c"]);
      expect(informer.get({ ...north, name: "b" })).toEqual(
        await client.get(ConfigMap, { name: "b" }),
      );
      expect(informer.health).toMatchObject({
        state: "watching",
        lists: 1,
        stalls: 0,
        changesFoundByRelist: 0,
      });
    });

    test("return the same list until something changes", async () => {
      await write("a");
      const informer = informers.of(ConfigMap, north);
      await informer.synced();
      const all = informer.list();
      expect(informer.list()).toBe(all);
      expect(informer.list(north)).toBe(informer.list(north));
      await informer.reached(versionOf(await write("b")));
      expect(namesOf(all)).toEqual(["a"]);
      expect(namesOf(informer.list())).toEqual(["a", "b"]);
    });

    test("are shared by equal options, until the last user closes them", async () => {
      const one = informers.of(ConfigMap, north);
      const two = informers.of(ConfigMap, { ...north, labelSelector: {} });
      const other = informers.of(ConfigMap, { ...north, labelSelector: { team: "x" } });
      await informers.of(ConfigMap, north).reached(versionOf(await write("a", { team: "y" })));
      await other.synced();
      expect(one.list()[0]).toBe(two.list()[0]);
      expect(other.list()).toEqual([]);
      const recorded = recorder();
      one.addHandler(recorded.handler);
      one.close();
      await two.reached(versionOf(await write("b")));
      expect(recorded.lines).toEqual([]);
      expect([one.health.state, two.health.state]).toEqual(["closed", "watching"]);
      expect(() => one.addHandler(recorded.handler)).toThrow("the informer is closed");
    });

    test("call a late handler for existing objects, without gaps or repetitions", async () => {
      const informer = informers.of(ConfigMap, north);
      for (const name of ["a", "b", "c"]) await write(name);
      await informer.reached(versionOf(await change("a", "2")));
      const { lines, handler } = recorder();
      const writing = change("b", "3");
      informer.addHandler(handler);
      await informer.reached(versionOf(await writing));
      await informer.reached(versionOf(await change("c", "4")));
      const changes = lines.filter((line) => !line.includes("initial"));
      expect(lines.slice(0, 3)).toEqual([
        "added a, initial",
        "added b, initial",
        "added c, initial",
      ]);
      expect(changes.at(-1)).toBe("updated c 1 to 4");
      expect(changes.length).toBeLessThanOrEqual(2);
    });

    test("resync a handler as often as it wants, and no other", async () => {
      await write("a");
      const informer = informers.of(ConfigMap, north);
      const often = recorder();
      const never = recorder();
      informer.addHandler(often.handler, { resyncMs: 60_000 });
      informer.addHandler(never.handler);
      await informer.synced();
      await world.advance(250_000);
      const resyncs = often.lines.filter((line) => line === "updated a, the same");
      expect(resyncs.length).toBeGreaterThanOrEqual(2);
      expect(never.lines).toEqual(["added a, initial"]);
    });

    test("log errors of a handler, and continue to call it and others", async () => {
      const informer = informers.of(ConfigMap, north);
      const { lines, handler } = recorder();
      informer.addHandler({
        added(object) {
          lines.push(`failing for ${object.metadata.name}`);
          throw new Error("thrown");
        },
        updated: async () => Promise.reject(new Error("rejected")),
      });
      informer.addHandler(handler);
      await informer.synced();
      await write("a");
      await informer.reached(versionOf(await change("a", "2")));
      await informer.reached(versionOf(await write("b")));
      await world.advance(0);
      expect(lines.filter((line) => line.startsWith("failing"))).toHaveLength(2);
      expect(lines).toContain("added b");
      expect(errors.map(String).sort()).toEqual(
        expect.arrayContaining(["Error: rejected", "Error: thrown", "Error: thrown"]),
      );
    });

    test("allow adding and removing handlers during delivery", async () => {
      for (const name of ["a", "b", "c"]) await write(name);
      const informer = informers.of(ConfigMap, north);
      const inner = recorder();
      const once: string[] = [];
      const registration = informer.addHandler({
        added({ metadata }) {
          once.push(metadata.name ?? "");
          registration.remove();
          informer.addHandler(inner.handler);
        },
      });
      await informer.reached(versionOf(await write("d")));
      await informer.reached(versionOf(await write("e")));
      expect(once).toEqual(["a"]);
      expect(inner.lines.map((line) => line.slice(0, 7))).toEqual([
        "added a",
        "added b",
        "added c",
        "added d",
        "added e",
      ]);
    });

    test("find objects by index, also by one that is added later, and reject another index of that name", async () => {
      const byTeam = ({ metadata }: ConfigMap) => Object.values(metadata.labels ?? {});
      const informer = informers.of(ConfigMap, { ...north, indexers: { byTeam } });
      await write("a", { one: "x", two: "y" });
      await write("b", { one: "x" });
      await informer.reached(versionOf(await write("c")));
      expect(namesOf(informer.byIndex("byTeam", "x"))).toEqual(["a", "b"]);
      expect(namesOf(informer.byIndex("byTeam", "y"))).toEqual(["a"]);
      await client.patch(
        ConfigMap,
        { name: "a" },
        { merge: { metadata: { labels: { one: "z" } } } },
      );
      await informer.reached(versionOf(await change("b", "2")));
      expect([...informer.indexValues("byTeam")].sort()).toEqual(["x", "y", "z"]);
      expect(namesOf(informer.byIndex("byTeam", "x"))).toEqual(["b"]);
      informer.addIndexers({ byTeam, byValue: ({ data }) => [data?.value ?? ""] });
      expect(namesOf(informer.byIndex("byValue", "2"))).toEqual(["b"]);
      expect(() => informers.of(ConfigMap, { ...north, indexers: { byTeam: () => [] } })).toThrow(
        'another index "byTeam" already exists',
      );
      expect(() => informer.byIndex("byName", "a")).toThrow('index "byName" does not exist');
    });

    test("support namespaces, selectors, metadata-only and dynamic kinds, and transforms", async () => {
      await client.create(ConfigMap, { metadata: { name: "far", namespace: "south" } });
      await write("a", { team: "x" });
      const last = versionOf(await write("b", { team: "y" }));
      const selected = informers.of(ConfigMap, { labelSelector: { team: "x" } });
      const metadata = informers.of(metadataOnly(ConfigMap), north);
      const { group, version, kind, plural, scope } = ConfigMap;
      const dynamic = informers.of(dynamicKind({ group, version, kind, plural, scope }), north);
      const reduced = informers.of(ConfigMap, {
        ...north,
        transform: ({ data: _, ...rest }) => rest,
      });
      await Promise.all([selected, metadata, dynamic, reduced].map((one) => one.synced()));
      await Promise.all([metadata, dynamic, reduced].map((one) => one.reached(last)));
      expect(namesOf(selected.list())).toEqual(["a"]);
      expect(metadata.list().map((object) => [object.kind, Object.keys(object).sort()])).toEqual([
        ["PartialObjectMetadata", ["apiVersion", "kind", "metadata"]],
        ["PartialObjectMetadata", ["apiVersion", "kind", "metadata"]],
      ]);
      expect(dynamic.list()[0]).toMatchObject({ kind: "ConfigMap", data: { value: "1" } });
      expect(reduced.list().map(({ data }) => data)).toEqual([undefined, undefined]);
      expect(namesOf(reduced.list({ labelSelector: "team=y" }))).toEqual(["b"]);
      await client.patch(
        ConfigMap,
        { name: "a" },
        { merge: { metadata: { labels: { team: "z" } } } },
      );
      await selected.reached(versionOf(await write("c", { team: "x" })));
      expect(namesOf(selected.list())).toEqual(["c"]);
    });

    test("continue after a restart of the server, and find missed changes", async () => {
      await write("a");
      const informer = informers.of(ConfigMap, north);
      const { lines, handler } = recorder();
      informer.addHandler(handler);
      await informer.synced();
      await world.restart({ forgets: true });
      await client.delete(ConfigMap, { name: "a" });
      await passing(informer.reached(versionOf(await write("b"))));
      expect(namesOf(informer.list())).toEqual(["b"]);
      expect(lines.slice(1).sort()).toEqual([
        "added b",
        expect.stringMatching(/^deleted a(, stale)?$/),
      ]);
      const { lists, resumes } = informer.health;
      expect(lists + resumes).toBeGreaterThan(1);
    });

    test("leave nothing behind when they are closed, and reject waiters", async () => {
      const informer = informers.of(ConfigMap, north);
      await informer.synced();
      const ending = new AbortController();
      const aborted = informer.reached("999999999", { signal: ending.signal });
      ending.abort(new Error("enough"));
      await expect(aborted).rejects.toThrow("enough");
      const waiting = informer.reached("999999999");
      informers.close();
      await expect(waiting).rejects.toThrow("the informer is closed");
      await world.advance(10_000);
      expect(clock.pendingTimers).toBe(0);
      expect(() => informers.of(ConfigMap)).toThrow("the informers are closed");
    });

    test("count their activity", async () => {
      const informer = informers.of(ConfigMap, north);
      informer.addHandler(recorder().handler);
      const version = versionOf(await write("a"));
      await informer.reached(version);
      const labels = '{group="",name="",resource="configmaps",version="v1"}';
      const lines = metrics.text().split("\n");
      expect(lines).toContain(`informer_store_resource_version${labels} ${version}`);
      expect(lines).toContain(`informer_queued_items${labels} 0`);
      expect(lines).toContain(`informer_lists_total${labels} 1`);
      expect(lines).toContain(`informer_processing_latency_seconds_count${labels} 1`);
    });
  });
}

/** A handler that records its calls. */
function recorder(): { readonly lines: string[]; readonly handler: InformerHandler<ConfigMap> } {
  const lines: string[] = [];
  return {
    lines,
    handler: {
      added: ({ metadata }, isInitial) => {
        lines.push(`added ${metadata.name}${isInitial ? ", initial" : ""}`);
      },
      updated: (object, old) => {
        const change = `${old.data?.value} to ${object.data?.value}`;
        lines.push(
          `updated ${object.metadata.name}${object === old ? ", the same" : ` ${change}`}`,
        );
      },
      deleted: ({ metadata }, isStale) => {
        lines.push(`deleted ${metadata.name}${isStale ? ", stale" : ""}`);
      },
    },
  };
}
