import { once } from "node:events";
import { expect, test } from "vitest";
import {
  deferred,
  handStream,
  ok,
  openers,
  openSession,
  start,
  versions,
} from "./clients.test-support.ts";

async function* breakOff(): AsyncGenerator<string> {
  yield "begin";
  throw new Error("boom");
}

test.each(versions)("sendBody: %s: the client sees that a body failed midway", async (_, call) => {
  const { port } = await start(() => ok(breakOff()));
  await expect(call(port, {})).rejects.toThrow();
});

test.each(openers)(
  "sendBody: %s: a stream's headers and writes arrive at once",
  async (_, open) => {
    const hand = handStream();
    const { port } = await start(() => ok(hand.body));
    const answer = await open(port);
    const sink = await hand.started;
    for (const event of ["first", "second"]) {
      const arrived = answer.next();
      sink.write(event);
      expect(await arrived).toEqual(event);
    }
    answer.ended.catch(() => {});
    sink.end();
    answer.next().catch(() => {});
    await answer.ended;
    expect([hand.stops(), sink.write("late")]).toEqual([0, false]);
  },
);

test.each(openers)(
  "sendBody: %s: a client that goes away stops stream and signal",
  async (_, open) => {
    const hand = handStream();
    const { promise: aborted, resolve: onAbort } = deferred<void>();
    const { port } = await start((request) => {
      request.signal.addEventListener("abort", () => onAbort());
      return ok(hand.body);
    });
    const answer = await open(port);
    answer.ended.catch(() => {});
    await hand.started;
    answer.abandon();
    await Promise.all([hand.stopped, aborted]);
    expect(hand.stops()).toEqual(1);
  },
);

test.each(openers)(
  "sendBody: %s: a client that does not read holds the stream up, then is cut off",
  async (_, open) => {
    const hand = handStream();
    const { port } = await start(() => ok(hand.body), { stallTimeout: 50 });
    const answer = await open(port);
    answer.ended.catch(() => {});
    const sink = await hand.started;
    const chunk = Buffer.alloc(1_000_000);
    let written = 0;
    while (sink.write(chunk) || written < 20) written++;
    await hand.stopped;
    expect(hand.stops()).toEqual(1);
  },
);

test.each(openers)(
  "sendBody: %s: a stream that was held up goes on when the client reads",
  async (_, open) => {
    const hand = handStream();
    const { port } = await start(() => ok(hand.body));
    const answer = await open(port);
    const sink = await hand.started;
    while (sink.write(Buffer.alloc(100_000))) {}
    const goesOn = new Promise<void>((resolve) => sink.onDrain(resolve));
    answer.next().catch(() => {});
    await goesOn;
    expect(sink.write("more")).toEqual(true);
    sink.end();
    await answer.ended;
  },
);

test("sendBody: many large responses share one connection at the same time", async () => {
  const body = Buffer.alloc(3_000_000, "x");
  const { port } = await start(() => ok(body));
  const session = openSession(port);
  const sizes = await Promise.all(
    Array.from({ length: 60 }, async () => {
      const stream = session.request({ ":path": "/" });
      let size = 0;
      stream.on("data", (chunk) => {
        size += chunk.length;
      });
      await once(stream, "end");
      return size;
    }),
  );
  expect(new Set(sizes)).toEqual(new Set([3_000_000]));
});
