import { StatusError } from "../../../api/meta/v1/status-error.ts";
import type { DynamicObject } from "../../../client/resource-kind.ts";
import type { ReadonlyJsonMap } from "../../../schema/json/json-value.ts";
import { createTwoWayMergePatch } from "../../../schema/strategic-merge/create-merge-patch.ts";
import { quote } from "../../../schema/values/quote.ts";
import { type CommandContext, kubectlCommand } from "../../program/kubectl-command.ts";
import { namesOfType } from "../../resource/arguments.ts";
import { builtInShape } from "../../resource/built-in-shape.ts";
import { findResources } from "../../resource/find-resources.ts";
import { type Helper, helper } from "../../resource/helper.ts";
import { kubectlScheme } from "../../resource/typed-object.ts";
import { knownKinds } from "../shared/known-kinds.ts";
import { attachToDebugger } from "./debug/attach-to-debugger.ts";
import { capabilityWarning } from "./debug/capability-warning.ts";
import { checkCustomProfile, readCustomProfile } from "./debug/custom-profile.ts";
import {
  copyForDebugging,
  type DebugRequest,
  type DebugResult,
  nodeDebugPod,
  withEphemeralContainer,
} from "./debug/debug-container.ts";
import { checkDebugFlags, debugFlags, debugRequest } from "./debug/debug-flags.ts";
import type { DebugPod } from "./debug/debug-pod.ts";
import { profileNamed } from "./debug/profiles.ts";

export const debugCommand = kubectlCommand({
  name: "debug",
  usage: "(POD | TYPE[[.VERSION].GROUP]/NAME) [ -- COMMAND [args...] ]",
  short: "Create debugging sessions for troubleshooting workloads and nodes",
  long: "Debug resources of a cluster with containers that are made for it.\n\nWhat happens depends on the resource; without a type it is a pod.\n\n * A pod: a copy with changes, for example of an image's tag, or an ephemeral container in the running pod, which needs no restart.\n * A node: a new pod in the namespaces of the node, with access to its file system.\n\nNote: where the whole pod has a user that is not root, some capabilities of the profiles may not work.",
  examples: `# Debug the pod mypod in a new container, and attach to it
kubectl debug mypod -it --image=busybox

# The same for the pod in the file pod.yaml
kubectl debug -f pod.yaml -it --image=busybox

# Debug mypod in a container named debugger with an image of one's own
kubectl debug --image=myproj/debug-tools -c debugger mypod

# Copy mypod with one more container, and attach to that
kubectl debug mypod -it --image=busybox --copy-to=my-debugger

# Copy mypod with another command for mycontainer
kubectl debug mypod -it --copy-to=my-debugger --container=mycontainer -- sh

# Copy mypod with busybox as the image of all containers
kubectl debug mypod --copy-to=my-debugger --set-image=*=busybox

# Copy mypod with one more container and other images
kubectl debug mypod -it --copy-to=my-debugger --image=debian --set-image=app=app:debug,sidecar=sidecar:debug

# Debug a node in a new pod, and attach to it. Its container runs in the namespaces of the node, whose file system
# is at /host
kubectl debug node/mynode -it --image=busybox`,
  flags: debugFlags,
  async run(context) {
    const { flags, given, io, cwd, dashAt } = context;
    const hasDash = dashAt !== undefined && context.args.length > dashAt;
    const names = hasDash ? context.args.slice(0, dashAt) : context.args;
    const args = hasDash ? context.args.slice(dashAt) : [];
    const attaches = given.has("attach") ? flags.attach : flags.attach || flags.stdin;
    profileNamed(flags.profile);
    const custom = flags.custom === "" ? undefined : await readCustomProfile(flags.custom, cwd);
    checkDebugFlags(flags, { args, names, given });
    if (flags.target !== "") {
      if (flags["copy-to"] !== "")
        throw new Error("--target is incompatible with --copy-to. Use --share-processes instead.");
      if (!flags.quiet)
        io.stdout.write(
          `Targeting container ${quote(flags.target)}. If you don't see processes from this container it may be because the container runtime doesn't support this feature.\n`,
        );
    }
    if (flags.tty && !flags.stdin)
      throw new Error("-i/--stdin is required for containers with -t/--tty=true");
    if (custom) checkCustomProfile(custom);
    if (flags.profile === "legacy")
      io.stderr.write(
        '--profile=legacy is deprecated and planned to be removed in v1.39. It is recommended to specify other profile, for example "--profile=general".\n',
      );

    const request = debugRequest(flags, { args, custom, given });
    const found = await findResources(context, {
      named: namesOfType("pods", names),
      filenames: flags.filename,
      scheme: kubectlScheme,
    });
    await found.visit(async (info, error) => {
      if (error) throw error;
      if (!info.object) return;
      const { pod, container } = await debugObject(context, info.object, request);
      if (!attaches || container === "") return;
      const { namespace = "", name = "" } = pod.metadata;
      const { stdin, tty, quiet } = flags;
      await attachToDebugger(context, { namespace, pod: name, container, stdin, tty, quiet });
    });
    return undefined;
  },
});

