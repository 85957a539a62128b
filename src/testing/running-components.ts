import type { Component } from "../cluster/control-plane.ts";

/** What runs beside the API server of a cluster. */
export interface RunningComponents {
  /** Throws what a component has ended with. */
  check(): void;
  /** Asks all to end. */
  stop(): void;
}

/** Runs components until they are asked to stop. */
export function runningComponents(components: readonly Component[]): RunningComponents {
  const stop = new AbortController();
  let failure: { readonly error: unknown } | undefined;
  for (const { create } of components)
    create()
      .run({ signal: stop.signal })
      .catch((error: unknown) => {
        if (!stop.signal.aborted) failure ??= { error };
      });
  return {
    check() {
      if (failure) throw failure.error;
    },
    stop: () => stop.abort(),
  };
}
