import type { SimulatedContainer } from "./simulated-container.ts";
import { isWithin } from "./windows.ts";

export type ProbeKind = "readiness" | "liveness" | "startup";

/** Whether a container answers a probe well, as its pod's annotations say. */
export function answersProbe(
  { behaviour, startedAt, state }: SimulatedContainer,
  kind: ProbeKind,
  now: number,
): boolean {
  if (state !== "running") return false;
  return !isWithin(behaviour[`${kind}Fails`], now - startedAt);
}
