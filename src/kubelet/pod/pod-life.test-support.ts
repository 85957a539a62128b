import { Event } from "../../api/core/v1/event/event.ts";
import type { NodesCluster } from "../nodes.test-support.ts";

/** The parts of a pod that kubectl shows. */
export async function seen(cluster: NodesCluster, name: string) {
  const { status } = await cluster.pod(name);
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return {
    phase: status.phase,
    containers: all.map(({ name, state, restartCount, ready }) => {
      const [kind = "none", detail] = Object.entries(state ?? {})[0] ?? [];
      const { reason, exitCode } = detail as { reason?: string; exitCode?: number };
      const words = [name, kind, reason, exitCode].filter((word) => word !== undefined);
      return `${words.join(" ")}${ready ? " ready" : ""} x${restartCount}`;
    }),
  };
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
