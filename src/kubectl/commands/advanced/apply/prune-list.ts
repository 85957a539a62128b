import { NoMatchError } from "../../../../client/discovery/mapping-errors.ts";
import type { DiscoveredKind, RestMapper } from "../../../../client/discovery/rest-mapper.ts";

/** A kind whose objects may be pruned. */
interface PrunedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

const namespaced: readonly PrunedKind[] = [
  ...["ConfigMap", "Endpoints", "PersistentVolumeClaim", "Pod", "ReplicationController"].map(core),
  ...["Secret", "Service"].map(core),
  { group: "batch", version: "v1", kind: "Job" },
  { group: "batch", version: "v1", kind: "CronJob" },
  { group: "networking.k8s.io", version: "v1", kind: "Ingress" },
  { group: "apps", version: "v1", kind: "DaemonSet" },
  { group: "apps", version: "v1", kind: "Deployment" },
  { group: "apps", version: "v1", kind: "ReplicaSet" },
  { group: "apps", version: "v1", kind: "StatefulSet" },
];
const clusterScoped: readonly PrunedKind[] = ["Namespace", "PersistentVolume"].map(core);

function core(kind: string): PrunedKind {
  return { group: "", version: "v1", kind };
}

/** The kinds that `--prune-allowlist` names, as `group/version/kind`. */
export async function allowedKinds(
  texts: readonly string[],
  mapper: RestMapper,
): Promise<readonly DiscoveredKind[]> {
  const kinds: DiscoveredKind[] = [];
  for (const text of texts) {
    const [group = "", version = "", kind = "", ...more] = text.split("/");
    if (text.split("/").length !== 3 || more.length > 0)
      throw new Error(
        `invalid GroupVersionKind format: ${text}, please follow <group/version/kind>`,
      );
    try {
      kinds.push(await mapper.kind({ group: group === "core" ? "" : group, version, kind }));
    } catch (error) {
      if (!(error instanceof NoMatchError)) throw error;
      throw new Error(error.message, { cause: error });
    }
  }
  return kinds;
}

/** The kinds that are pruned where no list is given. */
export async function defaultKinds(mapper: RestMapper): Promise<readonly DiscoveredKind[]> {
  const kinds: DiscoveredKind[] = [];
  for (const one of [...namespaced, ...clusterScoped]) {
    try {
      kinds.push(await mapper.kind(one));
    } catch (error) {
      const isNamespaced = namespaced.includes(one);
      throw new Error(
        `error retrieving RESTMappings to prune: invalid resource ${one.group}/${one.version}, Kind=${one.kind}, Namespaced=${isNamespaced}: ${(error as Error).message}`,
        { cause: error },
      );
    }
  }
  return kinds;
}
