export type ProbeResult = "success" | "failure" | "unknown";
export type ProbeKind = "startup" | "readiness" | "liveness";

/** What probes have found of containers, by their IDs; undefined where none has run. */
export interface ProbeResults {
  startup(containerId: string): ProbeResult | undefined;
  readiness(containerId: string): ProbeResult | undefined;
  liveness(containerId: string): ProbeResult | undefined;
  /** Whether somebody looks after a container of a pod, by its name. */
  isProbed(container: string, kind: ProbeKind): boolean;
}

/** Where nothing is probed. */
export const noProbes: ProbeResults = {
  startup: () => undefined,
  readiness: () => undefined,
  liveness: () => undefined,
  isProbed: () => false,
};
