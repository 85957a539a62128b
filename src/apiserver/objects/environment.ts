import type { Clock } from "../../base/clock.ts";
import type { Entropy } from "../../base/entropy.ts";
import type { Log } from "../../base/log.ts";
import type { QueueObserver } from "../../base/queue/work-queue.ts";
import type { Random } from "../../base/random.ts";
import type { ValidationOptions } from "../../schema/language/report.ts";
import { formatTime, timeFromMillis } from "../../schema/values/time.ts";
import type { RuleTimes } from "../metrics/cel-metrics.ts";

/** The time, randomness, limits and logging of the server, which no request changes. */
export interface Environment {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly random: Random;
  readonly log: Log;
  /** Milliseconds after which events expire; 0: never. */
  readonly eventTtlMs: number;
  /** The shortest time after which the server ends a watch whose client sets no timeout. */
  readonly minWatchMs: number;
  /** Settings of the server that validation rules look up. */
  readonly validation?: Pick<ValidationOptions, "flags" | "verifySignature">;
  /** The features that are on and are not by default; none if not given. */
  readonly features?: ReadonlySet<string> | undefined;
  /** Observes the queue of a name, when metrics are collected. */
  readonly queues?: (name: string) => QueueObserver<string>;
  /** Measures the rules of custom kinds, when metrics are collected. */
  readonly ruleTimes?: RuleTimes;
}

/** The current time to the second, as metadata has it. */
export const now = ({ clock }: Pick<Environment, "clock">, addSeconds = 0): string =>
  formatTime(timeFromMillis(Math.floor(clock.now() / 1000) * 1000 + addSeconds * 1000));
