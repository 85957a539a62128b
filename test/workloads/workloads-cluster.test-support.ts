import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { expect } from "vitest";
import { Namespace } from "../../src/api/core/v1/namespace.ts";
import { Pod } from "../../src/api/core/v1/pod/pod.ts";
import { type Client, createClient } from "../../src/client/client.ts";
import { boxPaths } from "../../src/cluster/box/box-paths.ts";
import { openMachine } from "../../src/cluster/up/machine.test-support.ts";
import { testImage } from "../../src/engine/engine.test-support.ts";
import { busyboxImage, ociArchive } from "../../src/engine/images/oci-image.test-support.ts";
import { connect } from "../../src/kubeconfig/connect.ts";
import type { ProcessIdentity } from "../../src/platform/process-identity.ts";
import { realClock } from "../../src/platform/real-clock.ts";
import { eventually } from "../eventually.ts";

/** A cluster of three boxes in which controllers prove themselves on containers. */
export interface WorkloadsCluster {
  /** A namespace of its own for a subject. */
  room(name: string): Promise<WorkloadsRoom>;
  /** The agent of a node, as it runs now. */
  agent(nodeName: string): Promise<ProcessIdentity>;
  close(): Promise<void>;
}

export interface WorkloadsRoom {
  readonly client: Client;
  readonly cluster: WorkloadsCluster;
  pods(): Promise<readonly Pod[]>;
  /** Runs a script in a pod, and resolves with what it printed. */
  exec(pod: string, script: string): Promise<string>;
  logs(pod: string): Promise<string>;
}

export async function openWorkloadsCluster(): Promise<WorkloadsCluster> {
  const machine = openMachine({ nodes: "real" });
  const { run, kubectl, feed } = machine;
  expect(await run("up", "--nodes", "3")).toMatchObject({ code: 0 });
  const archive = await buffer(ociArchive(busyboxImage(), testImage));
  await feed(archive, "image", "load", "--cluster", "wherry", "-");
  const connection = await connect({ path: machine.kubeconfig });
  const { client } = connection;
  const cluster: WorkloadsCluster = {
    async room(name) {
      await client.create(Namespace, { metadata: { name } });
      const printed = async (...args: readonly string[]): Promise<string> => {
        const { code, stdout, stderr } = await kubectl("-n", name, ...args);
        if (code !== 0) throw new Error(stderr);
        return stdout;
      };
      return {
        client: createClient(connection.transport, { clock: realClock, namespace: name }),
        cluster,
        pods: async () => (await client.list(Pod, { namespace: name })).items,
        exec: (pod, script) => printed("exec", pod, "--", "sh", "-c", script),
        logs: (pod) => printed("logs", pod),
      };
    },
    async agent(nodeName) {
      const { dataDir } = machine.record("wherry");
      const { processes } = await boxPaths(join(dataDir, "nodes", nodeName));
      return JSON.parse(readFileSync(join(processes, "agent.json"), "utf8"));
    },
    async close() {
      connection.close();
      await machine.remove();
    },
  };
  return cluster;
}

/** The only container of a pod of a subject. */
export const container = (script: string, more: object = {}) => ({
  ...{ name: "c", image: testImage, imagePullPolicy: "Never" },
  command: ["sh", "-c", script],
  ...more,
});

/** Waits until pods are ready, as many as there should be. */
export const ready = (room: WorkloadsRoom, count: number): Promise<readonly Pod[]> =>
  eventually(async () => {
    const pods = (await room.pods()).filter(({ metadata }) => !metadata.deletionTimestamp);
    const isReady = ({ status }: Pod): boolean =>
      status.conditions?.some((one) => one.type === "Ready" && one.status === "True") ?? false;
    expect(pods.filter(isReady)).toHaveLength(count);
    return pods;
  });
