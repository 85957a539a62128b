import type { Clock, Timer } from "../../base/clock.ts";
import type { SeededRandom } from "../../base/random.ts";
import type { VirtualClock } from "../../base/virtual-clock.ts";
import { type Transport, TransportError } from "../../client/transport.ts";

/** A machine of its own: a clock that goes at its own rate, and a process that can be stopped for a while. */
export interface Machine extends Clock {
  ticks(): number;
  /** Stops the process: no timer fires and no answer arrives until `until`, by the world's clock. */
  pause(until: number): void;
  /** A network that leads out of this machine. */
  connect(transport: Transport, weather: Weather): Transport;
}

/** What befalls calls, in parts of one. */
export interface Weather {
  readonly random: SeededRandom;
  /** Calls that get lost on their way to the server. */
  readonly lostCalls: number;
  /** Answers that get lost on their way back. */
  readonly lostAnswers: number;
  /** Calls that the server fails to answer properly. */
  readonly failures: number;
  /** The longest that a call, or an answer, is on its way, in milliseconds. */
  readonly slowestMs: number;
}

export function machine(world: VirtualClock, rate: number, offset: number): Machine {
  let pausedUntil = 0;
  const local = (): number => offset + world.now() * rate;
  /** Calls `fire` as soon as the process runs. */
  const whenRunning = (fire: () => void): void => {
    if (world.now() >= pausedUntil) fire();
    else if (pausedUntil !== Infinity)
      world.setTimer(pausedUntil - world.now(), () => whenRunning(fire));
  };
  const wait = (ms: number): Promise<void> =>
    new Promise((resolve) => void world.setTimer(ms, resolve));
  return {
    now: local,
    ticks: () => world.now() * rate,
    setTimer(ms, fire): Timer {
      let isCancelled = false;
      const timer = world.setTimer(ms / rate, () =>
        whenRunning(() => {
          if (!isCancelled) fire();
        }),
      );
      return {
        cancel() {
          isCancelled = true;
          timer.cancel();
        },
      };
    },
    pause(until) {
      pausedUntil = Math.max(pausedUntil, until);
    },
    connect: (transport, weather) => {
      const { random } = weather;
      const chance = (part: number): boolean => random.next() < part;
      return (request) => {
        const { signal: _, ...rest } = request;
        // What has left the machine goes on whether or not anybody waits for the answer.
        const answer = (async () => {
          await wait(random.next() * weather.slowestMs);
          if (chance(weather.lostCalls)) throw new TransportError("connection refused");
          if (chance(weather.failures))
            return { status: 500, headers: {}, value: async () => undefined } as never;
          const response = await transport(rest);
          const value = await response.value();
          await wait(random.next() * weather.slowestMs);
          if (chance(weather.lostAnswers)) throw new TransportError("connection reset");
          return { ...response, value: async () => value };
        })();
        return new Promise((resolve, reject) => {
          const abort = (): void => reject(request.signal?.reason);
          if (request.signal?.aborted) abort();
          request.signal?.addEventListener("abort", abort, { once: true });
          answer.then(
            (response) => whenRunning(() => resolve(response)),
            (error: unknown) => whenRunning(() => reject(error)),
          );
        });
      };
    },
  };
}
