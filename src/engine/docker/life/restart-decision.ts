import type { HostConfig } from "../create/host-config.ts";

export interface EndedContainer {
  readonly policy: HostConfig["RestartPolicy"];
  readonly exitCode: number;
  /** How often it was restarted since a client started it. */
  readonly restartCount: number;
  readonly isStoppedByClient: boolean;
}

/** Whether a container that has ended is started again. */
export function isRestarted(ended: EndedContainer): boolean {
  if (ended.isStoppedByClient) return false;
  switch (ended.policy.Name) {
    case "always":
    case "unless-stopped":
      return true;
    case "on-failure": {
      const { MaximumRetryCount: most } = ended.policy;
      return ended.exitCode !== 0 && (most === 0 || ended.restartCount < most);
    }
    default:
      return false;
  }
}

/** Whether a container is started when the engine is. */
export function isStartedWithEngine({ policy, isStoppedByClient }: EndedContainer): boolean {
  return policy.Name === "always" || (policy.Name === "unless-stopped" && !isStoppedByClient);
}

/** The pause before the next start: twice the one before, and the shortest after ten seconds of running. */
export function nextDelayMs(previousMs: number, ranForMs: number): number {
  if (ranForMs >= 10_000 || previousMs === 0) return shortestMs;
  return Math.min(previousMs * 2, longestMs);
}

const shortestMs = 100;
const longestMs = 60_000;
