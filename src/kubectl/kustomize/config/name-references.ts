import type { Gvk } from "../resources/gvk.ts";
import { type FieldSpec, fieldSpec } from "./field-spec.ts";
import { podFields } from "./pod-places.ts";

/** The fields in which objects of a kind are referred to by name. */
export interface NameReference extends Gvk {
  readonly fieldSpecs: readonly FieldSpec[];
}

const workloads = [
  "Deployment",
  "ReplicaSet",
  "DaemonSet",
  "StatefulSet",
  "Job",
  "CronJob",
] as const;
/** The kinds with fields of pods in which other objects than config maps and secrets are named. */
const podOwners = [
  "Pod",
  "StatefulSet",
  "Deployment",
  "ReplicationController",
  "CronJob",
  "Job",
  "DaemonSet",
] as const;

const scaled = (kind: string): NameReference => ({
  group: "",
  version: "",
  kind,
  fieldSpecs: [fieldSpec("spec/scaleTargetRef/name", { kind: "HorizontalPodAutoscaler" })],
});

const containers = (path: string) => [`containers/${path}`, `initContainers/${path}`];

/** Fields of pods that name an object of the core group; those of plain pods are of v1. */
function inPods(kinds: readonly string[], paths: readonly string[]): FieldSpec[] {
  const pods = podFields(["Pod"], paths).map((spec) => ({ ...spec, version: "v1" }));
  return [...pods, ...podFields(kinds, paths)];
}

const configMapPaths = [
  "volumes/configMap/name",
  ...containers("env/valueFrom/configMapKeyRef/name"),
  ...containers("envFrom/configMapRef/name"),
  "volumes/projected/sources/configMap/name",
];
const secretPaths = [
  "volumes/secret/secretName",
  ...containers("env/valueFrom/secretKeyRef/name"),
  ...containers("envFrom/secretRef/name"),
  "imagePullSecrets/name",
  "volumes/projected/sources/secret/name",
];
const ruleNames = (kinds: readonly string[]) =>
  kinds.map((kind) => fieldSpec("rules/resourceNames", { kind }));
const ingressAnnotation = (name: string) =>
  fieldSpec(`metadata/annotations/${name}`, { kind: "Ingress" });
const ofKind = (kind: string, paths: readonly string[]) =>
  paths.map((path) => fieldSpec(path, { kind }));

const admission = "admissionregistration.k8s.io";
const rbac = "rbac.authorization.k8s.io";

/** Where upstream looks for names of objects that were renamed. */
export const nameReferences: readonly NameReference[] = [
  ...["Deployment", "ReplicationController", "ReplicaSet", "StatefulSet"].map(scaled),
  {
    group: "",
    version: "v1",
    kind: "ConfigMap",
    fieldSpecs: [
      ...inPods(["PodTemplate", ...workloads], configMapPaths),
      fieldSpec("spec/configSource/configMap", { kind: "Node" }),
      ...ruleNames(["Role", "ClusterRole"]),
      ingressAnnotation("nginx.ingress.kubernetes.io\\/fastcgi-params-configmap"),
    ],
  },
  {
    group: "",
    version: "v1",
    kind: "Secret",
    fieldSpecs: [
      ...inPods(["PodTemplate", ...workloads], secretPaths),
      fieldSpec("spec/tls/secretName", { kind: "Ingress" }),
      ingressAnnotation("ingress.kubernetes.io\\/auth-secret"),
      ingressAnnotation("nginx.ingress.kubernetes.io\\/auth-secret"),
      ingressAnnotation("nginx.ingress.kubernetes.io\\/auth-tls-secret"),
      fieldSpec("imagePullSecrets/name", { kind: "ServiceAccount" }),
      ...ofKind("StorageClass", [
        "parameters/secretName",
        "parameters/adminSecretName",
        "parameters/userSecretName",
        "parameters/secretRef",
      ]),
      ...ruleNames(["Role", "ClusterRole"]),
      fieldSpec("spec/template/spec/containers/env/valueFrom/secretKeyRef/name", {
        group: "serving.knative.dev",
        version: "v1",
        kind: "Service",
      }),
      fieldSpec("spec/azureFile/secretName", { kind: "PersistentVolume" }),
    ],
  },
  {
    group: "",
    version: "v1",
    kind: "Service",
    fieldSpecs: [
      fieldSpec("spec/serviceName", { group: "apps", kind: "StatefulSet" }),
      ...ofKind("Ingress", [
        "spec/rules/http/paths/backend/serviceName",
        "spec/backend/serviceName",
        "spec/rules/http/paths/backend/service/name",
        "spec/defaultBackend/service/name",
      ]),
      fieldSpec("spec/service/name", { group: "apiregistration.k8s.io", kind: "APIService" }),
      ...["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"].map((kind) =>
        fieldSpec("webhooks/clientConfig/service", { group: admission, kind }),
      ),
    ],
  },
  {
    group: rbac,
    version: "",
    kind: "Role",
    fieldSpecs: [fieldSpec("roleRef/name", { group: rbac, kind: "RoleBinding" })],
  },
  {
    group: rbac,
    version: "",
    kind: "ClusterRole",
    fieldSpecs: [
      fieldSpec("roleRef/name", { group: rbac, kind: "RoleBinding" }),
      fieldSpec("roleRef/name", { group: rbac, kind: "ClusterRoleBinding" }),
    ],
  },
  {
    group: "",
    version: "v1",
    kind: "ServiceAccount",
    fieldSpecs: [
      fieldSpec("subjects", { group: rbac, kind: "RoleBinding" }),
      fieldSpec("subjects", { group: rbac, kind: "ClusterRoleBinding" }),
      ...podFields(podOwners, ["serviceAccountName"]),
    ],
  },
  {
    group: "",
    version: "v1",
    kind: "PersistentVolumeClaim",
    fieldSpecs: podFields(podOwners, ["volumes/persistentVolumeClaim/claimName"]),
  },
  {
    group: "",
    version: "v1",
    kind: "PersistentVolume",
    fieldSpecs: [
      fieldSpec("spec/volumeName", { kind: "PersistentVolumeClaim" }),
      ...ruleNames(["ClusterRole"]),
    ],
  },
  {
    group: "storage.k8s.io",
    version: "v1",
    kind: "StorageClass",
    fieldSpecs: [
      fieldSpec("spec/storageClassName", { kind: "PersistentVolume" }),
      fieldSpec("spec/storageClassName", { kind: "PersistentVolumeClaim" }),
      fieldSpec("spec/volumeClaimTemplates/spec/storageClassName", { kind: "StatefulSet" }),
    ],
  },
  {
    group: "scheduling.k8s.io",
    version: "v1",
    kind: "PriorityClass",
    fieldSpecs: podFields(podOwners, ["priorityClassName"]),
  },
  {
    // The version stands in the group upstream, too, so that no ingress class is ever found.
    group: "networking.k8s.io/v1",
    version: "v1",
    kind: "IngressClass",
    fieldSpecs: [fieldSpec("spec/ingressClassName", { kind: "Ingress" })],
  },
  {
    group: admission,
    version: "",
    kind: "ValidatingAdmissionPolicy",
    fieldSpecs: [
      fieldSpec("spec/policyName", { group: admission, kind: "ValidatingAdmissionPolicyBinding" }),
    ],
  },
];
