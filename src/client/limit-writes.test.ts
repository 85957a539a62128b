import { expect, test } from "vitest";
import { limitWrites } from "./limit-writes.ts";
import type { Transport, TransportRequest, TransportResponse } from "./transport.ts";

const request = (method: TransportRequest["method"], path: string): TransportRequest => ({
  method,
  path,
  query: "",
  headers: {},
});

test("writes wait for their turn, in their order, and reads do not", async () => {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const transport: Transport = ({ path }) => {
    begun.push(path);
    return new Promise((resolve) => ends.push(() => resolve({ status: 200 } as TransportResponse)));
  };
  const limit = limitWrites(2);
  const [one, other] = [limit(transport), limit(transport)];
  const calls = ["a", "b", "c", "d"].map((path, i) => (i % 2 ? one : other)(request("POST", path)));
  void one(request("GET", "read"));
  await Promise.resolve();
  expect(begun).toEqual(["a", "b", "read"]);
  ends[0]?.();
  await calls[0];
  await Promise.resolve();
  expect(begun).toEqual(["a", "b", "read", "c"]);
});

test("a write that fails makes room, too", async () => {
  const limited = limitWrites(1)(() => Promise.reject(new Error("refused")));
  await expect(limited(request("PUT", "a"))).rejects.toThrow("refused");
  await expect(limited(request("PUT", "b"))).rejects.toThrow("refused");
});
