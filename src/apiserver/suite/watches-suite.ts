import { expect } from "vitest";
import type { Store } from "../../store/store.ts";
import {
  type Api,
  brief,
  configMap,
  configMaps,
  numbers,
  type SuiteTest,
  systemConfigMap,
} from "./harness-suite.ts";

const watching = `${configMaps}?watch=1`;

/** Watches: where they start, what they show, how they end. */
export function watchesSuite(test: SuiteTest): void {
  test("a watch from a resourceVersion delivers every later change", async (api) => {
    const { metadata } = await api.create(configMaps, configMap("a"));
    await api.create(configMaps, configMap("b"));
    const watch = await api.watch(`${watching}&resourceVersion=${metadata.resourceVersion}`);
    const changed = await api.replace(`${configMaps}/a`, configMap("a", { data: { k: "v" } }));
    await api.delete(`${configMaps}/a`);
    const events = [await watch.next(), await watch.next(), await watch.next()];
    expect(events.map((event) => event && brief(event))).toEqual([
      "ADDED b",
      "MODIFIED a",
      "DELETED a",
    ]);
    expect(events[1]?.object).toEqual(changed);
    const { resourceVersion } = changed.metadata;
    expect(events[2]?.object).toEqual({
      ...changed,
      metadata: { ...changed.metadata, resourceVersion: String(Number(resourceVersion) + 1) },
    });
  });

  test("a watch without a resourceVersion, or from 0, starts with the existing objects", async (api) => {
    await api.create(configMaps, configMap("a"));
    await api.create(configMaps, configMap("b"));
    const watches = [await api.watch(watching), await api.watch(`${watching}&resourceVersion=0`)];
    await api.delete(`${configMaps}/a`);
    for (const watch of watches)
      expect(await watch.take(3)).toEqual(["ADDED a", "ADDED b", "DELETED a"]);
  });

  test("a watch from the resourceVersion of a list misses nothing", async (api) => {
    const { metadata } = await api.read(configMaps);
    await api.create(configMaps, configMap("a"));
    const watch = await api.watch(`${watching}&resourceVersion=${metadata.resourceVersion}`);
    expect(await watch.take(1)).toEqual(["ADDED a"]);
  });

  test("a watch from a future resourceVersion leaves out earlier changes", async (api) => {
    const { metadata } = await api.create(configMaps, configMap("a"));
    const from = Number(metadata.resourceVersion) + 1;
    const watch = await api.watch(`${watching}&resourceVersion=${from}`);
    await api.create(configMaps, configMap("b"));
    await api.create(configMaps, configMap("c"));
    expect(await watch.take(1)).toEqual(["ADDED c"]);
  });

  test("a watch is of one namespace, one name, or all objects", async (api) => {
    const [here, named, old, all] = [
      await api.watch(watching),
      await api.watch(`${watching}&fieldSelector=metadata.name%3Db`),
      await api.watch("/api/v1/watch/namespaces/default/configmaps/b"),
      await api.watch("/api/v1/configmaps?watch=true"),
    ];
    await api.create("/api/v1/namespaces/kube-system/configmaps", configMap("x"));
    await api.create(configMaps, configMap("a"));
    await api.create(configMaps, configMap("b"));
    expect([await here.take(2), await named.take(1), await old.take(1), await all.take(4)]).toEqual(
      [
        ["ADDED a", "ADDED b"],
        ["ADDED b"],
        ["ADDED b"],
        [`ADDED ${systemConfigMap}`, "ADDED x", "ADDED a", "ADDED b"],
      ],
    );
  });

  test("an object that starts or stops matching the selector is an ADDED or DELETED event", async (api) => {
    const watch = await api.watch(`${watching}&labelSelector=on`);
    const write = (name: string, labels: object | undefined, data: object) => ({
      ...configMap(name, { data }),
      metadata: { name, labels },
    });
    await api.create(configMaps, write("a", undefined, {}));
    await api.replace(`${configMaps}/a`, write("a", { on: "" }, {}));
    await api.replace(`${configMaps}/a`, write("a", { on: "" }, { k: "1" }));
    const out = await api.replace(`${configMaps}/a`, write("a", {}, { k: "2" }));
    await api.replace(`${configMaps}/a`, write("a", {}, { k: "3" }));
    await api.replace(`${configMaps}/a`, write("a", { on: "" }, { k: "4" }));
    await api.delete(`${configMaps}/a`);
    const events = [];
    for (const _ of numbers(5)) events.push(await watch.next());
    expect(events.map((event) => `${event?.type} ${event?.object.data?.k}`)).toEqual([
      "ADDED undefined",
      "MODIFIED 1",
      "DELETED 1",
      "ADDED 4",
      "DELETED 4",
    ]);
    expect(events[2]?.object.metadata.resourceVersion).toEqual(out.metadata.resourceVersion);
  });

  test("bookmarks report progress every minute, only on request", async (api) => {
    const [with_, without] = [
      await api.watch(`${watching}&allowWatchBookmarks=true`),
      await api.watch(watching),
    ];
    const other = await api.create("/api/v1/namespaces/kube-system/configmaps", configMap("x"));
    await api.harness.clock.advance(61_000);
    const { resourceVersion } = other.metadata;
    expect(await with_.next()).toEqual({
      type: "BOOKMARK",
      object: { kind: "ConfigMap", apiVersion: "v1", metadata: { resourceVersion } },
    });
    await api.create(configMaps, configMap("a"));
    expect([await with_.take(1), await without.take(1)]).toEqual([["ADDED a"], ["ADDED a"]]);
  });

  test("requested initial events end with a bookmark", async (api) => {
    await api.create(configMaps, configMap("a"));
    const last = await api.create(configMaps, configMap("b"));
    const watch = await api.watch(
      `${watching}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    );
    expect(await watch.take(2)).toEqual(["ADDED a", "ADDED b"]);
    expect(await watch.next()).toEqual({
      type: "BOOKMARK",
      object: {
        kind: "ConfigMap",
        apiVersion: "v1",
        metadata: {
          resourceVersion: last.metadata.resourceVersion,
          annotations: { "k8s.io/initial-events-end": "true" },
        },
      },
    });
    await api.delete(`${configMaps}/b`);
    expect(await watch.take(1)).toEqual(["DELETED b"]);
  });

  test("a watch without initial events starts with the next change", async (api) => {
    await api.create(configMaps, configMap("a"));
    const watch = await api.watch(
      `${watching}&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`,
    );
    await api.create(configMaps, configMap("b"));
    expect(await watch.take(1)).toEqual(["ADDED b"]);
  });

  test("a watch delivers more initial objects than a connection buffers", async (api) => {
    const data = { filling: "x".repeat(10_000) };
    const { metadata } = await api.create(configMaps, configMap("first", { data }));
    await copies(api, "first", 1500);
    const watch = await api.watch(watching);
    await api.delete(`${configMaps}/first`);
    const wanted = ["first", ...numbers(1500).map(copyName)].map((name) => `ADDED ${name}`);
    expect(await watch.take(1502)).toEqual([...wanted, "DELETED first"]);
    const later = await api.watch(`${watching}&resourceVersion=${metadata.resourceVersion}`);
    expect(await later.take(1501)).toEqual([...wanted.slice(1), "DELETED first"]);
  });

  test(
    "a watch from a version that is too old ends with an error",
    async (api) => {
      const watch = await api.watch(`${watching}&resourceVersion=2`);
      expect([watch.status, await watch.rest()]).toEqual([
        200,
        [
          {
            type: "ERROR",
            object: {
              kind: "Status",
              apiVersion: "v1",
              metadata: {},
              status: "Failure",
              message: expect.stringMatching(/^too old resource version: 2 \(\d+\)$/),
              reason: "Expired",
              code: 410,
            },
          },
        ],
      ]);
    },
    longHistory,
  );

  test("a watch ends after the requested timeout", async (api) => {
    const watch = await api.watch(`${watching}&timeoutSeconds=5`);
    await api.create(configMaps, configMap("a"));
    await api.harness.clock.advance(4_900);
    await api.create(configMaps, configMap("b"));
    await api.harness.clock.advance(200);
    expect((await watch.rest()).map(brief)).toEqual(["ADDED a", "ADDED b"]);
  });

  test("a watch ends by itself within an hour", async (api) => {
    const watch = await api.watch(watching);
    await api.harness.clock.advance(3_600_000);
    expect(await watch.rest()).toEqual([]);
  });

  test("a watch whose client does not read is ended, and does not delay others", async (api) => {
    const data = { filling: "x".repeat(5_000) };
    await api.create(configMaps, configMap("first", { data }));
    const from = (await api.read(configMaps)).metadata.resourceVersion;
    const path = `${watching}&resourceVersion=${from}`;
    const [lazy, eager] = [await api.watch(path), await api.watch(path)];
    const rounds = 11;
    const each = 400;
    const wanted = numbers(each).map((n) => copyName(n));
    for (const round of numbers(rounds)) {
      await copies(api, "first", each);
      const type = round === 0 ? "ADDED" : "MODIFIED";
      expect(await eager.take(each)).toEqual(wanted.map((name) => `${type} ${name}`));
    }
    const seen = (await lazy.rest()).map(brief);
    expect(seen.length).toBeLessThan(rounds * each);
    const all = numbers(rounds).flatMap((round) =>
      wanted.map((name) => `${round === 0 ? "ADDED" : "MODIFIED"} ${name}`),
    );
    expect(seen).toEqual(all.slice(0, seen.length));
  });

  test("events in protobuf are framed by their length", async (api) => {
    await api.create(configMaps, configMap("a"));
    const { status, headers, chunks } = await api.harness.send({
      method: "GET",
      path: `${watching}&timeoutSeconds=1`,
      headers: { accept: "application/vnd.kubernetes.protobuf;stream=watch" },
    });
    await api.harness.clock.advance(1000);
    const parts: Uint8Array[] = [];
    for await (const chunk of chunks) parts.push(chunk);
    const bytes = Buffer.concat(parts);
    expect([status, headers["content-type"], bytes.readUInt32BE(0)]).toEqual([
      200,
      "application/vnd.kubernetes.protobuf;stream=watch",
      bytes.length - 4,
    ]);
    expect(bytes.toString("latin1")).toContain("ADDED");
  });

  test("tables and metadata are watched in the same form as they are listed", async (api) => {
    const partial = await api.watch(watching, {
      accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
    });
    const table = await api.watch(watching, {
      accept: "application/json;as=Table;g=meta.k8s.io;v=v1",
    });
    const { metadata } = await api.create(configMaps, configMap("a"));
    expect(await partial.next()).toEqual({
      type: "ADDED",
      object: { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata },
    });
    const row = await table.next();
    expect([row?.type, row?.object.kind, row?.object.rows[0]?.cells]).toEqual([
      "ADDED",
      "Table",
      ["a", 0, "0s"],
    ]);
  });
}

/** More revisions than the server looks back when it starts. */
async function longHistory(store: Store): Promise<void> {
  const value = new Uint8Array();
  await Promise.all(
    numbers(1200).map(() => store.commit([{ type: "put", key: "/registry/filling", value }])),
  );
}

const copyName = (n: number): string => `n${String(n).padStart(4, "0")}`;

/** Writes copies of a stored object in one commit; its name must be as long as theirs. */
async function copies({ harness }: Api, name: string, count: number): Promise<void> {
  const folder = "/registry/configmaps/default";
  const entry = await harness.store.get(`${folder}/${name}`);
  const text = Buffer.from(entry?.value ?? []).toString("latin1");
  const ops = numbers(count).map((n) => {
    const value = Buffer.from(text.replace(`\x05${name}`, `\x05${copyName(n)}`), "latin1");
    return { type: "put", key: `${folder}/${copyName(n)}`, value } as const;
  });
  await harness.store.commit(ops);
}
