import type { Store, Subscriber } from "../../store/store.ts";

/**
 * A view of a store as a server far from it has it, once `lag` was called: what others commit reaches
 * it only when it asks for the revision, or commits itself.
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
