import { expect, test } from "vitest";
import { VirtualClock } from "../base/virtual-clock.ts";
import { timeLimited } from "./time-limited.ts";
import type { TransportRequest, TransportResponse } from "./transport.ts";

const request: TransportRequest = { method: "GET", path: "/", query: "", headers: {} };

test("timeLimited: a request whose response does not begin is aborted", async () => {
  const clock = new VirtualClock();
  let given: AbortSignal | undefined;
  const send = timeLimited(
    ({ signal }) => {
      given = signal;
      return new Promise(() => {});
    },
    { clock, ms: 10_000 },
  );
  const failed = expect(send(request)).rejects.toThrow("deadline of 10000 ms exceeded");
  await clock.advance(10_000);
  await failed;
  expect(given?.aborted).toBe(true);
});

test("timeLimited: other responses are passed on", async () => {
  const clock = new VirtualClock();
  const response = { status: 200 } as TransportResponse;
  const transport = async () => response;
  expect(await timeLimited(transport, { clock, ms: 1 })(request)).toBe(response);
  expect(timeLimited(transport, { clock, ms: undefined })).toBe(transport);
});
