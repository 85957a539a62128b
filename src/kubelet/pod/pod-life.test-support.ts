import { Event } from "../../api/core/v1/event/event.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import type { PodStatus } from "../../api/core/v1/pod/pod-status.ts";
import { createInformers } from "../../client/informer/informers.ts";
import type { NodesCluster } from "../nodes.test-support.ts";

/** The parts of a pod that kubectl shows. */
export async function seen(cluster: NodesCluster, name: string) {
  const { status } = await cluster.pod(name);
  return { phase: status.phase, containers: containersIn(status) };
}

function containersIn({ initContainerStatuses = [], containerStatuses = [] }: PodStatus) {
  return [...initContainerStatuses, ...containerStatuses].map(
    ({ name, state, restartCount, ready }) => {
      const [kind = "none", detail] = Object.entries(state ?? {})[0] ?? [];
      const { reason, exitCode } = (detail ?? {}) as { reason?: string; exitCode?: number };
      const words = [name, kind, reason, exitCode].filter((word) => word !== undefined);
      return `${words.join(" ")}${ready ? " ready" : ""} x${restartCount}`;
    },
  );
}

/** What the API shows of the containers of a pod from now on, one entry for each difference. */
export function follow(
  { client, clock, random }: Pick<NodesCluster, "client" | "clock" | "random">,
  pod: string,
) {
  const history: string[] = [];
  const informers = createInformers({ client, clock, random });
  const see = ({ metadata, status }: Pod): void => {
    const text = containersIn(status).join(", ");
    if (metadata.name === pod && text !== "" && history.at(-1) !== text) history.push(text);
  };
  informers.of(Pod, { namespace: "default" }).addHandler({ added: see, updated: see });
  return { history, close: () => informers.close() };
}

/** A condition of a pod as text. */
export const conditionOf = async (cluster: NodesCluster, name: string, type: string) => {
  const { status } = await cluster.pod(name);
  const found = status.conditions?.find((condition) => condition.type === type);
  return [found?.status, found?.reason, found?.message];
};

/** The count of a repeated event. */
export async function countOf(cluster: NodesCluster, reason: string): Promise<number | undefined> {
  const { items } = await cluster.client.list(Event, { namespace: "default" });
  return items.find((event) => event.reason === reason)?.count;
}
