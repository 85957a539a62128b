import { type Clock, sleep } from "../../base/clock.ts";
import type { SimulatedRuntime } from "../../cri/simulated/simulated-runtime.ts";
import type { HookRunner } from "../pod/container/hook-runner.ts";

/** Runs the hooks of simulated containers; hooks over the network succeed. */
export const simulatedHooks = (runtime: SimulatedRuntime, clock: Clock): HookRunner => ({
  async run({ hook, handler, containerId, signal }) {
    const behaviour = runtime.simulated(containerId)?.behaviour;
    if (behaviour?.[`${hook}Fails`]) throw new Error(`${hook} hook failed, as it was asked to`);
    const { exec, sleep: pause } = handler;
    if (pause) return sleep(clock, (pause.seconds ?? 0) * 1000, signal);
    if (!exec) return;
    const { command = [] } = exec;
    const { exitCode, stdout, stderr } = await runtime.execSync(containerId, command, 0);
    if (exitCode === 0) return;
    const output = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
    throw new Error(`command '${command.join(" ")}' exited with ${exitCode}: ${output}`);
  },
});
