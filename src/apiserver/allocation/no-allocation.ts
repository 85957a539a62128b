import type { Allocator } from "../registry.ts";

/** Gives nothing to anybody. */
export const noAllocation: Allocator = {
  write: ({ draft }, run) => run(draft),
  removal: () => undefined,
};
