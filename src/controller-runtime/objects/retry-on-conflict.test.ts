import { expect, test } from "vitest";
import { conflict, notFound } from "../../api/meta/v1/status-error.ts";
import { SeededRandom } from "../../base/random.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { conflictBackoff, retryOnConflict } from "./retry-on-conflict.ts";

const what = { group: "", resource: "configmaps", name: "a" };

test("a conflict is retried, with five attempts in total", async () => {
  const clock = new VirtualClock();
  const times: number[] = [];
  const work = async (): Promise<string> => {
    times.push(clock.now());
    throw conflict(what, "changed");
  };
  const result = retryOnConflict(work, { clock, random: new SeededRandom(1) });
  const failed = expect(result).rejects.toMatchObject({ reason: "Conflict" });
  await clock.advance(1000);
  await failed;
  expect(times).toHaveLength(5);
  for (const [i, time] of times.slice(1).entries()) {
    const waited = time - (times[i] ?? 0);
    expect(waited).toBeGreaterThanOrEqual(10);
    expect(waited).toBeLessThan(11);
  }
});

test("the pauses of conflictBackoff grow by a factor of five", async () => {
  const clock = new VirtualClock();
  let tries = 0;
  const work = async (): Promise<number> => {
    tries++;
    if (tries < 4) throw conflict(what, "changed");
    return clock.now();
  };
  const random = new SeededRandom(1);
  const result = retryOnConflict(work, { clock, random, backoff: conflictBackoff });
  await clock.advance(1000);
  const end = await result;
  expect(end).toBeGreaterThanOrEqual(310);
  expect(end).toBeLessThan(341);
});

test("other errors are not retried, and the signal ends the wait", async () => {
  const clock = new VirtualClock();
  const random = new SeededRandom(1);
  let tries = 0;
  const missing = retryOnConflict(
    async () => {
      tries++;
      throw notFound(what);
    },
    { clock, random },
  );
  await expect(missing).rejects.toMatchObject({ reason: "NotFound" });
  expect(tries).toBe(1);
  const ending = new AbortController();
  const waiting = retryOnConflict(
    async () => {
      throw conflict(what, "changed");
    },
    { clock, random, signal: ending.signal },
  );
  const ended = expect(waiting).rejects.toThrow("stop");
  await clock.advance(0);
  ending.abort(new Error("stop"));
  await ended;
  expect(clock.pending).toBe(0);
});
