import { resourcePath } from "../../../../client/resource-path.ts";
import type { Output } from "../../../program/io.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import { detachKeyBytes, untilDetached } from "../../../streams/detach-keys.ts";
import { formQuery } from "../../../streams/form-query.ts";
import { runRemoteCommand } from "../../../streams/run-remote-command.ts";
import { inTerminal, type TerminalUse } from "../../../streams/terminal-session.ts";
import { knownKinds } from "../../shared/known-kinds.ts";

/** A command in a container, or an attachment to it, with the terminal of the user. */
export interface PodSession {
  readonly verb: "exec" | "attach";
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** For exec only. */
  readonly command?: readonly string[];
  readonly terminal: TerminalUse;
  /** Whether the server is asked for standard error. */
  readonly stderr: boolean;
  /** The names of the keys that end the input of a terminal. */
  readonly detachKeys?: string;
}

/** Runs a session between the standard streams and a container, to its end. */
export function runPodSession(
  context: Pick<CommandContext, "io" | "factory" | "env" | "signal">,
  session: PodSession,
): Promise<void> {
  const { io, signal } = context;
  const { terminal, detachKeys } = session;
  return inTerminal(context, terminal, async ({ stdin, resize }) => {
    const isDetachable = stdin && terminal.isRaw && detachKeys !== undefined;
    await runRemoteCommand(context, sessionPath(session), {
      tty: terminal.isRaw,
      stdin: isDetachable ? untilDetached(stdin, detachKeyBytes(detachKeys)) : stdin,
      stdout: writerOf(io.stdout),
      stderr: writerOf(io.stderr),
      resize,
      signal,
    });
  });
}

const writerOf = (output: Output) => async (bytes: Uint8Array) => output.write(bytes);

/** The path of the request that begins a session. */
export function sessionPath(session: PodSession): string {
  const { verb, namespace, pod, container, command, terminal, stderr } = session;
  const path = resourcePath(knownKinds.pod, { namespace, name: pod, subresource: verb });
  return `${path}?${formQuery({
    ...{ command, container, stderr },
    stdin: terminal.stdin,
    stdout: true,
    tty: terminal.isRaw,
  })}`;
}
