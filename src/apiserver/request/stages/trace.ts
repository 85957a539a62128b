import type { Clock } from "../../../base/clock.ts";
import type { Entropy } from "../../../base/entropy.ts";
import { requestSpan, type TracingOptions } from "../../tracing/request-span.ts";
import type { Stage } from "../stage.ts";

/** Exports a span of each request that is sampled; it ends when the response begins. */
export const trace = ({
  tracing,
  clock,
  entropy,
}: {
  readonly tracing?: TracingOptions | undefined;
  readonly clock: Clock;
  readonly entropy: Entropy;
}): Stage => ({
  name: "trace",
  after(state, response) {
    const span = tracing && requestSpan(state, response, { ...tracing, clock, entropy });
    if (span) tracing.export(span);
    return response;
  },
});
