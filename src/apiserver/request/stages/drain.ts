import type { Draining } from "../load/draining.ts";
import type { Stage } from "../stage.ts";

/** Rejects requests once the server stops, and counts running ones so that the server can wait for them. */
export const drain = ({ draining }: { readonly draining: Draining }): Stage => ({
  name: "drain",
  around: (next) => async (state) => {
    const refusal = draining.refusal(state.request);
    if (refusal) return refusal;
    if (state.isLongRunning) return next(state);
    draining.enter();
    try {
      return await next(state);
    } finally {
      draining.leave();
    }
  },
});
