import type { Store, Subscriber } from "../../store/store.ts";

/**
 * A view of a store that lags after `lag` was called: the commits of others arrive only when its
 * revision is read, or with a commit of its own.
 */
export function laggingStore(store: Store): { readonly store: Store; lag(): void } {
  let lags = false;
  const held: (() => void)[] = [];
  const catchUp = <T>(result: T): T => {
    for (const deliver of held.splice(0)) deliver();
    return result;
  };
  const view: Store = {
    currentRevision: () => store.currentRevision().then(catchUp),
    get: (key, revision) => store.get(key, revision),
    list: (prefix, options) => store.list(prefix, options),
    commit: (ops) => store.commit(ops).then((outcome) => (outcome.ok ? catchUp(outcome) : outcome)),
    watch: (prefix, options) => store.watch(prefix, options),
    subscribe: (prefix, options, subscriber: Subscriber) =>
      store.subscribe(prefix, options, {
        batch(batch) {
          if (lags) held.push(() => subscriber.batch(batch));
          else subscriber.batch(batch);
        },
        end: (error) => subscriber.end(error),
      }),
    compact: (revision) => store.compact(revision),
    close: () => store.close(),
  };
  return {
    store: view,
    lag() {
      lags = true;
    },
  };
}
