import { Deployment } from "../../api/apps/v1/deployment.ts";
import { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { StatefulSet } from "../../api/apps/v1/stateful-set.ts";
import { ReplicationController } from "../../api/core/v1/replication-controller.ts";
import type { OwnerReference } from "../../api/meta/v1/object-meta.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { Client } from "../../client/client.ts";
import { createDiscovery, type Discovery } from "../../client/discovery/discovery.ts";
import { createRestMapper, type RestMapper } from "../../client/discovery/rest-mapper.ts";
import type { KubernetesObject, ResourceKind } from "../../client/resource-kind.ts";
import { Scale } from "../../client/subresource-kinds.ts";
import { controllerOf, groupOf } from "../../controller-runtime/objects/owner-references.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";
import { quote } from "../../schema/values/quote.ts";

/** A controller of pods, and how many it wants. */
export interface ControllerScale {
  readonly uid: string;
  readonly replicas: number;
}

type Surroundings = Pick<ReconcileContext, "cache" | "client" | "signal">;

/** Determines how many pods controllers want, for every kind that has a scale. */
export class ControllerScales {
  #client: Client | undefined;
  #learned: { readonly discovery: Discovery; readonly mapper: RestMapper } | undefined;

  /** The scale of the controller that a pod refers to; undefined if it does not exist. */
  async find(
    around: Surroundings,
    reference: OwnerReference,
    namespace: string,
  ): Promise<ControllerScale | undefined> {
    return (
      (await knownScale(around, reference, namespace)) ??
      (await this.#scaleOf(around, reference, namespace))
    );
  }

  async #scaleOf(
    { client, signal }: Surroundings,
    reference: OwnerReference,
    namespace: string,
  ): Promise<ControllerScale | undefined> {
    const { discovery, mapper } = this.#through(client);
    const kind = await mapper.kindOf(reference, { signal });
    const key = { namespace, name: reference.name };
    try {
      const { metadata, spec } = await client
        .subresource(kind, key, "scale")
        .get(Scale, { signal });
      const { uid = "" } = metadata;
      return uid === reference.uid ? { uid, replicas: spec.replicas ?? 0 } : undefined;
    } catch (error) {
      if (!StatusError.is(error, "NotFound")) throw error;
    }
    // Either the object does not exist, or its kind has no scale.
    if (await hasScale(discovery, kind, signal)) return undefined;
    const resource = kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`;
    throw new Error(`${resource} does not implement the scale subresource`);
  }

  /** Discovery is kept between reconciles, although each has its own client. */
  #through(client: Client) {
    this.#client = client;
    if (!this.#learned) {
      const lasting: Client = {
        ...client,
        raw: (request) => (this.#client as Client).raw(request),
      };
      const discovery = createDiscovery(lasting);
      this.#learned = { discovery, mapper: createRestMapper(discovery) };
    }
    return this.#learned;
  }
}

/** The scale of a controller whose kind is in the caches; undefined for other kinds. */
async function knownScale(
  { cache }: Surroundings,
  reference: OwnerReference,
  namespace: string,
): Promise<ControllerScale | undefined> {
  const group = groupOf(reference.apiVersion);
  if (group === undefined)
    throw new Error(`unexpected GroupVersion string: ${reference.apiVersion}`);
  const find = async <O extends Scaled>(
    kind: ResourceKind<O>,
    { name, uid }: OwnerReference,
  ): Promise<O | undefined> => {
    const found = await cache.get(kind, { namespace, name });
    return found?.metadata.uid === uid ? found : undefined;
  };
  if (group === "" && reference.kind === "ReplicationController")
    return scaleOf(await find(ReplicationController, reference));
  if (group === "apps" && reference.kind === "StatefulSet")
    return scaleOf(await find(StatefulSet, reference));
  if (!["apps", "extensions"].includes(group) || reference.kind !== "ReplicaSet") return undefined;
  const replicaSet = await find(ReplicaSet, reference);
  const owner = replicaSet && controllerOf(replicaSet);
  if (owner?.kind !== "Deployment") return scaleOf(replicaSet);
  const isDeployment = ["apps", "extensions"].includes(groupOf(owner.apiVersion) ?? "");
  return isDeployment ? scaleOf(await find(Deployment, owner)) : undefined;
}

interface Scaled extends KubernetesObject {
  readonly spec: { readonly replicas?: number | undefined };
}

const scaleOf = (owner: Scaled | undefined): ControllerScale | undefined =>
  owner && { uid: owner.metadata.uid ?? "", replicas: owner.spec.replicas ?? 1 };

/** The groups of Scale, past and present. */
const scaleGroups = ["autoscaling", "apps", "extensions"];

async function hasScale(
  discovery: Discovery,
  { group, version, plural }: ResourceKind,
  signal: AbortSignal,
): Promise<boolean> {
  const { resources } = await discovery.apis({ signal });
  const resource = resources.find(
    (one) => one.group === group && one.version === version && one.plural === plural,
  );
  return !!resource?.subresources.some(
    (one) => one.name === "scale" && one.kind === "Scale" && scaleGroups.includes(one.group),
  );
}

/** The error for a pod whose controller is not found. */
export const noControllers = (pod: string): Error =>
  new Error(`found no controllers for pod ${quote(pod)}`);
