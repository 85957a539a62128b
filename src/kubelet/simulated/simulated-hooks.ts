import type { Clock } from "../../base/clock.ts";
import type { SimulatedRuntime } from "../../cri/simulated/simulated-runtime.ts";
import { createHookRunner } from "../pod/container/create-hook-runner.ts";
import type { HookRunner } from "../pod/container/hook-runner.ts";

/** Runs the hooks of simulated containers; hooks over the network succeed. */
export function simulatedHooks(runtime: SimulatedRuntime, clock: Clock): HookRunner {
  const runner = createHookRunner({ runtime, clock, httpGet: async () => {} });
  return {
    async run(request) {
      const { hook, containerId } = request;
      const behaviour = runtime.simulated(containerId)?.behaviour;
      if (behaviour?.[`${hook}Fails`]) throw new Error(`${hook} hook failed, as it was asked to`);
      await runner.run(request);
    },
  };
}
