import { vi } from "vitest";
import { longEnoughMs } from "./long-enough.ts";

/** Waits until a check passes. The limit only keeps a test from hanging. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: longEnoughMs, interval: 10 });
