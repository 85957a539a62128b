import { expect, test } from "vitest";
import { VirtualClock } from "../base/virtual-clock.ts";
import type { Transport, TransportRequest, TransportResponse } from "./transport.ts";
import { writeLimits } from "./write-limits.ts";

const request = (method: TransportRequest["method"], path: string): TransportRequest => ({
  method,
  path,
  query: "",
  headers: {},
});

/** A server that responds on demand and records the requests in flight. */
function slowServer() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const transport: Transport = ({ path }) => {
    begun.push(path);
    return new Promise((resolve) =>
      ends.set(path, () => resolve({ status: 200 } as TransportResponse)),
    );
  };
  return { begun, transport, end: (path: string) => ends.get(path)?.() };
}

const clock = new VirtualClock();

test("writes are queued in order, and reads are not", async () => {
  const { begun, transport, end } = slowServer();
  const limit = writeLimits({ maxInFlight: 2, clock })("one");
  const [one, other] = [limit(transport), limit(transport)];
  const calls = ["a", "b", "c", "d"].map((path, i) => (i % 2 ? one : other)(request("POST", path)));
  void one(request("GET", "read"));
  await clock.advance(0);
  expect(begun).toEqual(["a", "b", "read"]);
  end("a");
  await calls[0];
  await clock.advance(0);
  expect(begun).toEqual(["a", "b", "read", "c"]);
});

test("a failed write makes room for the next", async () => {
  const limited = writeLimits({ maxInFlight: 1, clock })("one")(() =>
    Promise.reject(new Error("refused")),
  );
  await expect(limited(request("PUT", "a"))).rejects.toThrow("refused");
  await expect(limited(request("PUT", "b"))).rejects.toThrow("refused");
});

const event = (n: number): string => `/api/v1/namespaces/default/events/e${n}`;

test("events wait for other writes, and few are sent at a time", async () => {
  const { begun, transport, end } = slowServer();
  const limited = writeLimits({ maxInFlight: 50, clock })("one")(transport);
  void limited(request("POST", "/api/v1/namespaces/default/pods"));
  // A namespace named events is no event.
  void limited(request("DELETE", "/api/v1/namespaces/events"));
  for (let n = 0; n < 6; n++) void limited(request("PATCH", event(n)));
  await clock.advance(0);
  expect(begun).toEqual(["/api/v1/namespaces/default/pods", "/api/v1/namespaces/events"]);
  end("/api/v1/namespaces/default/pods");
  end("/api/v1/namespaces/events");
  await clock.advance(0);
  expect(begun.slice(2)).toEqual([0, 1, 2, 3].map(event));
  end(event(2));
  await clock.advance(0);
  expect(begun.slice(6)).toEqual([event(4)]);
});

test("an event that has waited for two seconds is sent beside other writes", async () => {
  const { begun, transport } = slowServer();
  const limited = writeLimits({ maxInFlight: 50, clock })("one")(transport);
  void limited(request("POST", "/api/v1/namespaces/default/pods"));
  void limited(request("POST", event(1)));
  await clock.advance(1999);
  expect(begun).not.toContain(event(1));
  await clock.advance(1);
  expect(begun).toContain(event(1));
});

test("events of one component wait for the writes of all, and each component has its own limit", async () => {
  const { begun, transport, end } = slowServer();
  const limitOf = writeLimits({ maxInFlight: 1, clock });
  const [one, other] = [limitOf("one")(transport), limitOf("other")(transport)];
  void one(request("POST", "a"));
  void other(request("POST", "b"));
  void one(request("POST", event(1)));
  void other(request("POST", event(2)));
  await clock.advance(0);
  expect(begun).toEqual(["a", "b"]);
  end("a");
  await clock.advance(0);
  expect(begun).toEqual(["a", "b"]);
  end("b");
  await clock.advance(0);
  expect(begun).toEqual(["a", "b", event(1), event(2)]);
});

test("a restarted component does not wait for the requests of its previous run", async () => {
  const { begun, transport } = slowServer();
  const limitOf = writeLimits({ maxInFlight: 1, clock });
  const other = limitOf("other")(transport);
  void limitOf("one")(transport)(request("POST", "never answered"));
  void other(request("POST", event(1)));
  await clock.advance(0);
  expect(begun).toEqual(["never answered"]);
  limitOf("one");
  await clock.advance(0);
  expect(begun).toEqual(["never answered", event(1)]);
});
