import type { Allocator } from "../objects/registry.ts";

/** Gives nothing to anybody. */
export const noAllocation: Allocator = {
  write: ({ draft }, run) => run(draft),
  removal: () => undefined,
};
