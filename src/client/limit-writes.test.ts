import { expect, test } from "vitest";
import { VirtualClock } from "../base/virtual-clock.ts";
import { limitWrites } from "./limit-writes.ts";
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
  const limit = limitWrites({ most: 2, clock });
  const [one, other] = [limit(transport), limit(transport)];
  const calls = ["a", "b", "c", "d"].map((path, i) => (i % 2 ? one : other)(request("POST", path)));
  void one(request("GET", "read"));
  await clock.advance(0);
  expect(begun).toEqual(["read", "a", "b"]);
  end("a");
  await calls[0];
  await clock.advance(0);
  expect(begun).toEqual(["read", "a", "b", "c"]);
});

test("a write that fails makes room, too", async () => {
  const limited = limitWrites({ most: 1, clock })(() => Promise.reject(new Error("refused")));
  await expect(limited(request("PUT", "a"))).rejects.toThrow("refused");
  await expect(limited(request("PUT", "b"))).rejects.toThrow("refused");
});

const event = (n: number): string => `/api/v1/namespaces/default/events/e${n}`;

test("events wait for other writes, and then few go at a time", async () => {
  const { begun, transport, end } = slowServer();
  const limited = limitWrites({ most: 50, clock })(transport);
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
  const limited = limitWrites({ most: 50, clock })(transport);
  void limited(request("POST", "/api/v1/namespaces/default/pods"));
  void limited(request("POST", event(1)));
  await clock.advance(1999);
  expect(begun).not.toContain(event(1));
  await clock.advance(1);
  expect(begun).toContain(event(1));
});
