import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import type { Sink } from "../../apiserver/request/request.ts";
import { InProcessCall } from "./in-process-call.ts";
import { liveStream } from "./live-stream.ts";

/** A stream that the test writes to. */
function written() {
  const ending = new AbortController();
  const call = new InProcessCall(ending.signal);
  const log: string[] = [];
  let sink: Sink<number> | undefined;
  const body = {
    start(given: Sink<number>) {
      log.push("started");
      sink = given;
      given.onDrain(() => log.push("drained"));
      return () => log.push("stopped");
    },
  };
  const stream = liveStream(body, call);
  const write = (...chunks: readonly number[]) => chunks.map((chunk) => sink?.write(chunk));
  return { stream, call, log, ending, write, end: () => sink?.end() };
}

test("liveStream: starts on the first read, and returns all chunks written since the last read", async () => {
  const { stream, log, write, end } = written();
  expect(log).toEqual([]);
  const first = stream.next();
  write(1, 2);
  expect(await first).toEqual({ done: false, value: [1, 2] });
  write(3);
  end();
  expect(await stream.next()).toEqual({ done: false, value: [3] });
  expect(await stream.next()).toEqual({ done: true, value: undefined });
  expect(await stream.next()).toEqual({ done: true, value: undefined });
  expect(log).toEqual(["started", "drained", "drained", "stopped"]);
});

test("liveStream: a full buffer makes the server wait for the next read", async () => {
  const { stream, log, write } = written();
  const first = stream.next();
  write(0);
  await first;
  expect(write(...Array(1000).keys()).indexOf(false)).toBe(999);
  expect((await stream.next()).value).toHaveLength(1000);
  expect(log).toEqual(["started", "drained"]);
});

test("liveStream: a caller that stops reading ends the call, even while a read is pending", async () => {
  const { stream, log, ending } = written();
  const asked = stream.next();
  await stream.return?.();
  expect(await asked).toEqual({ done: true, value: undefined });
  expect([log, getEventListeners(ending.signal, "abort")]).toEqual([["started", "stopped"], []]);
});

test("liveStream: the caller's signal stops it at once, and reads reject with its reason", async () => {
  for (const isAsked of [true, false]) {
    const { stream, log, ending, write } = written();
    const first = stream.next();
    write(1);
    await first;
    const asked = isAsked ? stream.next() : undefined;
    ending.abort(new Error("enough"));
    expect(log.at(-1)).toBe("stopped");
    await expect(asked ?? stream.next()).rejects.toThrow("enough");
  }
});

test("InProcessCall: its signal is aborted after the end, whenever it is created", () => {
  const { call, ending } = written();
  const before = call.signal;
  expect(before.aborted).toBe(false);
  ending.abort(new Error("enough"));
  expect([before.reason, before]).toEqual([new Error("enough"), call.signal]);
  const late = new InProcessCall(undefined);
  late.end();
  expect(late.signal.aborted).toBe(true);
});
