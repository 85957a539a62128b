import { Namespace } from "../api/core/v1/namespace.ts";
import { ServiceAccount } from "../api/core/v1/service-account.ts";
import { kinds as allKinds } from "../api/kinds.generated.ts";
import { StatusError } from "../api/meta/v1/status-error.ts";
import type { AdmissionOptions } from "../apiserver/admission/plugins.ts";
import type { RuntimeConfig } from "../apiserver/runtime-config.ts";
import type { Log } from "../base/log.ts";
import { SeededRandom } from "../base/random.ts";
import type { Kind } from "../schema/kind.ts";
import type { Cluster } from "./cluster.ts";
import { createCluster } from "./create-cluster.ts";
import { pristine } from "./pristine.ts";

export interface ClusterOptions {
  /** `virtual`: time stands still until it is advanced, and begins with the year 2026. `real` if not given. */
  readonly clock?: "real" | "virtual" | undefined;
  /** Where chance begins: uids, generated names, jitter; 0 if not given. */
  readonly seed?: number | undefined;
  /** All kinds that there are; those of `wherry/api` if not given. */
  readonly kinds?: readonly Kind[] | undefined;
  /** Which of them are served beside the stable ones, as `--runtime-config` says it. */
  readonly runtimeConfig?: RuntimeConfig | undefined;
  /** Where objects are that do not say it; it is made, with its service account. `default` if not given. */
  readonly namespace?: string | undefined;
  /** Which admission plugins have a say; upstream's defaults if not given. */
  readonly admission?: AdmissionOptions | undefined;
  /** Where the server logs; nowhere if not given. */
  readonly log?: Log | undefined;
}

/**
 * Starts a cluster in this process, on nothing but memory: no ports, processes or files. With a virtual
 * clock the same calls lead to the same objects from the same seed.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { clock = "real", seed = 0, namespace, admission, log } = options;
  const now = clock === "virtual" ? beginning : undefined;
  const { kinds = allKinds, runtimeConfig } = options;
  const from = await pristine({
    kinds: kinds as readonly Kind[],
    ...(runtimeConfig && { runtimeConfig }),
    startedAt: now,
  });
  const cluster = createCluster({
    from,
    now,
    random: { server: new SeededRandom(seed), others: new SeededRandom(seed + 2 ** 40) },
    namespace,
    options: { ...(admission && { admission }), ...(log && { log }) },
  });
  if (namespace !== undefined) await ensureNamespace(cluster, namespace);
  return cluster;
}

const beginning = Date.UTC(2026, 0, 1);

/** There is no controller that would make the account, without which there can be no pods. */
async function ensureNamespace({ client }: Cluster, name: string): Promise<void> {
  const unlessThere = (error: unknown): void => {
    if (!StatusError.is(error, "AlreadyExists")) throw error;
  };
  await client.create(Namespace, { metadata: { name } }).catch(unlessThere);
  const account = { metadata: { name: "default", namespace: name } };
  await client.create(ServiceAccount, account).catch(unlessThere);
}
