import type { Assertion } from "vitest";

declare module "vitest" {
  interface ExpectStatic {
    /** Matchers take any value: one type of them for all values, not one of 150 members for each type. */
    // biome-ignore lint/style/useShorthandFunctionType: it is added to vitest's own interface.
    (actual: unknown, message?: string): Assertion<unknown>;
  }
}
