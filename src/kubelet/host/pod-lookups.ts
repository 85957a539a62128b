import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { RuntimeClass } from "../../api/node/v1/runtime-class.ts";
import type { Client } from "../../client/client.ts";
import type { RuntimeService } from "../../cri/runtime-service.ts";
import type { RuntimeHandler } from "../../cri/runtime-status.ts";
import type { PodLookups } from "../pod/linux/linux-settings.ts";
import type { UserNamespaces } from "./users/open-user-namespaces.ts";

export interface LookupOptions {
  readonly client: Client | undefined;
  readonly runtime: Pick<RuntimeService, "status">;
  /** The users that pods have beside those of the node. */
  readonly userNamespaces: Pick<UserNamespaces, "of">;
}

/** What the kubelet must look up before it can create a container of a pod. */
export interface HostedPodLookups extends PodLookups {
  /** Whether the handler of the pod can make mounts read-only recursively; looked up if a container asks for it. */
  readonly canBeRecursivelyReadOnly?: boolean | undefined;
}

/**
 * Looks up the handler of a pod's runtime class. Rejects if the runtime cannot do what the pod needs. As upstream,
 * there are no classes without an API server.
 */
export async function lookUpPod(
  { spec, metadata }: Pick<Pod, "spec" | "metadata">,
  { client, runtime, userNamespaces }: LookupOptions,
): Promise<HostedPodLookups> {
  const { runtimeClassName: name, hostUsers } = spec;
  const { handler = "" } = name && client ? await client.get(RuntimeClass, { name }) : {};
  const all = [...(spec.initContainers ?? []), ...spec.containers];
  const isRecursive = all.some(({ volumeMounts = [] }) =>
    volumeMounts.some(({ recursiveReadOnly }) => recursiveReadOnly !== undefined),
  );
  if (hostUsers !== false && !isRecursive)
    return handler === "" ? noLookups : { runtimeHandler: handler };
  const { handlers } = await runtime.status();
  const found = handlers.find((one) => one.name === handler);
  if (hostUsers === false) checkUserNamespaces(handler, handlers);
  return {
    runtimeHandler: handler,
    ...(hostUsers === false && { userNamespace: await userNamespaces.of(metadata.uid ?? "") }),
    canBeRecursivelyReadOnly: found?.recursiveReadOnlyMounts ?? false,
  };
}

const noLookups: HostedPodLookups = {};

function checkUserNamespaces(handler: string, handlers: readonly RuntimeHandler[]): void {
  const found = handlers.find(({ name }) => name === handler);
  if (found?.userNamespaces) return;
  const quoted = JSON.stringify(handler);
  const who = handler === "" ? "runtime" : `RuntimeClass handler ${quoted}`;
  // Old runtimes list no handlers.
  const isUnknown = !found && handlers.length > 0;
  throw new Error(
    `can't set \`spec.hostUsers: false\`, ${who} does not support user namespaces` +
      (isUnknown ? `: the handler ${quoted} is not known` : ""),
  );
}
