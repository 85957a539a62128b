import { exitCodeOf } from "../../cri/streaming/exit-code.ts";
import { type ClientCommand, runThrough } from "../../cri/streaming/remote-command-client.ts";
import { runThroughWebSocket } from "../../cri/streaming/web-socket-client.ts";
import { UpgradeError } from "../../platform/spdy/dial-upgrade.ts";
import { ExitError } from "../program/command-error.ts";
import type { CommandContext } from "../program/kubectl-command.ts";
import { isFeatureOff, spdyDialer } from "./spdy-dialer.ts";

/**
 * Runs the command that a path of the API stands for, or attaches to it, through a WebSocket if the server has them,
 * through SPDY otherwise. Throws an `ExitError` with the exit code of the command if it is not 0.
 */
export async function runRemoteCommand(
  context: Pick<CommandContext, "factory" | "env">,
  path: string,
  command: ClientCommand,
): Promise<void> {
  const status = await statusOf(context, path, command);
  // A connection may end without a word.
  const code = status === "" ? 0 : exitCodeOf(status);
  if (code !== 0) throw new ExitError(code, `command terminated with exit code ${code}`);
}

async function statusOf(
  { factory, env }: Pick<CommandContext, "factory" | "env">,
  path: string,
  command: ClientCommand,
): Promise<string> {
  const { webSocket } = await factory.streams();
  if (webSocket && !isFeatureOff(env, "KUBECTL_REMOTE_COMMAND_WEBSOCKETS"))
    try {
      const how = { dial: webSocket, clock: factory.clock };
      return await runThroughWebSocket(path, command, how);
    } catch (error) {
      if (!(error instanceof UpgradeError)) throw error;
    }
  return runThrough(path, command, await spdyDialer(factory));
}
