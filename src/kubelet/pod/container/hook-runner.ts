import type { Container } from "../../../api/core/v1/container/container.ts";
import type { LifecycleHandler } from "../../../api/core/v1/container/lifecycle.ts";
import type { KubeletEvent } from "../../kubelet-events.ts";

/** Runs the postStart and preStop hooks of containers. */
export interface HookRunner {
  /** Rejects with why it failed; if a command did, with a `HookError`. */
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
  /** Records an event about the pod. */
  record(event: KubeletEvent): void;
}

/** The command of a hook failed. */
export class HookError extends Error {
  override readonly name = "HookError";
  readonly output: string;

  constructor(message: string, output: string) {
    super(message);
    this.output = output;
  }
}
