import { expect, test } from "vitest";
import { VirtualClock } from "../base/virtual-clock.ts";
import { writeLimits } from "./limit-writes.ts";
import type { Transport, TransportRequest, TransportResponse } from "./transport.ts";

const request = (method: TransportRequest["method"], path: string): TransportRequest => ({
  method,
  path,
  query: "",
  headers: {},
});

/** A server that answers when it is told to, and tells what was begun. */
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

test("writes wait for their turn, in their order, and reads do not", async () => {
  const { begun, transport, end } = slowServer();
  const limit = writeLimits({ most: 2, clock })("one");
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

test("a write that fails makes room, too", async () => {
  const limited = writeLimits({ most: 1, clock })("one")(() =>
    Promise.reject(new Error("refused")),
  );
  await expect(limited(request("PUT", "a"))).rejects.toThrow("refused");
  await expect(limited(request("PUT", "b"))).rejects.toThrow("refused");
});

const event = (n: number): string => `/api/v1/namespaces/default/events/e${n}`;

test("events wait for other writes, and then few go at a time", async () => {
  const { begun, transport, end } = slowServer();
  const limited = writeLimits({ most: 50, clock })("one")(transport);
  void limited(request("POST", "/api/v1/namespaces/default/pods"));
  // That something is called so makes no event of it.
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

test("an event that has waited for two seconds goes beside other writes", async () => {
  const { begun, transport } = slowServer();
  const limited = writeLimits({ most: 50, clock })("one")(transport);
  void limited(request("POST", "/api/v1/namespaces/default/pods"));
  void limited(request("POST", event(1)));
  await clock.advance(1999);
  expect(begun).not.toContain(event(1));
  await clock.advance(1);
  expect(begun).toContain(event(1));
});

test("events of one wait for the writes of others, each of whom has room of its own", async () => {
  const { begun, transport, end } = slowServer();
  const limitOf = writeLimits({ most: 1, clock });
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

test("nobody waits for what a component had begun before it began again", async () => {
  const { begun, transport } = slowServer();
  const limitOf = writeLimits({ most: 1, clock });
  const other = limitOf("other")(transport);
  void limitOf("one")(transport)(request("POST", "never answered"));
  void other(request("POST", event(1)));
  await clock.advance(0);
  expect(begun).toEqual(["never answered"]);
  limitOf("one");
  await clock.advance(0);
  expect(begun).toEqual(["never answered", event(1)]);
});
