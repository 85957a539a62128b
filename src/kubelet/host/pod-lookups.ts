import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { RuntimeClass } from "../../api/node/v1/runtime-class.ts";
import type { Client } from "../../client/client.ts";
import type { PodLookups } from "../pod/linux/linux-settings.ts";

/** Looks up the handler of a pod's runtime class. */
export async function lookUpPod({ spec }: Pod, client: Client): Promise<PodLookups> {
  const { runtimeClassName: name } = spec;
  if (!name) return noLookups;
  const { handler } = await client.get(RuntimeClass, { name });
  return { runtimeHandler: handler };
}

const noLookups: PodLookups = {};
