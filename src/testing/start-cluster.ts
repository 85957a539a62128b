import { Namespace } from "../api/core/v1/namespace.ts";
import { ServiceAccount } from "../api/core/v1/service-account.ts";
import { StatusError } from "../api/meta/v1/status-error.ts";
import type { Log } from "../base/log.ts";
import { SeededRandom } from "../base/random.ts";
import type { ResourceKind } from "../client/resource-kind.ts";
import { kindsWith } from "../cluster/commands/apiserver/kinds-with-features.ts";
import { ensureLocalVolumes } from "../cluster/join/ensure-local-volumes.ts";
import type { CustomKind, Definition } from "../custom-kinds/language/kind-definition.ts";
import type { Kind } from "../schema/language/kind.ts";
import type { Cluster } from "./cluster.ts";
import { createCluster } from "./create-cluster.ts";
import { installDefinitions } from "./install-definitions.ts";
import { pristineCluster } from "./pristine-cluster.ts";

export interface ClusterOptions {
  /** `virtual`: time starts at the year 2026 and stands still until it is advanced. Default: `real`. */
  readonly clock?: "real" | "virtual" | undefined;
  /**
   * The number of simulated nodes. Any number, even 0, also starts the controllers and the scheduler, and
   * claims of the default class `standard` get volumes.
   * Default: the API server alone.
   */
  readonly nodes?: number | undefined;
  /** The seed of uids, generated names and jitter. Default: 0. */
  readonly seed?: number | undefined;
  /** All known kinds. Default: those of `wherry/api`. */
  readonly kinds?: readonly ResourceKind[] | undefined;
  /** Custom kinds that are served from the start: declared by `wherry/schema`, or manifests. */
  readonly crds?: readonly (CustomKind | Definition)[] | undefined;
  /** Enables or disables API versions, with keys such as `api/beta` and `batch/v1`. */
  readonly runtimeConfig?: Readonly<Record<string, boolean>> | undefined;
  /**
   * The feature gates that are on beside the defaults, such as `GenericWorkload`, of those that have an effect; API
   * versions that they need are enabled by `runtimeConfig`.
   */
  readonly features?: readonly string[] | undefined;
  /** The client's namespace, which is created with its service account. Default: `default`. */
  readonly namespace?: string | undefined;
  /** Admission plugins to enable beside the defaults, and defaults to disable. */
  readonly admission?: PluginNames | undefined;
  /** The log of the server. Default: none. */
  readonly log?: Log | undefined;
}

export interface PluginNames {
  readonly enable?: readonly string[];
  readonly disable?: readonly string[];
}

/**
 * Starts a cluster in this process, in memory: without ports, processes or files. With a virtual clock,
 * equal seeds and requests lead to equal objects.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { clock = "real", seed = 0, namespace, nodes, admission, log, crds = [] } = options;
  const now = clock === "virtual" ? beginning : undefined;
  const features: ReadonlySet<string> = new Set(options.features);
  const { kinds = kindsWith(features), runtimeConfig } = options;
  const from = await pristineCluster({
    // Every exported kind has a full declaration.
    kinds: kinds as readonly Kind[],
    ...(runtimeConfig && { runtimeConfig }),
    features,
    startedAt: now,
    // On the machine's clock, nodes can only join now.
    ...(now !== undefined && { nodes }),
  });
  const cluster = createCluster({
    from,
    now,
    random: {
      server: new SeededRandom(seed),
      controlPlane: new SeededRandom(seed + 2 ** 41),
      others: new SeededRandom(seed + 2 ** 40),
    },
    controlPlane: nodes === undefined ? undefined : { log, nodes },
    features,
    namespace,
    options: { ...(admission && { admission }), ...(log && { log }) },
  });
  if (namespace !== undefined) await ensureNamespace(cluster, namespace);
  await installDefinitions(cluster.client, crds);
  if (nodes !== undefined) {
    // On a virtual clock, the cluster that this one was forked from has them.
    if (now === undefined) await ensureLocalVolumes(cluster.client);
    await cluster.settled();
  }
  return cluster;
}

const beginning = Date.UTC(2026, 0, 1);

/** Also creates the service account: pods need one, and there may be no controller that creates it. */
async function ensureNamespace({ client }: Cluster, name: string): Promise<void> {
  const unlessThere = (error: unknown): void => {
    if (!StatusError.is(error, "AlreadyExists")) throw error;
  };
  await client.create(Namespace, { metadata: { name } }).catch(unlessThere);
  const account = { metadata: { name: "default", namespace: name } };
  await client.create(ServiceAccount, account).catch(unlessThere);
}
