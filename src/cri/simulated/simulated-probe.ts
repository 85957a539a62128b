import type { SimulatedContainer } from "./simulated-container.ts";
import { isWithin } from "./windows.ts";

export type ProbeKind = "readiness" | "liveness" | "startup";

/** Whether a probe of a container succeeds, by its pod's annotations. */
export function answersProbe(
  { behaviour, startedAt, state }: SimulatedContainer,
  kind: ProbeKind,
  now: number,
): boolean {
  if (state !== "running") return false;
  return !isWithin(behaviour[`${kind}Fails`], now - startedAt);
}
