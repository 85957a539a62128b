import type { Clock } from "../../../base/clock.ts";
import type { RuntimeService } from "../../../cri/runtime-service.ts";
import { createHookRunner } from "../../pod/container/create-hook-runner.ts";
import type { HookMetrics } from "../../pod/container/hook-metrics.ts";
import type { HookRunner } from "../../pod/container/hook-runner.ts";
import { httpHook } from "./http-hook.ts";

export interface HostHooksOptions {
  readonly runtime: Pick<RuntimeService, "execSync">;
  readonly clock: Clock;
  readonly metrics?: HookMetrics | undefined;
}

/** Runs the hooks of real containers: commands in them, and requests over the network of the machine. */
export const hostHooks = ({ runtime, clock, metrics }: HostHooksOptions): HookRunner =>
  createHookRunner({
    runtime,
    clock,
    metrics,
    httpGet: (request) => httpHook(request, metrics),
  });
