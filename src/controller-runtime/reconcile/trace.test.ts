import { afterEach, beforeEach, expect, test } from "vitest";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { openTestApi, type TestApi } from "../../testing/api.test-support.ts";
import { createManager } from "../manager/manager.ts";
import { withController } from "../objects/owner-references.ts";
import { controller } from "./controller.ts";
import { createTrace } from "./trace.ts";
import { traceText } from "./trace-text.ts";

let api: TestApi;
beforeEach(async () => {
  api = await openTestApi();
});
afterEach(() => api.close());

test("the trace of two controllers shows which write caused which reconcile", async () => {
  const { transport, clock, random } = api;
  const manager = createManager({
    transport,
    clock,
    random,
    controllers: [
      controller({
        name: "maker",
        for: ConfigMap,
        owns: [Secret],
        async reconcile(key, { cache, client }) {
          const parent = await cache.get(ConfigMap, key);
          if (parent?.data?.wants !== "secret") return;
          if ((await cache.controlledBy(Secret, parent)).length > 0) return;
          await client.create(Secret, withController({ metadata: { ...key } }, parent) as never);
        },
      }),
      controller({
        name: "filler",
        for: Secret,
        async reconcile(key, { cache, client }) {
          const secret = await cache.get(Secret, key);
          if (secret && !secret.data)
            await client.patch(Secret, key, { merge: { data: { x: "MQ==" } } });
        },
      }),
    ],
  });
  const stop = new AbortController();
  const ended = manager.run({ signal: stop.signal });
  await clock.advance(20);
  const before = manager.trace().at(-1)?.id ?? 0;
  await api.client.create(ConfigMap, { metadata: { name: "a" }, data: { wants: "secret" } });
  await clock.advance(20);

  const chain = manager.trace().filter(({ id }) => id > before);
  const making = chain.find(
    ({ controller, writes }) => controller === "maker" && writes.length > 0,
  );
  const filling = chain.find(
    ({ controller, writes }) => controller === "filler" && writes.length > 0,
  );
  expect(making).toMatchObject({
    key: "default/a",
    result: "success",
    causes: [{ type: "added", writtenBy: undefined, object: { kind: "ConfigMap" } }],
    writes: [{ verb: "create", plural: "secrets", key: "default/a" }],
  });
  expect(filling).toMatchObject({
    causes: [{ type: "added", writtenBy: making?.id, object: { kind: "Secret" } }],
    writes: [{ verb: "patch", plural: "secrets" }],
  });
  const back = chain.find(
    ({ controller, causes }) =>
      controller === "maker" && causes.some(({ writtenBy }) => writtenBy === filling?.id),
  );
  expect(back).toMatchObject({ key: "default/a", writes: [] });
  expect(manager.trace({ controller: "filler", key: "default/a" }).length).toBeGreaterThan(0);
  expect(manager.trace({ key: "default/none" })).toEqual([]);
  const version = making?.writes[0]?.resourceVersion;
  expect(traceText(filling ? [filling] : [])).toContain(
    `  because secrets default/a was added at ${version}, as #${making?.id} wrote it\n`,
  );
  stop.abort();
  await ended;
});

test("the number of reconciles, causes and writes in a trace is bounded", () => {
  const trace = createTrace(new VirtualClock(), 3);
  const object = {
    group: "",
    plural: "pods",
    kind: "Pod",
    key: "a",
    uid: "u",
    resourceVersion: "5",
  };
  for (let i = 0; i < 14; i++) trace.caused("c", "k", { type: "updated", object });
  for (let i = 0; i < 5; i++) {
    const traced = trace.began({ controller: "c", key: "k", attempt: 1 });
    for (let n = 0; n < 60; n++)
      traced.wrote({
        type: "written",
        verb: "update",
        group: "",
        plural: "pods",
        key: { name: "a" },
        uid: "u",
        resourceVersion: `${i * 100 + n}`,
        object: undefined,
      });
    traced.ended("success");
    if (i === 0)
      expect(trace.list()).toMatchObject([
        { causes: { length: 10 }, moreCauses: 4, writes: { length: 50 }, moreWrites: 10 },
      ]);
  }
  expect(trace.list().map(({ id }) => id)).toEqual([3, 4, 5]);
  trace.caused("c", "k", { type: "updated", object: { ...object, resourceVersion: "205" } });
  trace.caused("c", "k", { type: "updated", object: { ...object, resourceVersion: "405" } });
  trace.began({ controller: "c", key: "k", attempt: 1 });
  expect(
    trace
      .list()
      .at(-1)
      ?.causes.map(({ writtenBy }) => writtenBy),
  ).toEqual([undefined, 5]);
});

test("a deletion is linked by the uid of the deleted object", () => {
  const trace = createTrace(new VirtualClock());
  const traced = trace.began({ controller: "c", key: "k", attempt: 1 });
  const pods = { group: "", plural: "pods" };
  traced.wrote({ ...pods, type: "gone", verb: "delete", key: { name: "a" }, uid: "u" });
  traced.wrote({ ...pods, type: "unknown", verb: "create", namespace: "n", name: undefined });
  traced.ended("error", "no answer");
  const object = { ...pods, kind: "Pod", key: "a", uid: "u", resourceVersion: "9" };
  trace.caused("c", "k", { type: "deleted", object });
  trace.caused("c", "k", { type: "retry" });
  trace.began({ controller: "c", key: "k", attempt: 2 });
  expect(traceText(trace.list())).toBe(`#1 c k at 00:00:00.000, 0 ms: error
  wrote delete pods a
  wrote create pods n/: not known whether
  failed: no answer
#2 c k at 00:00:00.000, under way, attempt 2
  because pods a was deleted at 9, as #1 wrote it
  because it failed before
`);
});
