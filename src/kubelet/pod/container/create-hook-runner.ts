import { type Clock, sleep } from "../../../base/clock.ts";
import { onAbort } from "../../../base/on-abort.ts";
import type { RuntimeService } from "../../../cri/runtime-service.ts";
import { type ExecOutcome, execCommand } from "../exec-command.ts";
import { invalidHandler } from "./hook-message.ts";
import type { HookMetrics } from "./hook-metrics.ts";
import { HookError, type HookRequest, type HookRunner } from "./hook-runner.ts";

export interface HookRunnerOptions {
  readonly runtime: Pick<RuntimeService, "execSync">;
  readonly clock: Clock;
  /** Sends the request of a hook; rejects if there is no response. */
  readonly httpGet: (request: HookRequest) => Promise<void>;
  readonly metrics?: HookMetrics | undefined;
}

/** Runs hooks in the containers of a runtime. */
export function createHookRunner(options: HookRunnerOptions): HookRunner {
  return {
    async run(request) {
      const { exec, httpGet, sleep: pause } = request.handler;
      if (exec) await runCommand(request, exec.command ?? [], options);
      else if (httpGet) await options.httpGet(request);
      else if (pause) await pauseFor(pause.seconds ?? 0, request, options);
      else throw new Error(invalidHandler(request.handler));
    },
  };
}

/** A command goes on after its time is over: it ends with its container. */
async function runCommand(
  { containerId, signal }: HookRequest,
  command: readonly string[],
  { runtime }: HookRunnerOptions,
): Promise<void> {
  const { end, message, output } = await new Promise<ExecOutcome>((resolve, reject) => {
    const unfollow = onAbort(signal, () =>
      reject(new Error("rpc error: code = Canceled desc = context canceled")),
    );
    void execCommand(runtime, containerId, { command, timeoutSeconds: 0 }).then((outcome) => {
      unfollow();
      resolve(outcome);
    });
  });
  if (end !== "success") throw new HookError(message, new TextDecoder().decode(output));
}

async function pauseFor(
  seconds: number,
  { signal }: HookRequest,
  { clock, metrics }: HookRunnerOptions,
): Promise<void> {
  try {
    await sleep(clock, seconds * 1000, signal);
  } catch {
    metrics?.cutSleep();
    throw new Error("container terminated before sleep hook finished");
  }
}
