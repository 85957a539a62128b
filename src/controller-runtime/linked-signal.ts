/** A signal that aborts with the first of others. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Lets the others go: they may live on for long. */
  unlink(): void;
}

/** A signal that follows all that are given. */
export function linkedSignal(...signals: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const controller = new AbortController();
  const links: (() => void)[] = [];
  for (const signal of signals) {
    if (!signal) continue;
    const follow = (): void => controller.abort(signal.reason);
    if (signal.aborted) follow();
    links.push(onAbort(signal, follow));
  }
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    unlink() {
      for (const unlink of links) unlink();
    },
  };
}

interface Following {
  readonly all: Set<() => void>;
  readonly listener: () => void;
}

const followed = new WeakMap<AbortSignal, Following>();

/** Calls when a signal aborts, until told not to. One listener does for all: of many, Node.js warns. */
function onAbort(signal: AbortSignal, follow: () => void): () => void {
  const { all, listener } = followed.get(signal) ?? listenTo(signal);
  all.add(follow);
  return () => {
    all.delete(follow);
    if (all.size > 0 || followed.get(signal)?.all !== all) return;
    signal.removeEventListener("abort", listener);
    followed.delete(signal);
  };
}

function listenTo(signal: AbortSignal): Following {
  const all = new Set<() => void>();
  const listener = (): void => {
    for (const one of all) one();
  };
  signal.addEventListener("abort", listener, { once: true });
  const following = { all, listener };
  followed.set(signal, following);
  return following;
}

/** Resolves when a signal aborts. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
