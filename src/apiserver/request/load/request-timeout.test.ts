import { expect, test } from "vitest";
import { VirtualClock } from "../../../base/virtual-clock.ts";
import { openServer, send, toApiRequest } from "../../in-process.test-support.ts";
import { Query } from "../query.ts";
import type { ApiResponse } from "../request.ts";
import { GatedStore } from "./gated-store.test-support.ts";
import { TimeLimit, timeoutOf } from "./request-timeout.ts";

test.each([
  ["", 60_000],
  ["timeout=", 60_000],
  ["timeout=0s", 60_000],
  ["timeout=-1s", 60_000],
  ["timeout=1500ms", 1500],
  ["timeout=59s", 59_000],
  ["timeout=2h", 60_000],
  ["timeoutSeconds=3", 60_000],
])("timeoutOf: %s", (query, wanted) => {
  expect(timeoutOf(new Query(query), 60_000)).toEqual(wanted);
});

test("TimeLimit: each request has its time, counted from when it came", async () => {
  const clock = new VirtualClock();
  const limit = new TimeLimit(clock, 60_000);
  const statuses: number[] = [];
  const timeouts: string[] = [];
  const begin = (name: string, work: Promise<ApiResponse>, query = ""): void => {
    const kept = limit.keep(
      () => work,
      new Query(query),
      () => {
        timeouts.push(name);
        return () => {};
      },
    );
    void kept.then(({ status }) => statuses.push(status));
  };
  const never = new Promise<ApiResponse>(() => {});
  begin("first", never);
  await clock.advance(10_000);
  begin("second", never);
  begin("short", never, "timeout=1s");
  begin("done", Promise.resolve({ status: 200, headers: {}, body: undefined }));
  await clock.advance(1000);
  expect([timeouts, statuses]).toEqual([["short"], [200, 504]]);
  await clock.advance(49_000);
  expect(timeouts).toEqual(["short", "first"]);
  await clock.advance(9999);
  expect(timeouts).toEqual(["short", "first"]);
  await clock.advance(1);
  expect([timeouts, statuses]).toEqual([
    ["short", "first", "second"],
    [200, 504, 504, 504],
  ]);
  expect(clock.pending).toEqual(0);
  begin("last", never);
  limit.close();
  expect(clock.pending).toEqual(0);
});

test("TimeLimit: the signal of a request that times out is aborted", async () => {
  const clock = new VirtualClock();
  const store = new GatedStore(clock);
  const server = await openServer(clock, store);
  store.shut();
  let aborts = 0;
  const abort = () => {
    aborts++;
  };
  const create = { method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: "a" } } };
  const answered = server.handle({ ...toApiRequest(create), abort });
  await store.waiting(1);
  expect(aborts).toEqual(0);
  await clock.advance(60_000);
  expect([(await answered).status, aborts]).toEqual([504, 1]);
  store.open();
  server.close();
});

test.each([
  ["10", 'time: missing unit in duration \\"10\\"'],
  ["soon", 'time: invalid duration \\"soon\\"'],
  ["1x", 'time: unknown unit \\"x\\" in duration \\"1x\\"'],
])("timeoutOf: %s is rejected before authentication", async (value, why) => {
  const server = await openServer(new VirtualClock());
  const headers = { authorization: "Bearer nobody's" };
  const paths = ["/api/v1/pods", "/healthz"].map((path) => `${path}?timeout=${value}`);
  for (const path of paths) {
    const { status, text } = await send(server, { path, headers, peer: undefined });
    expect([status, text]).toEqual([
      400,
      `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"invalid timeout specified in the request URL - ${why}","reason":"BadRequest","code":400}\n`,
    ]);
  }
  server.close();
});
