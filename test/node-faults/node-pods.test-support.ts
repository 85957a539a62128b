import { Event } from "../../src/api/core/v1/event/event.ts";
import { Node } from "../../src/api/core/v1/node/node.ts";
import { Pod } from "../../src/api/core/v1/pod/pod.ts";
import type { RealNode } from "../../src/cluster/node/real-node.test-support.ts";
import { testImage } from "../../src/engine/engine.test-support.ts";

/** The pods of a node, as tests create and read them. */
export interface NodePods {
  /** Creates a pod whose container `c` runs a script and then waits. */
  run(name: string, script: string, parts?: PodParts): Promise<Pod>;
  status(name: string): Promise<Pod["status"]>;
  phase(name: string): Promise<string | undefined>;
  /** The state of its container. */
  container(
    name: string,
  ): Promise<NonNullable<Pod["status"]["containerStatuses"]>[number] | undefined>;
  /** The events of an object: `REASON: message`. */
  eventsOf(name: string): Promise<readonly string[]>;
  /** A condition of the node: `STATUS REASON: message`. */
  condition(type: string): Promise<string>;
}

export interface PodParts {
  readonly spec?: object;
  readonly container?: object;
}

export const nodePods = ({ client, nodeName, pod }: RealNode): NodePods => ({
  run: (name, script, { spec = {}, container = {} } = {}) =>
    client.create(Pod, {
      metadata: { name, namespace: "default" },
      spec: {
        ...{ automountServiceAccountToken: false, terminationGracePeriodSeconds: 1 },
        containers: [
          {
            ...{ name: "c", image: testImage, imagePullPolicy: "Never" },
            command: ["sh", "-c", `${script}; exec sleep 1000`],
            ...container,
          },
        ],
        ...spec,
      },
    } as never),
  status: async (name) => (await pod(name)).status,
  phase: async (name) => (await pod(name)).status.phase,
  container: async (name) => (await pod(name)).status.containerStatuses?.[0],
  async eventsOf(name) {
    const { items } = await client.list(Event, { namespace: "default" });
    return items
      .filter(({ involvedObject }) => involvedObject?.name === name)
      .map(({ reason, message }) => `${reason}: ${message}`);
  },
  async condition(type) {
    const { status } = await client.get(Node, { name: nodeName });
    const found = status.conditions?.find((condition) => condition.type === type);
    return `${found?.status} ${found?.reason}: ${found?.message}`;
  },
});

/** How long tests wait for a node that is at work. */
export const patient = { timeout: 60_000, interval: 100 };