type DebugContext = CommandContext<typeof debugFlags>;

async function debugObject(
  context: DebugContext,
  object: DynamicObject,
  request: DebugRequest,
): Promise<DebugResult> {
  const { apiVersion, kind } = object;
  if (apiVersion === "v1" && kind === "Node") return debugNode(context, object, request);
  if (apiVersion === "v1" && kind === "Pod") {
    const pod = object as unknown as DebugPod;
    return request.copyTo === ""
      ? addContainer(context, pod, request)
      : createCopy(context, pod, request);
  }
  const version = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
  throw new Error(`${quote(`${version}, Kind=${kind}`)} not supported by debug`);
}

const podRequests = async (
  { factory, signal }: DebugContext,
  subresource?: string,
): Promise<Helper> =>
  helper(await factory.client(), knownKinds.pod, {
    ...{ signal, subresource },
    onWarning: (text) => factory.warn(text),
  });

async function debugNode(
  context: DebugContext,
  { metadata }: DynamicObject,
  request: DebugRequest,
): Promise<DebugResult> {
  const { namespace } = await context.factory.namespace();
  const { pod, container } = await nodeDebugPod(metadata.name ?? "", request, context.io.stdout);
  const created = await (await podRequests(context)).create(namespace, asPod(pod));
  return { pod: created as unknown as DebugPod, container };
}

async function addContainer(
  context: DebugContext,
  pod: DebugPod,
  request: DebugRequest,
): Promise<DebugResult> {
  const { io } = context;
  const debugged = await withEphemeralContainer(pod, request, io.stdout);
  const added = debugged.pod.spec.ephemeralContainers?.at(-1);
  io.stderr.write(capabilityWarning(debugged.pod, added));
  const shape = await builtInShape(knownKinds.pod);
  if (!shape) throw new Error("the declaration of pods is missing");
  const [before, after] = [pod, debugged.pod] as unknown as ReadonlyJsonMap[];
  const body = createTwoWayMergePatch(shape, before ?? {}, after ?? {});
  const { namespace = "", name = "" } = pod.metadata;
  const requests = await podRequests(context, "ephemeralcontainers");
  try {
    const patched = await requests.patch({ namespace, name }, { type: "strategic", body });
    return { pod: patched as unknown as DebugPod, container: debugged.container };
  } catch (error) {
    // Servers that do not have them do not know the path.
    if (!StatusError.is(error, "NotFound") || error.details?.name) throw error;
    throw new Error(
      `ephemeral containers are disabled for this cluster (error from server: ${quote(error.message)})`,
      { cause: error },
    );
  }
}

async function createCopy(
  context: DebugContext,
  original: DebugPod,
  request: DebugRequest,
): Promise<DebugResult> {
  const { io, flags } = context;
  const { pod, container } = await copyForDebugging(original, request, io.stdout);
  const changed = pod.spec.containers.find(({ name }) => name === container);
  io.stderr.write(capabilityWarning(pod, changed));
  const { namespace = "", name = "" } = original.metadata;
  const requests = await podRequests(context);
  const created = await requests.create(namespace, asPod(pod));
  if (flags.replace) await requests.delete({ namespace, name }, deleteNow);
  return { pod: created as unknown as DebugPod, container };
}

const deleteNow = { apiVersion: "v1", kind: "DeleteOptions", gracePeriodSeconds: 0 };

const asPod = (pod: DebugPod): object => ({ apiVersion: "v1", kind: "Pod", ...pod });
