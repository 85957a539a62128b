import { stringFlag } from "../../../cli/flag.ts";
import { usageError } from "../../program/command-error.ts";
import { kubectlCommand } from "../../program/kubectl-command.ts";
import { namesOfType } from "../../resource/arguments.ts";
import { podRunningTimeout, podRunningTimeoutFlags } from "../shared/pods/workload-pods.ts";
import { attachToPod, defaultDetachKeys } from "./attach/attach-to-pod.ts";
import { sessionFlags } from "./exec/container-flags.ts";
import { objectsOf } from "./exec/one-object.ts";
import { isCompleted, podOfObject } from "./exec/pod-of-object.ts";

const flags = {
  ...podRunningTimeoutFlags(60_000),
  ...sessionFlags,
  "detach-keys": stringFlag({
    default: defaultDetachKeys,
    usage: "The keys that detach from a container, typed one after another",
  }),
};

export const attachCommand = kubectlCommand({
  name: "attach",
  usage: "(POD | TYPE/NAME) -c CONTAINER",
  short: "Attach to a running container",
  long: "Attach to a process that already runs in a container.",
  examples: `# Print what the pod mypod writes. The annotation kubectl.kubernetes.io/default-container
# names the container; without it, it is the first one of the pod
kubectl attach mypod

# Print what the container ruby-container of the pod mypod writes
kubectl attach mypod -c ruby-container

# Use the terminal for 'bash' in ruby-container of the pod mypod:
# keys are passed on to it, and its output is printed
kubectl attach mypod -c ruby-container -i -t

# Print what the first pod of the replica set nginx writes
kubectl attach rs/nginx`,
  flags,
  async run(context) {
    const { args, flags, path } = context;
    let timeoutMs: number;
    try {
      timeoutMs = podRunningTimeout(flags);
    } catch (error) {
      throw usageError(path, (error as Error).message);
    }
    const [first = "", second] = args;
    if (args.length === 0) throw new Error("at least 1 argument is required for attach");
    if (args.length > 2)
      throw new Error(
        `expected POD, TYPE/NAME, or TYPE NAME, (at most 2 arguments) saw ${args.length}: [${args.join(" ")}]`,
      );
    const named =
      second === undefined ? namesOfType("pods", [first]) : namesOfType(first, [second]);
    const [object] = await objectsOf(context, { named, enforcesNamespace: false });
    if (!object) throw new Error("no object was found");
    const pod = await podOfObject(context, object, timeoutMs);
    if (isCompleted(pod))
      throw new Error(
        `cannot attach a container in a completed pod; current phase is ${pod.status?.phase}`,
      );
    await attachToPod(context, pod, {
      container: flags.container,
      stdin: flags.stdin,
      tty: flags.tty,
      quiet: flags.quiet,
      detachKeys: flags["detach-keys"],
      commandName: path,
    });
    return undefined;
  },
});
