import type { Pod } from "../../../../api/core/v1/pod/pod.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import { terminalUse } from "../../../streams/terminal-session.ts";
import { chooseContainer, type NamedContainer } from "../../shared/pods/pod-containers.ts";
import { runPodSession } from "../exec/pod-session.ts";

export interface AttachOptions {
  /** Empty for the default of the pod. */
  readonly container: string;
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly quiet: boolean;
  /** The keys that detach from a terminal; `ctrl-p,ctrl-q` if not given. */
  readonly detachKeys?: string;
  /** The command that resumes a session, for a message: `kubectl attach`. */
  readonly commandName: string;
}

/** Attaches the standard streams to a container of a pod, until it ends or the user detaches. */
export async function attachToPod(
  context: Pick<CommandContext, "io" | "factory" | "env" | "signal">,
  pod: Pod,
  options: AttachOptions,
): Promise<void> {
  const { io } = context;
  const { stdin, quiet } = options;
  const container = containerOf(context, pod, options);
  if (options.tty && !container.tty && !quiet)
    io.stderr.write(
      `error: Unable to use a TTY - container ${container.name} did not allocate one\n`,
    );
  const terminal = terminalUse(context, { stdin, tty: container.tty, quiet });
  if (!quiet)
    io.stderr.write(
      "All commands and output from this session will be recorded in container logs, including credentials and sensitive information passed through the command prompt.\nIf you don't see a command prompt, try pressing enter.\n",
    );
  const { namespace = "", name = "" } = pod.metadata;
  await runPodSession(context, {
    verb: "attach",
    namespace,
    pod: name,
    container: container.name,
    terminal: { ...terminal, redraws: true },
    stderr: !terminal.isRaw,
    detachKeys: options.detachKeys || defaultDetachKeys,
  });
  if (!quiet && terminal.isRaw)
    io.stdout.write(`${resumeText(pod, container, options.commandName)}\n`);
}

/** The keys that detach if no others are named. */
export const defaultDetachKeys = "ctrl-p,ctrl-q";

function containerOf(
  { io }: Pick<CommandContext, "io">,
  pod: Pod,
  { container, quiet }: AttachOptions,
): NamedContainer {
  try {
    return chooseContainer(pod, container, quiet ? undefined : io.stderr);
  } catch (error) {
    const why = (error as Error).message;
    throw new Error(`cannot attach to the container: ${why}`, { cause: error });
  }
}

function resumeText({ metadata }: Pod, { name, list }: NamedContainer, command: string): string {
  const line = `${command} ${metadata.name} -c ${name} -n ${metadata.namespace} -i -t`;
  return list === "ephemeralContainers"
    ? `Session ended, the ephemeral container will not be restarted but may be reattached using '${line}' if it is still running`
    : `Session ended, resume using '${line}' command`;
}
