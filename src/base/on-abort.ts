interface Following {
  readonly all: Set<() => void>;
  readonly listener: () => void;
}

const followed = new WeakMap<AbortSignal, Following>();

/**
 * Calls back when a signal aborts, at once if it has; the returned function unsubscribes. All callbacks of
 * a signal share one listener, because Node.js warns about many.
 */
export function onAbort(signal: AbortSignal | undefined, call: () => void): () => void {
  if (!signal) return unfollowed;
  if (signal.aborted) {
    call();
    return unfollowed;
  }
  const { all, listener } = followed.get(signal) ?? listenTo(signal);
  // A new function per subscription: the same callback may be subscribed twice.
  const follow = (): void => call();
  all.add(follow);
  return () => {
    all.delete(follow);
    if (all.size > 0 || followed.get(signal)?.all !== all) return;
    signal.removeEventListener("abort", listener);
    followed.delete(signal);
  };
}

const unfollowed = (): void => undefined;

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
  new Promise((resolve) => void onAbort(signal, resolve));
