import { Deployment } from "../../api/apps/v1/deployment.ts";
import { HorizontalPodAutoscaler } from "../../api/autoscaling/v2/horizontal-pod-autoscaler.ts";
import { Event } from "../../api/core/v1/event/event.ts";
import type { Client } from "../../client/client.ts";
import { startCluster } from "../../testing/start-cluster.ts";

/** What reads the state of an autoscaler: a cluster, or something with its client. */
interface WithClient {
  readonly client: Client;
}

/** Pods whose usage annotations tell. */
export const web = (annotations: Readonly<Record<string, string>>, replicas = 1) => ({
  metadata: { name: "web" },
  spec: {
    replicas,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" }, annotations },
      spec: {
        containers: [
          { name: "app", image: "app:1", resources: { requests: { cpu: "200m", memory: "64Mi" } } },
        ],
      },
    },
  },
});

/** An autoscaler of them. */
export const autoscaler = (spec: object = {}) => ({
  metadata: { name: "web" },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    minReplicas: 1,
    maxReplicas: 10,
    ...spec,
  },
});

/** A cluster on a virtual clock with all components. */
export const autoscaledCluster = () =>
  startCluster({ clock: "virtual", nodes: 2, namespace: "default" });

export const replicasOf = async ({ client }: WithClient): Promise<number | undefined> =>
  (await client.get(Deployment, { name: "web" })).spec.replicas;

/** The conditions of the autoscaler as lines. */
export const conditionsOf = async ({ client }: WithClient): Promise<readonly string[]> => {
  const { status } = await client.get(HorizontalPodAutoscaler, { name: "web" });
  return (status.conditions ?? []).map(
    (one) => `${one.type}=${one.status} ${one.reason}: ${one.message}`,
  );
};

/** The events of autoscalers as lines. */
export const eventsOf = async ({ client }: WithClient): Promise<readonly string[]> => {
  const { items } = await client.list(Event, { namespace: "default" });
  return items
    .filter(({ involvedObject }) => involvedObject.kind === "HorizontalPodAutoscaler")
    .map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
};
