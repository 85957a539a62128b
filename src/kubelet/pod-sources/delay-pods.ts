import type { PodSource } from "../pod-source.ts";

/** The same pods, but none before a promise resolves. */
export const delayPods = (source: PodSource, until: Promise<unknown>): PodSource => ({
  subscribe(listener) {
    let isOver = false;
    let unsubscribe = (): void => {};
    until.then(
      () => {
        if (!isOver) unsubscribe = source.subscribe(listener);
      },
      () => {},
    );
    return () => {
      isOver = true;
      unsubscribe();
    };
  },
});
