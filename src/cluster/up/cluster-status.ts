import { join } from "node:path";
import { Node } from "../../api/core/v1/node/node.ts";
import { withDeadline } from "../../base/clock.ts";
import { connect } from "../../kubeconfig/connect.ts";
import { realClock } from "../../platform/real-clock.ts";
import { type ClusterRecord, clusterPaths, runs } from "./cluster-record.ts";
import { isReady } from "./until-usable.ts";

/** The status of a cluster, for users and programs. */
export interface ClusterStatus {
  readonly name: string;
  /** `unready`: its process runs, but the API server fails or nodes are not ready. */
  readonly state: "running" | "unready" | "stopped";
  readonly nodes: number;
  /** How many nodes are ready; absent if they cannot be listed. */
  readonly nodesReady?: number;
  readonly server?: string;
  readonly pid?: number;
  /** When it was started, as RFC 3339. */
  readonly startedAt?: string;
  readonly version: string;
  readonly isEphemeral: boolean;
  readonly dataDir: string;
  readonly kubeconfig: string;
  readonly log: string;
}

/** The status of a cluster; asks its API server if it is running. */
export async function clusterStatus(record: ClusterRecord): Promise<ClusterStatus> {
  const { name, nodes, port, version, isEphemeral, dataDir, process: identity, startedAt } = record;
  const kubeconfig = join(dataDir, "admin.kubeconfig");
  const known = {
    name,
    nodes,
    version,
    isEphemeral,
    dataDir,
    kubeconfig,
    log: clusterPaths(name).log,
  };
  if (!identity || !runs(record)) return { ...known, state: "stopped" };
  const running = {
    ...known,
    pid: identity.pid,
    ...(port !== 0 && { server: `https://127.0.0.1:${port}` }),
    ...(startedAt !== undefined && { startedAt: new Date(startedAt).toISOString() }),
  };
  try {
    const nodesReady = await readyNodes(kubeconfig);
    return { ...running, state: nodesReady < nodes ? "unready" : "running", nodesReady };
  } catch {
    return { ...running, state: "unready" };
  }
}

const patienceMs = 3000;

async function readyNodes(kubeconfig: string): Promise<number> {
  const { client, close } = await connect({ path: kubeconfig, inCluster: false });
  try {
    const { items } = await withDeadline({ clock: realClock, ms: patienceMs }, (signal) =>
      client.list(Node, { signal }),
    );
    return items.filter(isReady).length;
  } finally {
    close();
  }
}
