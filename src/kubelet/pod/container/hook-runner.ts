import type { Container } from "../../../api/core/v1/container/container.ts";
import type { LifecycleHandler } from "../../../api/core/v1/container/lifecycle.ts";

/** Runs the postStart and preStop hooks of containers. */
export interface HookRunner {
  /** Rejects with why it failed. */
  run(request: HookRequest): Promise<void>;
}

export interface HookRequest {
  readonly hook: "postStart" | "preStop";
  readonly handler: LifecycleHandler;
  readonly container: Container;
  readonly containerId: string;
  readonly podIP: string;
  /** Aborted when its time is over. */
  readonly signal: AbortSignal;
}
