import { onAbort } from "../../base/on-abort.ts";

/** A signal that aborts when the first of several others does. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Removes its listeners from the others, which may live for long. */
  unlink(): void;
}

/** A signal that aborts with any of those given. */
export function linkedSignal(...signals: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const controller = new AbortController();
  const links: (() => void)[] = [];
  for (const signal of signals) {
    if (!signal) continue;
    links.push(onAbort(signal, () => controller.abort(signal.reason)));
  }
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    unlink() {
      for (const unlink of links) unlink();
    },
  };
}
