import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { coalesceCalls } from "../../base/coalesce-calls.ts";
import { loadKubeconfig } from "../../kubeconfig/load-kubeconfig.ts";
import { readIfPresent } from "../../platform/pki/pki-files.ts";
import { realClock } from "../../platform/real-clock.ts";
import { watchFiles } from "../../platform/watch-files.ts";
import { withRenewedCluster } from "./cluster-context.ts";
import { readRecord } from "./cluster-record.ts";
import { editKubeconfigFile } from "./edit-kubeconfig-file.ts";

export interface FollowClusterContextOptions {
  /** The name of the cluster, and of its entries. */
  readonly name: string;
  /** The folder with the kubeconfig of the administrator. */
  readonly dataDir: string;
  readonly clock?: Clock | undefined;
  /** Reports an error that the next change may overcome. */
  readonly onError: (error: unknown) => void;
}

/**
 * Writes the credentials of a cluster's administrator to the user's kubeconfig whenever the server has renewed them,
 * if the cluster is in it. Closing waits until a file that is being written is complete.
 */
export function followClusterContext({
  name,
  dataDir,
  clock = realClock,
  onError,
}: FollowClusterContextOptions): { close(): Promise<void> } {
  const path = join(dataDir, "admin.kubeconfig");
  let known: string | undefined;
  const renew = coalesceCalls(async () => {
    const text = await readIfPresent(path);
    if (text === undefined || text === known) return;
    const record = await readRecord(name);
    if (!record) return;
    const { config: admin } = await loadKubeconfig({ path });
    await editKubeconfigFile(record.kubeconfig, (config) =>
      withRenewedCluster(config, name, admin),
    );
    known = text;
  });
  // The latest renewal ends after all earlier ones.
  let renewing = Promise.resolve();
  const onChange = (): void => {
    renewing = renew().catch(onError);
  };
  const watching = watchFiles([path], { clock, onChange });
  return {
    async close() {
      watching.close();
      await renewing;
    },
  };
}
