import type { Container } from "../../../api/core/v1/container/container.ts";
import type { LifecycleHandler } from "../../../api/core/v1/container/lifecycle.ts";

/** Runs what a container wants done after its start and before its end. */
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
  /** Aborted when there is no more time for it. */
  readonly signal: AbortSignal;
}
