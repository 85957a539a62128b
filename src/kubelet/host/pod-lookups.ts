import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { RuntimeClass } from "../../api/node/v1/runtime-class.ts";
import type { Client } from "../../client/client.ts";
import type { RuntimeService } from "../../cri/runtime-service.ts";
import type { PodLookups } from "../pod/linux/linux-settings.ts";

/**
 * Looks up the handler of a pod's runtime class. Rejects if the runtime cannot do what the pod needs. As upstream,
 * there are no classes without an API server.
 */
export async function lookUpPod(
  { spec }: Pod,
  { client, runtime }: { readonly client: Client | undefined; readonly runtime: RuntimeService },
): Promise<PodLookups> {
  const { runtimeClassName: name, hostUsers } = spec;
  const { handler = "" } = name && client ? await client.get(RuntimeClass, { name }) : {};
  if (hostUsers === false) await checkUserNamespaces(handler, runtime);
  return handler === "" ? noLookups : { runtimeHandler: handler };
}

const noLookups: PodLookups = {};

async function checkUserNamespaces(handler: string, runtime: RuntimeService): Promise<void> {
  const { handlers } = await runtime.status();
  if (handlers.find(({ name }) => name === handler)?.userNamespaces) return;
  const who = handler === "" ? "runtime" : `RuntimeClass handler ${JSON.stringify(handler)}`;
  throw new Error(`can't set \`spec.hostUsers: false\`, ${who} does not support user namespaces`);
}
