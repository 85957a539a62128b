import { systemPriorityClasses } from "../../api/scheduling/v1/priority-class.ts";
import { compactTo } from "../objects/compactor.ts";
import type { ApiObject, ObjectDraft } from "../objects/object.ts";
import { putNew, type Registry } from "../objects/registry.ts";
import { serverContext } from "../server-context.ts";
import { objectToCreate } from "../verbs/create.ts";
import { authenticationConfig } from "./authentication-config.ts";
import type { ClusterAuthentication } from "./cluster-authentication.ts";
import { flowControlObjects, withFlowSchemaStatus } from "./flow-control.ts";
import { legacyTokenTracking } from "./legacy-token-tracking.ts";
import { cached, ensure, ownRegistry, placed } from "./own-work.ts";
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
export async function bootstrap(registry: Registry, options: BootstrapOptions): Promise<void> {
  const own = ownRegistry(registry);
  const isNew = registry.cache.revision === 1;
  if (!isNew || !(await createCluster(own, options))) await completeCluster(own, options);
  // How a cluster came to be is nobody's history.
  if (isNew) await compactTo(registry.store, registry.cache.revision);
}

/** As many as every store takes in one commit. */
const objectsPerCommit = 100;

/**
 * Writes all there is to a new cluster in few commits, which nobody watches yet; false where another
 * server is at it, too.
 */
async function createCluster(registry: Registry, options: BootstrapOptions): Promise<boolean> {
  const { clusterRoles, clusterRoleBindings, roles, roleBindings } = defaultPolicy;
  const policy = [...clusterRoles, ...clusterRoleBindings, ...roles, ...roleBindings];
  const wanted = [
    ...[...basics(), ...policy].flatMap((object) => placed(registry, object)),
    ...flowControlObjects(registry),
    ...ownRegistrations(registry),
    ...authenticationConfig(registry, options.clusterAuthentication ?? {}),
    ...legacyTokenTracking(registry),
  ];
  const objects = await Promise.all(
    wanted.map(async ({ address, object, fieldManager }) => {
      const draft = structuredClone(object) as ObjectDraft;
      const creation = { draft, context: serverContext(fieldManager) };
      return { address, object: await objectToCreate(registry, address, creation) };
    }),
  );
  const complete = options.aggregatesRoles ? withAggregatedRoles(registry, objects) : objects;
  const all = withFlowSchemaStatus(registry, complete);
  for (let from = 0; from < all.length; from += objectsPerCommit)
    if (!(await putNew(registry, all.slice(from, from + objectsPerCommit)))) return false;
  return true;
}

/** Adds what is missing, one by one: others may be watching. */
async function completeCluster(registry: Registry, options: BootstrapOptions): Promise<void> {
  await registry.cache.fresh();
  const missing = basics()
    .flatMap((object) => placed(registry, object))
    .filter(({ address }) => !cached(registry, address));
  await Promise.all(missing.map((object) => ensure(registry, object)));
  const changes = planPolicy(defaultPolicy, (object) => {
    const [found] = placed(registry, object);
    return found && cached(registry, found.address);
  });
  await Promise.all(
    changes.map(async (change) => {
      const [found] = placed(registry, change.object);
      if (found) await changePolicy(registry, found.address, { change, context: serverContext() });
    }),
  );
  if (options.aggregatesRoles) await aggregateRoles(registry, serverContext());
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
