import type { MergeSchema } from "./merge-schema.ts";

/** The fields of a type that are merged, or that lead to such fields. */
interface MergeType {
  readonly [name: string]: MergeType | MergeList;
}

/** A list that is merged by keys; by its values where there are none. */
class MergeList {
  readonly keys: readonly string[];
  readonly item: MergeType;
  readonly strategy: string;

  constructor(keys: readonly string[], item: MergeType = {}, strategy = "merge") {
    this.keys = keys;
    this.item = item;
    this.strategy = strategy;
  }
}

/** A list that is replaced, whose items hold nothing that is merged either. */
const list = (item: MergeType): MergeList => new MergeList([], item, "");
const merged = (...keys: string[]): MergeList => new MergeList(keys);

const metadata: MergeType = { finalizers: merged(), ownerReferences: merged("uid") };
const conditions = merged("type");
const status: MergeType = { conditions };

const claim: MergeType = { metadata, status };
const containerLists = {
  env: merged("name"),
  volumeDevices: merged("devicePath"),
  volumeMounts: merged("mountPath"),
};
const container: MergeType = { ...containerLists, ports: merged("containerPort", "protocol") };
const volume: MergeType = { ephemeral: { volumeClaimTemplate: { metadata } } };

const podSpec: MergeType = {
  containers: new MergeList(["name"], container),
  ephemeralContainers: new MergeList(["name"], containerLists),
  hostAliases: merged("ip"),
  imagePullSecrets: merged("name"),
  initContainers: new MergeList(["name"], container),
  topologySpreadConstraints: merged("topologyKey", "whenUnsatisfiable"),
  volumes: new MergeList(["name"], volume, "merge,retainKeys"),
};
const template: MergeType = { metadata, spec: podSpec };
const workload: MergeType = { metadata, spec: { template }, status };
const cronJob: MergeType = {
  metadata,
  spec: { jobTemplate: { metadata, spec: { template } } },
};
const webhooks: MergeType = { metadata, webhooks: merged("name") };
const csiNode: MergeType = { metadata, spec: { drivers: merged("name") } };

const special: Readonly<Record<string, MergeType>> = {
  "admissionregistration.k8s.io/v1/MutatingWebhookConfiguration": webhooks,
  "admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration": webhooks,
  "admissionregistration.k8s.io/v1beta1/MutatingWebhookConfiguration": webhooks,
  "admissionregistration.k8s.io/v1beta1/ValidatingWebhookConfiguration": webhooks,
  "apiregistration.k8s.io/v1/APIService": { metadata, status },
  "apiregistration.k8s.io/v1beta1/APIService": { metadata, status },
  "apps/v1/DaemonSet": workload,
  "apps/v1/Deployment": workload,
  "apps/v1/Kustomization": {
    configMapGenerator: merged("name"),
    secretGenerator: merged("name"),
  },
  "apps/v1/ReplicaSet": workload,
  "apps/v1/StatefulSet": {
    metadata,
    spec: { template, volumeClaimTemplates: list(claim) },
    status,
  },
  "batch/v1/CronJob": cronJob,
  "batch/v1/Job": workload,
  "batch/v1beta1/CronJob": cronJob,
  "policy/v1/PodDisruptionBudget": { metadata, status },
  "policy/v1beta1/PodDisruptionBudget": { metadata, status },
  "storage.k8s.io/v1/CSINode": csiNode,
  "storage.k8s.io/v1beta1/CSINode": csiNode,
  "v1/ComponentStatus": { metadata, conditions },
  "v1/Namespace": { metadata, status },
  "v1/Node": {
    metadata,
    spec: { podCIDRs: merged() },
    status: { addresses: merged("type"), conditions },
  },
  "v1/PersistentVolumeClaim": claim,
  "v1/Pod": { metadata, spec: podSpec, status: { conditions, podIPs: merged("ip") } },
  "v1/PodTemplate": { metadata, template },
  "v1/ReplicationController": workload,
  "v1/Service": { metadata, spec: { ports: merged("port", "protocol") }, status },
  "v1/ServiceAccount": { metadata, secrets: merged("name") },
};

