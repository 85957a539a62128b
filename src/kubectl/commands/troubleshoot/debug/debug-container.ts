import { systemEntropy } from "../../../../platform/system-entropy.ts";
import type { Output } from "../../../program/io.ts";
import { type CustomProfile, withCustomProfile } from "./custom-profile.ts";
import { type DebugContainer, type DebugPod, setOrRemove } from "./debug-pod.ts";
import { type DebugStyle, type KeptParts, profileNamed } from "./profiles.ts";

/** What the flags say about the container for debugging. */
export interface DebugRequest {
  /** Empty to have a name made up. */
  readonly container: string;
  readonly image: string;
  readonly setImages: ReadonlyMap<string, string>;
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly args: readonly string[];
  /** Whether the arguments leave the image's command in place. */
  readonly argumentsOnly: boolean;
  readonly pullPolicy: string;
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly target: string;
  readonly profile: string;
  readonly custom: CustomProfile | undefined;
  readonly keep: KeptParts;
  readonly copyTo: string;
  readonly sameNode: boolean;
  /** Undefined if no flag says so. */
  readonly sharesProcesses: boolean | undefined;
  readonly quiet: boolean;
}

/** A pod with a container for debugging; the name is empty if there is nothing to attach to. */
export interface DebugResult {
  readonly pod: DebugPod;
  readonly container: string;
}

/** The pod with another container, which ends before the pod does and cannot be removed. */
export async function withEphemeralContainer(
  pod: DebugPod,
  request: DebugRequest,
  stdout: Output,
): Promise<DebugResult> {
  const container = debugName(pod, request, stdout);
  const changed = structuredClone(pod);
  const added = newContainer(container, request);
  setOrRemove(added, "targetContainerName", request.target);
  changed.spec.ephemeralContainers = [...(changed.spec.ephemeralContainers ?? []), added];
  return finished(changed, { container, style: "ephemeral", request });
}

/** A copy of a pod under another name, with a new or a changed container. */
export async function copyForDebugging(
  original: DebugPod,
  request: DebugRequest,
  stdout: Output,
): Promise<DebugResult> {
  const { metadata, spec } = structuredClone(original);
  const pod: DebugPod = {
    metadata: {
      name: request.copyTo,
      ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
      ...(metadata.annotations && { annotations: metadata.annotations }),
      ...(metadata.labels && { labels: metadata.labels }),
    },
    spec,
  };
  delete spec.ephemeralContainers;
  if (request.sharesProcesses !== undefined) spec.shareProcessNamespace = request.sharesProcesses;
  if (!request.sameNode) delete spec.nodeName;
  setImages(pod, request.setImages);

  const existing = namesOf(pod).get(request.container);
  if (!existing && request.image === "") {
    if (request.setImages.size > 0) return { pod, container: "" };
    throw new Error("you must specify image when creating new container");
  }
  const name = existing ? request.container : debugName(pod, request, stdout);
  const container = existing ?? { name, terminationMessagePolicy: "File" };
  if (!existing) spec.containers.push(container);
  if (request.args.length > 0) {
    if (!request.argumentsOnly) delete container.args;
    container[request.argumentsOnly ? "args" : "command"] = request.args;
  }
  if (request.env.length > 0) container.env = request.env;
  if (request.image !== "") container.image = request.image;
  if (request.pullPolicy !== "") container.imagePullPolicy = request.pullPolicy;
  setOrRemove(container, "stdin", request.stdin);
  setOrRemove(container, "tty", request.tty);
  return finished(pod, { container: name, style: "copy", request });
}

/** A pod in the namespaces of a node. */
export async function nodeDebugPod(
  node: string,
  request: DebugRequest,
  stdout: Output,
): Promise<DebugResult> {
  const container = request.container || "debugger";
  const name = `node-debugger-${node}-${systemEntropy.suffix(5)}`;
  if (!request.quiet)
    stdout.write(`Creating debugging pod ${name} with container ${container} on node ${node}.\n`);
  const pod: DebugPod = {
    metadata: { name, labels: { "app.kubernetes.io/managed-by": "kubectl-debug" } },
    spec: {
      containers: [newContainer(container, request)],
      nodeName: node,
      restartPolicy: "Never",
      tolerations: [{ operator: "Exists" }],
    },
  };
  return finished(pod, { container, style: "node", request });
}

function newContainer(name: string, request: DebugRequest): DebugContainer {
  const { image, args, argumentsOnly, env, pullPolicy, stdin, tty } = request;
  const container: DebugContainer = { name, resources: {}, terminationMessagePolicy: "File" };
  setOrRemove(container, "image", image);
  setOrRemove(container, argumentsOnly ? "args" : "command", args);
  setOrRemove(container, "env", env);
  setOrRemove(container, "imagePullPolicy", pullPolicy);
  setOrRemove(container, "stdin", stdin);
  setOrRemove(container, "tty", tty);
  return container;
}

function setImages({ spec }: DebugPod, images: ReadonlyMap<string, string>): void {
  for (const container of spec.containers) {
    const image = images.get(container.name) ?? images.get("*") ?? "";
    if (image !== "") container.image = image;
  }
}

/** Applies the profile, and the user's own. */
async function finished(
  pod: DebugPod,
  {
    container,
    style,
    request,
  }: {
    readonly container: string;
    readonly style: DebugStyle;
    readonly request: DebugRequest;
  },
): Promise<DebugResult> {
  profileNamed(request.profile)(pod, { style, container, keep: request.keep });
  const { custom } = request;
  if (!custom) return { pod, container };
  const isEphemeral = style === "ephemeral";
  const list = (isEphemeral ? pod.spec.ephemeralContainers : pod.spec.containers) ?? [];
  const at = list.findIndex(({ name }) => name === container);
  const found = list[at];
  if (!found)
    throw new Error(
      `unable to find the ${container} ${isEphemeral ? "ephemeral " : ""}container in the pod ${pod.metadata.name ?? ""}`,
    );
  list[at] = await withCustomProfile(found, custom);
  return { pod, container };
}

/** The name that was asked for, or one that no container of the pod has. */
function debugName(pod: DebugPod, { container, quiet }: DebugRequest, stdout: Output): string {
  if (container !== "") return container;
  const taken = namesOf(pod);
  let name: string;
  do name = `debugger-${systemEntropy.suffix(5)}`;
  while (taken.has(name));
  if (!quiet) stdout.write(`Defaulting debug container name to ${name}.\n`);
  return name;
}

function namesOf({ spec }: DebugPod): ReadonlyMap<string, DebugContainer> {
  const { containers, initContainers = [], ephemeralContainers = [] } = spec;
  const all = [...containers, ...initContainers, ...ephemeralContainers];
  return new Map(all.map((one) => [one.name, one]));
}
