import { expect, test } from "vitest";
import { ContentLeases } from "./content-leases.ts";
import { SharedWork } from "./shared-work.ts";

/** Work that ends when it is told to, or aborted. */
function stoppableWork() {
  const calls: AbortSignal[] = [];
  const ends: ((value: string) => void)[] = [];
  const work = (signal: AbortSignal): Promise<string> => {
    calls.push(signal);
    return new Promise((resolve, reject) => {
      ends.push(resolve);
      signal.addEventListener("abort", () => reject(new Error("aborted")));
    });
  };
  return { calls, work, end: (value: string) => ends.at(-1)?.(value) };
}

test("shared work: callers of a key share one run", async () => {
  const shared = new SharedWork<string>();
  const { calls, work, end } = stoppableWork();
  const both = [shared.run("a", work), shared.run("a", work)];
  await expect.poll(() => calls.length).toBe(1);
  end("done");
  expect(await Promise.all(both)).toEqual(["done", "done"]);
  expect(calls).toHaveLength(1);
});

test("shared work: goes on while one caller waits, and aborts with the last", async () => {
  const shared = new SharedWork<string>();
  const { calls, work } = stoppableWork();
  const [first, second] = [new AbortController(), new AbortController()];
  const runs = [shared.run("a", work, first.signal), shared.run("a", work, second.signal)];
  const ended = Promise.allSettled(runs);
  first.abort(new Error("first gave up"));
  await expect(runs[0]).rejects.toThrow("first gave up");
  expect(calls[0]?.aborted).toBe(false);
  second.abort(new Error("second gave up"));
  await ended;
  expect(calls[0]?.aborted).toBe(true);
  const third = shared.run("a", async () => "new");
  expect(await third).toBe("new");
});

test("shared work: the last caller that gives up waits until the work has cleaned up", async () => {
  const shared = new SharedWork<string>();
  const events: string[] = [];
  const caller = new AbortController();
  const run = shared.run(
    "a",
    async (signal) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      await new Promise((resolve) => setImmediate(resolve));
      events.push("cleaned up");
      throw new Error("aborted");
    },
    caller.signal,
  );
  caller.abort(new Error("gave up"));
  await expect(run).rejects.toThrow("gave up");
  expect(events).toEqual(["cleaned up"]);
});

test("content leases: what is held is not removed, and a removal under way is waited for", async () => {
  const leases = new ContentLeases();
  const events: string[] = [];
  const lease = leases.start();
  await lease.add("a");
  expect(await leases.remove("a", async () => void events.push("removed"))).toBe(false);
  lease.end();
  let finish = (): void => undefined;
  const removal = leases.remove("a", () => new Promise((resolve) => (finish = resolve)));
  const held = leases
    .start()
    .add("a")
    .then(() => events.push("held"));
  events.push("finishing");
  finish();
  expect(await removal).toBe(true);
  await held;
  expect(events).toEqual(["finishing", "held"]);
});