/** Kinds of which nothing is merged but metadata: groups with the versions and kinds they have. */
const plain = [
  "apiextensions.k8s.io/v1 CustomResourceDefinition",
  "apiextensions.k8s.io/v1beta1 CustomResourceDefinition",
  "apps/v1 ControllerRevision",
  "authentication.k8s.io/v1 TokenRequest TokenReview",
  "authentication.k8s.io/v1beta1 TokenReview",
  "authorization.k8s.io/v1 LocalSubjectAccessReview SelfSubjectAccessReview",
  "authorization.k8s.io/v1 SelfSubjectRulesReview SubjectAccessReview",
  "authorization.k8s.io/v1beta1 LocalSubjectAccessReview SelfSubjectAccessReview",
  "authorization.k8s.io/v1beta1 SelfSubjectRulesReview SubjectAccessReview",
  "autoscaling/v1 HorizontalPodAutoscaler Scale",
  "autoscaling/v2beta1 HorizontalPodAutoscaler",
  "autoscaling/v2beta2 HorizontalPodAutoscaler",
  "certificates.k8s.io/v1 CertificateSigningRequest",
  "certificates.k8s.io/v1beta1 CertificateSigningRequest",
  "coordination.k8s.io/v1 Lease",
  "coordination.k8s.io/v1beta1 Lease",
  "discovery.k8s.io/v1 EndpointSlice",
  "discovery.k8s.io/v1beta1 EndpointSlice",
  "events.k8s.io/v1 Event",
  "events.k8s.io/v1beta1 Event",
  "extensions/v1beta1 Ingress",
  "flowcontrol.apiserver.k8s.io/v1beta1 FlowSchema PriorityLevelConfiguration",
  "networking.k8s.io/v1 Ingress IngressClass NetworkPolicy",
  "networking.k8s.io/v1beta1 Ingress IngressClass",
  "node.k8s.io/v1 RuntimeClass",
  "node.k8s.io/v1beta1 RuntimeClass",
  "policy/v1beta1 Eviction PodSecurityPolicy",
  "rbac.authorization.k8s.io/v1 ClusterRole ClusterRoleBinding Role RoleBinding",
  "rbac.authorization.k8s.io/v1beta1 ClusterRole ClusterRoleBinding Role RoleBinding",
  "scheduling.k8s.io/v1 PriorityClass",
  "scheduling.k8s.io/v1beta1 PriorityClass",
  "storage.k8s.io/v1 CSIDriver StorageClass VolumeAttachment",
  "storage.k8s.io/v1beta1 CSIDriver CSIStorageCapacity StorageClass VolumeAttachment",
  "v1 Binding ConfigMap Endpoints Event LimitRange PersistentVolume ResourceQuota Secret",
];

const plainKinds: ReadonlySet<string> = new Set(
  plain.flatMap((line) => {
    const [apiVersion = "", ...kinds] = line.split(" ");
    return kinds.map((kind) => `${apiVersion}/${kind}`);
  }),
);

/**
 * The schema of a built-in kind as kustomize has it: that of Kubernetes 1.21, with the merge keys of
 * that time. Kinds that came later are unknown to it.
 */
export function builtInSchema(apiVersion: string, kind: string): MergeSchema | undefined {
  const name = `${apiVersion}/${kind}`;
  const type = Object.hasOwn(special, name) ? special[name] : undefined;
  if (type !== undefined) return new TypeSchema(type);
  return plainKinds.has(name) ? new TypeSchema({ metadata }) : undefined;
}

class TypeSchema implements MergeSchema {
  readonly #type: MergeType | MergeList;

  constructor(type: MergeType | MergeList) {
    this.#type = type;
  }

  get strategy(): string {
    return this.#type instanceof MergeList ? this.#type.strategy : "";
  }

  get keys(): readonly string[] {
    return this.#type instanceof MergeList ? this.#type.keys : [];
  }

  field(name: string): MergeSchema {
    const type = this.#type;
    const known = !(type instanceof MergeList) && Object.hasOwn(type, name);
    return new TypeSchema((known && type[name]) || {});
  }

  items(): MergeSchema {
    return new TypeSchema(this.#type instanceof MergeList ? this.#type.item : {});
  }
}
