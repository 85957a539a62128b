export type ProbeResult = "success" | "failure" | "unknown";
export type ProbeKind = "startup" | "readiness" | "liveness";

/** The results of probes by container ID; undefined if none has run. */
export interface ProbeResults {
  startup(containerId: string): ProbeResult | undefined;
  readiness(containerId: string): ProbeResult | undefined;
  liveness(containerId: string): ProbeResult | undefined;
  /** Whether a container of a pod, by name, has a probe. */
  isProbed(container: string, kind: ProbeKind): boolean;
}

/** The results of a pod without probes. */
export const noProbes: ProbeResults = {
  startup: () => undefined,
  readiness: () => undefined,
  liveness: () => undefined,
  isProbed: () => false,
};
