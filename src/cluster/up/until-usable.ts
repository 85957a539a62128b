import { Node } from "../../api/core/v1/node/node.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { DeadlineExceeded, withDeadline } from "../../base/clock.ts";
import { onAbort } from "../../base/on-abort.ts";
import type { Client } from "../../client/client.ts";
import { createInformers } from "../../client/informer/informers.ts";
import { waitFor } from "../../client/wait-for.ts";
import { systemRandom } from "../../platform/system-entropy.ts";
import type { Progress } from "./create-progress.ts";

export interface UsableOptions {
  readonly nodes: number;
  readonly progress: Progress;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Resolves when pods can be created and run: the default service account exists and nodes are ready. */
export async function untilUsable(client: Client, options: UsableOptions): Promise<void> {
  const { timeoutMs, signal, nodes, progress } = options;
  let missing = "";
  try {
    await withDeadline({ clock: client.clock, ms: timeoutMs, signal }, async (ending) => {
      const key = { namespace: "default", name: "default" };
      const account = waitFor(client, ServiceAccount, { key, until: () => true, signal: ending });
      // It is awaited below only if the nodes become ready: handle its rejection in any case.
      account.catch(() => undefined);
      await untilNodesReady(client, {
        nodes,
        signal: ending,
        onReady(ready) {
          missing = `${nodes - ready} of ${nodes} ${nodes === 1 ? "node" : "nodes"} to be ready`;
          progress.show(`waiting for nodes: ${ready} of ${nodes} ready`);
        },
      });
      missing = "the service account default/default";
      await account;
    });
  } catch (error) {
    if (!(error instanceof DeadlineExceeded)) throw error;
    throw new Error(
      `the cluster is running, but is still waiting for ${missing}: allow more with --timeout`,
    );
  }
}

/** Resolves when `count` nodes are ready; calls back whenever the number grows. */
async function untilNodesReady(
  client: Client,
  {
    nodes,
    signal,
    onReady,
  }: {
    readonly nodes: number;
    readonly signal: AbortSignal;
    readonly onReady: (ready: number) => void;
  },
): Promise<void> {
  if (nodes === 0) return;
  const informers = createInformers({ client, clock: client.clock, random: systemRandom });
  const ready = new Set<string>();
  try {
    await new Promise<void>((resolve, reject) => {
      onAbort(signal, () => reject(signal.reason));
      const see = (node: Node): void => {
        const { name = "" } = node.metadata;
        if (!isReady(node) || ready.has(name)) return;
        ready.add(name);
        onReady(ready.size);
        if (ready.size >= nodes) resolve();
      };
      onReady(0);
      informers.of(Node).addHandler({ added: see, updated: see });
    });
  } finally {
    informers.close();
  }
}

/** Whether a node can run pods. */
export const isReady = ({ status }: Node): boolean =>
  status?.conditions?.some((one) => one.type === "Ready" && one.status === "True") ?? false;
