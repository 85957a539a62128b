import { systemPriorityClasses } from "../../api/scheduling/v1/priority-class.ts";
import { compactTo } from "../objects/compactor.ts";
import type { ApiObject, ObjectDraft } from "../objects/object.ts";
import { serverContext } from "../server-context.ts";
import { objectToCreate } from "../verbs/create.ts";
import type { VerbParts } from "../verbs/verb-parts.ts";
import { authenticationConfig } from "./authentication-config.ts";
import type { ClusterAuthentication } from "./cluster-authentication.ts";
import { flowControlObjects, withFlowSchemaStatus } from "./flow-control.ts";
import { legacyTokenTracking } from "./legacy-token-tracking.ts";
import { cached, ensure, type Placed, placed, withoutAdmission } from "./own-work.ts";
import { ownRegistrations } from "./registrations.ts";
import { aggregateRoles, withAggregatedRoles } from "./roles/aggregate-roles.ts";
import { defaultPolicy } from "./roles/default-policy.ts";
import { changePolicy } from "./roles/policy-change.ts";
import { planPolicy } from "./roles/policy-plan.ts";
import { systemNamespaces } from "./system-namespaces.ts";

export interface BootstrapOptions {
  /** Whether roles that are made of others are filled in, which a controller does later on. */
  readonly aggregatesRoles: boolean;
  /** What is published of how clients are known; nothing if not given. */
  readonly clusterAuthentication?: ClusterAuthentication | undefined;
}

/**
 * Creates what every cluster has, where it is missing, and completes its policy. What is kept while the
 * server runs is created here for a new cluster alone.
 */
export async function bootstrap(parts: VerbParts, options: BootstrapOptions): Promise<void> {
  const own = withoutAdmission(parts);
  const isNew = parts.reader.cache.revision === 1;
  if (!isNew || !(await createCluster(own, options))) await completeCluster(own, options);
  // How a cluster came to be is nobody's history.
  if (isNew) await compactTo(parts.reader.store, parts.reader.cache.revision);
}

/** As many as every store takes in one commit. */
const objectsPerCommit = 100;

/**
 * Writes all there is to a new cluster in few commits, which nobody watches yet; false where another
 * server is at it, too.
 */
async function createCluster(parts: VerbParts, options: BootstrapOptions): Promise<boolean> {
  const { clusterRoles, clusterRoleBindings, roles, roleBindings } = defaultPolicy;
  const policy = [...clusterRoles, ...clusterRoleBindings, ...roles, ...roleBindings];
  const wanted = [
    ...[...basics(), ...policy].flatMap((object) => placed(parts, object)),
    ...flowControlObjects(parts),
    ...ownRegistrations(parts),
    ...authenticationConfig(parts, options.clusterAuthentication ?? {}),
    ...legacyTokenTracking(parts),
  ];
  const objects = await Promise.all(
    wanted.map(async ({ address, object, fieldManager }) => {
      const draft = structuredClone(object) as ObjectDraft;
      const creation = { draft, context: serverContext(fieldManager) };
      return { address, object: await objectToCreate(parts, address, creation) };
    }),
  );
  const complete = options.aggregatesRoles ? withAggregatedRoles(parts, objects) : objects;
  const all = withFlowSchemaStatus(parts, complete);
  for (let from = 0; from < all.length; from += objectsPerCommit)
    if (!(await createAll(parts, all.slice(from, from + objectsPerCommit)))) return false;
  return true;
}

/** Stores objects in one commit; false if one of them exists. */
async function createAll({ committer }: VerbParts, objects: readonly Placed[]): Promise<boolean> {
  const writes = objects.map(
    ({ address, object }) => ({ type: "put", address, object, ifRevision: 0 }) as const,
  );
  return (await committer.commit({ objects: writes })) !== "conflict";
}

/** Adds what is missing, one by one: others may be watching. */
async function completeCluster(parts: VerbParts, options: BootstrapOptions): Promise<void> {
  await parts.reader.cache.fresh();
  const missing = basics()
    .flatMap((object) => placed(parts, object))
    .filter(({ address }) => !cached(parts, address));
  await Promise.all(missing.map((object) => ensure(parts, object)));
  const changes = planPolicy(defaultPolicy, (object) => {
    const [found] = placed(parts, object);
    return found && cached(parts, found.address);
  });
  await Promise.all(
    changes.map(async (change) => {
      const [found] = placed(parts, change.object);
      if (found) await changePolicy(parts, found.address, { change, context: serverContext() });
    }),
  );
  if (options.aggregatesRoles) await aggregateRoles(parts, serverContext());
}

/** Without its service account no pod could be created in a namespace. */
const basics = (): ApiObject[] => [
  ...systemNamespaces().flatMap((namespace) => [
    namespace,
    {
      kind: "ServiceAccount",
      apiVersion: "v1",
      metadata: { name: "default", namespace: namespace.metadata.name ?? "" },
    },
  ]),
  ...systemPriorityClasses.map(({ name, ...rest }) => ({
    kind: "PriorityClass",
    apiVersion: "scheduling.k8s.io/v1",
    metadata: { name },
    ...rest,
  })),
];
