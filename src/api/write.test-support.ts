import type { Write } from "../schema/language/write.ts";

/** A write, for tests in which neither its time nor its caller matters. */
export const write: Write = {
  now: "2026-01-01T00:00:00Z",
  user: { name: "someone", groups: [] },
};
