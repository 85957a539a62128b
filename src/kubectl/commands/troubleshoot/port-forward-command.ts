import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { stringsFlag } from "../../../cli/flag.ts";
import { resourcePath } from "../../../client/resource-path.ts";
import { InterruptedError, usageError } from "../../program/command-error.ts";
import { type CommandContext, kubectlCommand } from "../../program/kubectl-command.ts";
import { namesOfType } from "../../resource/arguments.ts";
import { helper } from "../../resource/helper.ts";
import { knownKinds } from "../shared/known-kinds.ts";
import { podRunningTimeout, podRunningTimeoutFlags } from "../shared/pods/workload-pods.ts";
import { objectsOf } from "./exec/one-object.ts";
import { podOfObject } from "./exec/pod-of-object.ts";
import { forwardPorts } from "./port-forward/forward-ports.ts";
import { parseForwardedPorts, parseListenAddresses } from "./port-forward/forwarded-port.ts";
import { targetPorts } from "./port-forward/target-ports.ts";

const flags = {
  ...podRunningTimeoutFlags(60_000),
  address: stringsFlag({
    default: ["localhost"],
    usage:
      "Addresses to listen on (comma separated): IP addresses or localhost. For localhost, kubectl tries to bind both 127.0.0.1 and ::1, and fails if neither is available.",
  }),
};

export const portForwardCommand = kubectlCommand({
  name: "port-forward",
  usage: "TYPE/NAME [options] [LOCAL_PORT:]REMOTE_PORT [...[LOCAL_PORT_N:]REMOTE_PORT_N]",
  short: "Forward one or more local ports to a pod",
  long: "Forward one or more local ports to a pod.\n\nA TYPE/NAME such as deployment/mydeployment selects a pod; the type is pods if there is none.\n\nOf several pods, one is chosen. The command ends when that pod terminates, and has to be run again then.",
  examples: `# Listen on the ports 5000 and 6000 of this machine, for the same ports of the pod
kubectl port-forward pod/mypod 5000 6000

# The same for a pod of the deployment
kubectl port-forward deployment/mydeployment 5000 6000

# Listen on port 8443, for the target of the service's port named "https" in a pod of the service
kubectl port-forward service/myservice 8443:https

# Listen on port 8888, for port 5000 of the pod
kubectl port-forward pod/mypod 8888:5000

# The same on all addresses
kubectl port-forward --address 0.0.0.0 pod/mypod 8888:5000

# The same on localhost and one other address
kubectl port-forward --address localhost,10.19.21.23 pod/mypod 8888:5000

# Listen on any free port, for port 5000 of the pod
kubectl port-forward pod/mypod :5000`,
  flags,
  async run(context) {
    const { args, flags, path } = context;
    const [name = "", ...ports] = args;
    if (args.length < 2)
      throw usageError(path, "TYPE/NAME and list of ports are required for port-forward");
    let timeoutMs: number;
    try {
      timeoutMs = podRunningTimeout(flags);
    } catch (error) {
      throw usageError(path, (error as Error).message);
    }
    const [object] = await objectsOf(context, {
      named: namesOfType("pods", [name]),
      continuesOnError: true,
      enforcesNamespace: false,
      scheme: "k8s.io/client-go/kubernetes/scheme/register.go:82",
    });
    if (!object) throw new Error("no object was found");
    const pod = await podOfObject(context, object, timeoutMs);
    const targets = targetPorts(object, pod, ports);
    const requestPath = await portForwardPath(context, pod);
    const addresses = parseListenAddresses(flags.address);
    const forwarded = parseForwardedPorts(targets);
    try {
      await forwardPorts(context, { path: requestPath, addresses, ports: forwarded });
    } catch (error) {
      // Ctrl-C is the way to end this command.
      if (!isInterrupt(context.signal)) throw error;
    }
    return undefined;
  },
});

async function portForwardPath(
  { factory, signal }: CommandContext<typeof flags>,
  { metadata }: Pod,
): Promise<string> {
  const { namespace } = await factory.namespace();
  const { name = "" } = metadata;
  const requests = helper(await factory.client(), knownKinds.pod, { signal });
  const { status } = (await requests.get({ namespace, name })) as unknown as Pod;
  if (status?.phase !== "Running")
    throw new Error(
      `unable to forward port because pod is not running. Current status=${status?.phase ?? ""}`,
    );
  return resourcePath(knownKinds.pod, { namespace, name, subresource: "portforward" });
}

const isInterrupt = ({ aborted, reason }: AbortSignal): boolean =>
  aborted && !(reason instanceof InterruptedError && reason.signal !== "SIGINT");
