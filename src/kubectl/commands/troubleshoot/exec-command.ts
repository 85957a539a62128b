import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { stringsFlag } from "../../../cli/flag.ts";
import { usageError } from "../../program/command-error.ts";
import { type CommandContext, kubectlCommand } from "../../program/kubectl-command.ts";
import { namesOfType } from "../../resource/arguments.ts";
import { isList } from "../../resource/info.ts";
import { terminalUse } from "../../streams/terminal-session.ts";
import { podRunningTimeout, podRunningTimeoutFlags } from "../shared/pods/workload-pods.ts";
import { sessionFlags } from "./exec/container-flags.ts";
import { objectsOf } from "./exec/one-object.ts";
import { podOfObject } from "./exec/pod-of-object.ts";
import { runPodSession } from "./exec/pod-session.ts";
import { checkRunning, containerFor } from "./exec/run-in-container.ts";

const flags = {
  ...podRunningTimeoutFlags(60_000),
  filename: stringsFlag({ short: "f", usage: "File with the resource in which the command runs" }),
  ...sessionFlags,
};

export const execCommand = kubectlCommand({
  name: "exec",
  usage: "(POD | TYPE/NAME) [-c CONTAINER] [flags] -- COMMAND [args...]",
  short: "Execute a command in a container",
  long: "Execute a command in a container.",
  examples: `# Run 'date' in the pod mypod, by default in its first container
kubectl exec mypod -- date

# Run 'date' in ruby-container of the pod mypod
kubectl exec mypod -c ruby-container -- date

# Use the terminal for 'bash' in ruby-container of the pod mypod:
# keys are passed on to it, and its output is printed
kubectl exec mypod -c ruby-container -i -t -- bash -il

# List /usr in the first container of the pod mypod, the latest first. Two dashes separate
# the command with its own flags from those of kubectl. Do not quote the command as a whole
kubectl exec mypod -i -t -- ls -t /usr

# Run 'date' in the first pod of the deployment mydeployment
kubectl exec deploy/mydeployment -- date

# Run 'date' in the first pod of the service myservice
kubectl exec svc/myservice -- date`,
  flags,
  async run(context) {
    const { args, dashAt, flags, path } = context;
    const files = flags.filename;
    const name = args.length > 0 && dashAt !== 0 ? (args[0] ?? "") : "";
    if (dashAt === undefined && (args.length > 1 || (args.length > 0 && files.length > 0)))
      throw usageError(
        path,
        "exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead",
      );
    const command = dashAt === undefined ? [] : args.slice(dashAt);
    let timeoutMs: number;
    try {
      timeoutMs = podRunningTimeout(flags);
    } catch (error) {
      throw usageError(path, (error as Error).message);
    }
    if (name === "" && files.length === 0)
      throw new Error("pod, type/name or --filename must be specified");
    if (command.length === 0)
      throw new Error("you must specify at least one command for the container");
    const [object, another] = await objectsOf(context, {
      named: name === "" ? [] : namesOfType("pods", [name]),
      filenames: files,
    });
    if (!object || another || isList(object))
      throw new Error("cannot exec into multiple objects at a time");
    await execInPod(context, await podOfObject(context, object, timeoutMs), command);
    return undefined;
  },
});

async function execInPod(
  context: CommandContext<typeof flags>,
  pod: Pod,
  command: readonly string[],
): Promise<void> {
  const { flags, io } = context;
  checkRunning(pod);
  const container = containerFor(pod, flags.container, flags.quiet ? undefined : io.stderr);
  const terminal = terminalUse(context, flags);
  const { namespace = "", name = "" } = pod.metadata;
  const session = { namespace, pod: name, container, command, terminal, stderr: !terminal.isRaw };
  await runPodSession(context, { verb: "exec", ...session });
}
