import { Namespace } from "../api/core/v1/namespace.ts";
import { ServiceAccount } from "../api/core/v1/service-account.ts";
import { kinds as allKinds } from "../api/kinds.generated.ts";
import { StatusError } from "../api/meta/v1/status-error.ts";
import type { Log } from "../base/log.ts";
import { SeededRandom } from "../base/random.ts";
import type { ResourceKind } from "../client/resource-kind.ts";
import type { Kind } from "../schema/language/kind.ts";
import type { Cluster } from "./cluster.ts";
import { createCluster } from "./create-cluster.ts";
import { pristine } from "./pristine.ts";

export interface ClusterOptions {
  /** `virtual`: time stands still until it is advanced, and begins with the year 2026. `real` if not given. */
  readonly clock?: "real" | "virtual" | undefined;
  /**
   * How many simulated nodes there are, and with them all of a cluster: controllers and the scheduler,
   * also for 0. The API server alone if not given.
   */
  readonly nodes?: number | undefined;
  /** Where chance begins: uids, generated names, jitter; 0 if not given. */
  readonly seed?: number | undefined;
  /** All kinds that there are; those of `wherry/api` if not given. */
  readonly kinds?: readonly ResourceKind[] | undefined;
  /** Which of them are served beside the stable ones, by words such as `api/beta` and `batch/v1`. */
  readonly runtimeConfig?: Readonly<Record<string, boolean>> | undefined;
  /** Where objects are that do not say it; it is made, with its service account. `default` if not given. */
  readonly namespace?: string | undefined;
  /** Which admission plugins have a say, by name, beside those that do by default, and which of these not. */
  readonly admission?: PluginNames | undefined;
  /** Where the server logs; nowhere if not given. */
  readonly log?: Log | undefined;
}

export interface PluginNames {
  readonly enable?: readonly string[];
  readonly disable?: readonly string[];
}

/**
 * Starts a cluster in this process, on nothing but memory: no ports, processes or files. With a virtual
 * clock the same calls lead to the same objects from the same seed.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { clock = "real", seed = 0, namespace, nodes, admission, log } = options;
  const now = clock === "virtual" ? beginning : undefined;
  const { kinds = allKinds, runtimeConfig } = options;
  const from = await pristine({
    // Every kind that is exported is declared here.
    kinds: kinds as readonly Kind[],
    ...(runtimeConfig && { runtimeConfig }),
    startedAt: now,
    // Where time is the machine's, nodes have to come now.
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
    namespace,
    options: { ...(admission && { admission }), ...(log && { log }) },
  });
  if (namespace !== undefined) await ensureNamespace(cluster, namespace);
  if (nodes !== undefined) await cluster.settled();
  return cluster;
}

const beginning = Date.UTC(2026, 0, 1);

/** The account is made here, too: without one there can be no pods, and there may be no controllers. */
async function ensureNamespace({ client }: Cluster, name: string): Promise<void> {
  const unlessThere = (error: unknown): void => {
    if (!StatusError.is(error, "AlreadyExists")) throw error;
  };
  await client.create(Namespace, { metadata: { name } }).catch(unlessThere);
  const account = { metadata: { name: "default", namespace: name } };
  await client.create(ServiceAccount, account).catch(unlessThere);
}
