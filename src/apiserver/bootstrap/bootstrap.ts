import type { ClusterRole } from "../../api/rbac/v1/cluster-role.ts";
import { systemPriorityClasses } from "../../api/scheduling/v1/priority-class.ts";
import { compactTo } from "../objects/compactor.ts";
import type { ApiObject, ObjectDraft } from "../objects/object.ts";
import type { Resources } from "../objects/resources.ts";
import { serverContext } from "../server-context.ts";
import { objectToCreate } from "../verbs/create.ts";
import { type VerbParts, withoutAdmission } from "../verbs/verb-parts.ts";
import { type OwnParts, ownParts } from "../verbs/writer.ts";
import { authenticationConfig } from "./authentication-config.ts";
import type { ClusterAuthentication } from "./cluster-authentication.ts";
import { type FirstObject, findAddress } from "./first-object.ts";
import { flowControlObjects, withFlowSchemaStatus } from "./flow-control.ts";
import { legacyTokenTracking } from "./legacy-token-tracking.ts";
import { declaredRegistrations } from "./registrations.ts";
import { aggregateRoles, withAggregatedRoles } from "./roles/aggregate-roles.ts";
import { type DefaultPolicy, defaultPolicy } from "./roles/default-policy.ts";
import { featureRules } from "./roles/feature-rules.ts";
import { metricsReader } from "./roles/metrics-reader.ts";
import { optionalRoles } from "./roles/optional-roles.ts";
import { changePolicy } from "./roles/policy-change.ts";
import { planPolicy } from "./roles/policy-plan.ts";
import { systemNamespaces } from "./system-namespaces.ts";

export interface BootstrapOptions {
  /** Whether to set the rules of aggregated roles, which a controller updates later. */
  readonly aggregatesRoles: boolean;
  /** How clients are authenticated, which is published in a config map; nothing is if not given. */
  readonly clusterAuthentication?: ClusterAuthentication | undefined;
  /** Whether the server serves resource metrics, which have a role of their own. */
  readonly resourceMetrics?: boolean;
  /** Whether pods need the service account of their namespace: the first ones are then not left to a controller. */
  readonly podsNeedAccounts?: boolean;
}

/**
 * Creates the objects that every cluster has, if they are missing, and completes its policy. Objects
 * that are reconciled while the server runs are created here only for a new cluster.
 */
export async function bootstrap(parts: VerbParts, options: BootstrapOptions): Promise<void> {
  const { reader } = parts;
  const isNew = reader.cache.revision === 1;
  if (!isNew || !(await createCluster(withoutAdmission(parts), options)))
    await completeCluster(ownParts(parts), parts.resources, options);
  // Nobody needs the history of a cluster from before it was complete.
  if (isNew) await compactTo(reader.store, reader.cache.revision);
}

/** As many objects as every store takes in one commit. */
const objectsPerCommit = 100;

/**
 * Writes all objects of a new cluster in a few commits, as nobody watches them yet; false if another
 * server is doing so, too.
 */
async function createCluster(parts: VerbParts, options: BootstrapOptions): Promise<boolean> {
  const { clusterRoles, clusterRoleBindings, roles, roleBindings } = policyFor(parts, options);
  const now = parts.environment.clock.now();
  const plain = [
    ...basics(options),
    ...[...clusterRoles, ...clusterRoleBindings, ...roles, ...roleBindings],
  ].map((object) => ({ object }));
  const wanted: FirstObject[] = [
    ...plain,
    ...flowControlObjects(),
    ...declaredRegistrations(parts.resources).map((object) => ({ object })),
    ...authenticationConfig(options.clusterAuthentication ?? {}, now),
    { object: legacyTokenTracking(now) },
  ];
  const prepared = await Promise.all(wanted.map((item) => prepare(parts, item)));
  const objects = prepared.filter((object) => object !== undefined);
  const complete = options.aggregatesRoles ? withAggregatedRoles(parts, objects) : objects;
  const all = withFlowSchemaStatus(parts, complete);
  for (let from = 0; from < all.length; from += objectsPerCommit)
    if (!(await createAll(parts, all.slice(from, from + objectsPerCommit)))) return false;
  return true;
}

/** The object as a create would store it; undefined if its kind is not served. */
async function prepare(
  parts: VerbParts,
  { object, fieldManager }: FirstObject,
): Promise<ApiObject | undefined> {
  const address = findAddress(parts.resources, object);
  const draft = structuredClone(object) as ObjectDraft;
  const context = serverContext(fieldManager);
  return address && objectToCreate(parts, address, { draft, context });
}

/** Stores objects in one commit; false if one of them exists. */
async function createAll(
  { committer, resources }: VerbParts,
  objects: readonly ApiObject[],
): Promise<boolean> {
  const writes = objects.flatMap((object) => {
    const address = findAddress(resources, object);
    return address ? [{ type: "put", address, object, ifRevision: 0 } as const] : [];
  });
  return (await committer.commit({ objects: writes })) !== "conflict";
}

/** Adds missing objects one by one: others may be watching. */
async function completeCluster(
  parts: OwnParts,
  resources: Resources,
  options: BootstrapOptions,
): Promise<void> {
  const { reader, writer } = parts;
  await reader.catchUp();
  const find = (object: ApiObject): ApiObject | undefined => {
    const address = findAddress(resources, object);
    return address && reader.findCached(address)?.object;
  };
  await Promise.all(
    basics(options).map(async (object) => {
      const address = findAddress(resources, object);
      if (address && !find(object)) await writer.ensure(address.kind, object);
    }),
  );
  await Promise.all(
    planPolicy(policyFor({ ...parts, resources }, options), find).map(async (change) => {
      const address = findAddress(resources, change.object);
      if (address) await changePolicy(writer, address, change);
    }),
  );
  if (options.aggregatesRoles) await aggregateRoles(parts);
}

function policyFor(
  { resources, environment }: Pick<VerbParts, "resources" | "environment">,
  { resourceMetrics }: BootstrapOptions,
): DefaultPolicy {
  const optional = optionalRoles(({ group, plural }) =>
    resources.declared.some((kind) => kind.group === group && kind.plural === plural),
  );
  return {
    ...defaultPolicy,
    clusterRoles: [
      ...defaultPolicy.clusterRoles.map((role) => withFeatures(role, environment.features)),
      ...optional.clusterRoles,
      ...(resourceMetrics ? [metricsReader] : []),
    ],
    clusterRoleBindings: [...defaultPolicy.clusterRoleBindings, ...optional.clusterRoleBindings],
  };
}

/** Some roles have more rules while features are on that are off by default. */
function withFeatures(role: ClusterRole, features: ReadonlySet<string> | undefined): ClusterRole {
  const added = featureRules(role.metadata.name ?? "", features);
  return added.length === 0 ? role : { ...role, rules: [...role.rules, ...added] };
}

const basics = ({ podsNeedAccounts = true }: BootstrapOptions): ApiObject[] => [
  ...systemNamespaces.flatMap((name) => [
    { kind: "Namespace", apiVersion: "v1", metadata: { name }, spec: {} },
    ...(podsNeedAccounts
      ? [
          {
            kind: "ServiceAccount",
            apiVersion: "v1",
            metadata: { name: "default", namespace: name },
          },
        ]
      : []),
  ]),
  ...systemPriorityClasses.map(({ name, ...rest }) => ({
    kind: "PriorityClass",
    apiVersion: "scheduling.k8s.io/v1",
    metadata: { name },
    ...rest,
  })),
];
