import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { openServer, send } from "../in-process.test-support.ts";
import { Query } from "../query.ts";
import { timeoutOf } from "./request-timeout.ts";

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

test.each([
  ["10", 'time: missing unit in duration \\"10\\"'],
  ["soon", 'time: invalid duration \\"soon\\"'],
  ["1x", 'time: unknown unit \\"x\\" in duration \\"1x\\"'],
])("timeoutOf: %s is refused before anybody asks who it is", async (value, why) => {
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
