import { StatusError } from "../api/meta/v1/status-error.ts";
import { systemPriorityClasses } from "../api/scheduling/v1/priority-class.ts";
import { aggregateRoles, withAggregatedRoles } from "./bootstrap/aggregate-roles.ts";
import { defaultPolicy } from "./bootstrap/default-policy.ts";
import { changePolicy } from "./bootstrap/policy-change.ts";
import { planPolicy } from "./bootstrap/policy-plan.ts";
import { compactTo } from "./compactor.ts";
import { create, objectToCreate } from "./create.ts";
import type { ApiObject, ObjectDraft } from "./object.ts";
import { type Address, keyOf, putNew, type Registry, type RequestContext } from "./registry.ts";

const namespaces = ["default", "kube-node-lease", "kube-public", "kube-system"];

export interface BootstrapOptions {
  /** Whether roles that are made of others are filled in, which a controller does later on. */
  readonly aggregatesRoles: boolean;
}

/** Creates what every cluster has, where it is missing, and completes its policy. */
export async function bootstrap(registry: Registry, options: BootstrapOptions): Promise<void> {
  const own: Registry = { ...registry, admission: nothingToSay };
  const isNew = registry.cache.revision === 1;
  if (!isNew || !(await createCluster(own, options))) await completeCluster(own, options);
  // How a cluster came to be is nobody's history.
  if (isNew) await compactTo(registry.store, registry.cache.revision);
}

/** The server needs nobody's leave, and makes namespaces together with what is in them. */
const nothingToSay = { admit: async () => {}, validate: async () => {} };

const context = (): RequestContext => ({
  user: { name: "system:apiserver", groups: ["system:masters"] },
  dryRun: false,
  fieldManager: "kube-apiserver",
  warnings: [],
});

/** As many as every store takes in one commit. */
const objectsPerCommit = 100;

/**
 * Writes all there is to a new cluster in few commits, which nobody watches yet; false where another
 * server is at it, too.
 */
async function createCluster(registry: Registry, options: BootstrapOptions): Promise<boolean> {
  const { clusterRoles, clusterRoleBindings, roles, roleBindings } = defaultPolicy;
  const policy = [...clusterRoles, ...clusterRoleBindings, ...roles, ...roleBindings];
  const wanted = [...basics(), ...policy].flatMap((object) => placed(registry, object));
  const objects = await Promise.all(
    wanted.map(async ({ address, object }) => {
      const draft = structuredClone(object) as ObjectDraft;
      const made = await objectToCreate(registry, address, { draft, context: context() });
      return { address, object: made };
    }),
  );
  const complete = options.aggregatesRoles ? withAggregatedRoles(registry, objects) : objects;
  for (let from = 0; from < complete.length; from += objectsPerCommit)
    if (!(await putNew(registry, complete.slice(from, from + objectsPerCommit)))) return false;
  return true;
}

/** Adds what is missing, one by one: others may be watching. */
async function completeCluster(registry: Registry, options: BootstrapOptions): Promise<void> {
  await registry.cache.fresh();
  const missing = basics()
    .flatMap((object) => placed(registry, object))
    .filter(({ address }) => !registry.cache.of(address.kind).get(keyOf(address)));
  await Promise.all(missing.map((object) => ensure(registry, object)));
  const changes = planPolicy(defaultPolicy, (object) => {
    const [found] = placed(registry, object);
    return found && registry.cache.of(found.address.kind).get(keyOf(found.address))?.object;
  });
  await Promise.all(
    changes.map(async (change) => {
      const [found] = placed(registry, change.object);
      if (found) await changePolicy(registry, found.address, { change, context: context() });
    }),
  );
  if (options.aggregatesRoles) await aggregateRoles(registry, context());
}

/** Without its service account no pod could be created in a namespace. */
const basics = (): ApiObject[] => [
  ...namespaces.flatMap((name) => [
    { kind: "Namespace", apiVersion: "v1", metadata: { name }, spec: {} },
    { kind: "ServiceAccount", apiVersion: "v1", metadata: { name: "default", namespace: name } },
  ]),
  ...systemPriorityClasses.map(({ name, ...rest }) => ({
    kind: "PriorityClass",
    apiVersion: "scheduling.k8s.io/v1",
    metadata: { name },
    ...rest,
  })),
];

interface Placed {
  readonly address: Address;
  readonly object: ApiObject;
}

/** An object with its place; none where its kind is not served. */
function placed(
  { resources }: Registry,
  object: Pick<ApiObject, "kind" | "apiVersion" | "metadata">,
): Placed[] {
  const kind = resources.findVersion(object.apiVersion, object.kind);
  const { namespace = "", name = "" } = object.metadata;
  return kind ? [{ address: { kind, namespace, name }, object }] : [];
}

/** Another server on the same store may be first. */
async function ensure(registry: Registry, { address, object }: Placed): Promise<void> {
  try {
    const draft = structuredClone(object) as ObjectDraft;
    await create(registry, address, { draft, context: context() });
  } catch (error) {
    if (!StatusError.is(error, "AlreadyExists")) throw error;
  }
}
