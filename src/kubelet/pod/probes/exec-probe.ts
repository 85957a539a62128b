import type { RuntimeService } from "../../../cri/runtime-service.ts";
import { expand } from "../container/container-environment.ts";
import { execCommand } from "../exec-command.ts";
import { type ProbeAnswer, ProbeError, type ProbeRequest } from "./prober.ts";

/** Probes a container with a command. */
export async function execProbe(
  runtime: Pick<RuntimeService, "execSync">,
  { probe, container, containerId }: ProbeRequest,
): Promise<ProbeAnswer> {
  const { command = [] } = probe.exec ?? {};
  // References to other values are not resolved, as the command does not run in the container's environment.
  const values = new Map((container.env ?? []).map(({ name, value = "" }) => [name, value]));
  const { end, output, message } = await execCommand(runtime, containerId, {
    command: command.map((word) => expand(word, values)),
    timeoutSeconds: probe.timeoutSeconds ?? 1,
  });
  if (end === "error") throw new ProbeError(message, "unknown");
  if (end === "timeout") return { result: "failure", output: message };
  return { result: end, output: new TextDecoder().decode(output.subarray(0, mostOutputBytes)) };
}

const mostOutputBytes = 10 * 1024;
