import { apiVersionOf, type Kind } from "../../src/schema/language/kind.ts";

/** A small object of a kind, and the YAML that makes it. */
export interface Manifest {
  readonly name: string;
  readonly yaml: string;
}

/** The manifest of a kind; undefined where the table has none. */
export function manifestOf(kind: Kind): Manifest | undefined {
  const key = manifestKey(kind);
  const body = manifestBodies[key];
  if (body === undefined) return undefined;
  const name = names[key] ?? nameFor(kind);
  // What is not stored has no name either.
  const metadata = kind.isStored ? `metadata: {name: ${name}}\n` : "";
  return {
    name,
    yaml: `apiVersion: ${apiVersionOf(kind)}\nkind: ${kind.kind}\n${metadata}${body.trim()}\n`,
  };
}

/** Differs where kinds are stored as one: `event-v1`, `event-events-v1`. */
const nameFor = ({ singular, group, version }: Kind): string =>
  [singular, group.split(".")[0], version].filter((part) => part !== "").join("-");

/** What the table calls a kind: `apps/v1 Deployment`. */
export const manifestKey = (kind: Kind): string => `${apiVersionOf(kind)} ${kind.kind}`;

/** Names that the rules of a kind demand. */
const names: Readonly<Record<string, string>> = {
  "apiextensions.k8s.io/v1 CustomResourceDefinition": "widgets.example.com",
  "apiregistration.k8s.io/v1 APIService": "v1.wares.example.com",
  "networking.k8s.io/v1 IPAddress": "192.168.7.7",
  "storage.k8s.io/v1 CSIDriver": "disk.example.com",
};

const template = `
    metadata: {labels: {app: shop}}
    spec:
      containers: [{name: shop, image: "shop:1", ports: [{containerPort: 80}]}]`;

const jobTemplate = `
    spec:
      restartPolicy: Never
      containers: [{name: sum, image: "sum:1"}]`;

const matchNothing = `{resourceRules: [{apiGroups: [none.example.com], apiVersions: [v1], operations: [CREATE], resources: [things]}]}`;

const webhooks = `
webhooks:
- name: check.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: Ignore
  clientConfig: {url: "https://127.0.0.1:1/check"}
  rules: [{apiGroups: [none.example.com], apiVersions: [v1], operations: [CREATE], resources: [things]}]`;

/** A request of the user jane of the group team. */
export const certificateRequest =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIWk1JR0FBZ0VBTUI0eERUQUxCZ05WQkFvTUJIUmxZVzB4RFRBTEJnTlZCQU1NQkdwaGJtVXdXVEFUQmdjcQpoa2pPUFFJQkJnZ3Foa2pPUFFNQkJ3TkNBQVRLUDNsakpwbTZsckZydTlFUU1jTUNZV2xVL3l0Nm5FR0Q1bVJ1CjJZQ09YT3BzVHhlMzk0anZ5cCt5UjdES2NJdk0zMm9TQ21MMEhvTnNaeVdaMkhlQW9BQXdDZ1lJS29aSXpqMEUKQXdJRFNBQXdSUUloQU9wTjZrcFkrWlNVa3I4SFc1SUdjeHRuc2l2NGNXSWhxckg3ckNFOEVQck9BaUFiV1RUeApnYmNLb1BFT0JKNFlxQTNtUTg1L01BNUcvR0JPbEs1bjBHNkZ6QT09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=";

/** What each kind's object has beside its kind and its name, in YAML. */
export const manifestBodies: Readonly<Record<string, string>> = {
  "v1 ConfigMap": "data: {colour: blue}",
  "v1 Endpoints": "subsets: [{addresses: [{ip: 10.1.0.7}], ports: [{port: 80}]}]",
  "v1 Event": `
involvedObject: {apiVersion: v1, kind: Pod, namespace: default, name: web}
reason: Seen
message: the pod was seen
type: Normal
source: {component: watcher}
firstTimestamp: "2024-05-01T10:00:00Z"
lastTimestamp: "2024-05-01T11:00:00Z"
count: 3`,
  "v1 LimitRange": "spec: {limits: [{type: Container, max: {cpu: 64}}]}",
  "v1 Namespace": "",
  "v1 Node": `
spec: {podCIDR: 10.1.0.0/24}
status: {allocatable: {cpu: 4, memory: 8Gi}, nodeInfo: {kubeletVersion: v1.36.0}}`,
  "v1 PersistentVolume": `
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  hostPath: {path: /data}`,
  "v1 PersistentVolumeClaim": `
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}`,
  "v1 Pod": 'spec: {containers: [{name: shop, image: "shop:1"}]}',
  "v1 PodTemplate": 'template: {spec: {containers: [{name: shop, image: "shop:1"}]}}',
  "v1 ReplicationController": `
spec:
  replicas: 2
  selector: {app: shop}
  template:${template}`,
  "v1 ResourceQuota": "spec: {hard: {pods: 500}}",
  "v1 Secret": "stringData: {password: tulip}",
  "v1 Service": "spec: {selector: {app: shop}, ports: [{port: 80}]}",
  "v1 ServiceAccount": "automountServiceAccountToken: false",

  "admissionregistration.k8s.io/v1 MutatingAdmissionPolicy": `
spec:
  matchConstraints: ${matchNothing}
  reinvocationPolicy: Never
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: "Object{}"}`,
  "admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding": "spec: {policyName: absent}",
  "admissionregistration.k8s.io/v1 MutatingWebhookConfiguration": webhooks,
  "admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy": `
spec:
  matchConstraints: ${matchNothing}
  validations: [{expression: "true"}]`,
  "admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding":
    "spec: {policyName: absent, validationActions: [Deny]}",
  "admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration": webhooks,

  "apiextensions.k8s.io/v1 CustomResourceDefinition": `
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object}}`,
  "apiregistration.k8s.io/v1 APIService":
    "spec: {group: wares.example.com, version: v1, groupPriorityMinimum: 100, versionPriority: 10}",

  "apps/v1 ControllerRevision": "revision: 7\ndata: {colour: blue}",
  "apps/v1 DaemonSet": `
spec:
  selector: {matchLabels: {app: shop}}
  template:${template}`,
  "apps/v1 Deployment": `
spec:
  replicas: 2
  selector: {matchLabels: {app: shop}}
  template:${template}`,
  "apps/v1 ReplicaSet": `
spec:
  replicas: 2
  selector: {matchLabels: {app: shop}}
  template:${template}`,
  "apps/v1 StatefulSet": `
spec:
  serviceName: shop
  selector: {matchLabels: {app: shop}}
  template:${template}`,

  "autoscaling/v1 HorizontalPodAutoscaler": `
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: shop}
  maxReplicas: 5
  targetCPUUtilizationPercentage: 70`,
  "autoscaling/v2 HorizontalPodAutoscaler": `
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: shop}
  maxReplicas: 5
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 70}}}]`,
  "batch/v1 CronJob": `
spec:
  schedule: "*/5 * * * *"
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: sum, image: "sum:1"}]}}}}`,
  "batch/v1 Job": `
spec:
  template:${jobTemplate}`,

  "certificates.k8s.io/v1 CertificateSigningRequest": `
spec:
  signerName: kubernetes.io/kube-apiserver-client
  usages: [client auth]
  expirationSeconds: 3600
  request: ${certificateRequest}`,
  "coordination.k8s.io/v1 Lease": "spec: {holderIdentity: me, leaseDurationSeconds: 15}",
  "discovery.k8s.io/v1 EndpointSlice": `
addressType: IPv4
endpoints: [{addresses: [10.1.0.7]}]
ports: [{name: http, port: 80}]`,
  "events.k8s.io/v1 Event": `
eventTime: "2024-05-01T10:00:00.000000Z"
reportingController: example.com/watcher
reportingInstance: watcher-1
action: Watching
reason: Seen
type: Normal
note: the pod was seen
regarding: {apiVersion: v1, kind: Pod, namespace: default, name: web}`,

  "flowcontrol.apiserver.k8s.io/v1 FlowSchema": `
spec:
  matchingPrecedence: 5000
  priorityLevelConfiguration: {name: global-default}
  distinguisherMethod: {type: ByUser}
  rules:
  - subjects: [{kind: User, user: {name: jane}}]
    nonResourceRules: [{verbs: [get], nonResourceURLs: [/healthz]}]`,
  "flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration": `
spec:
  type: Limited
  limited: {nominalConcurrencyShares: 5, limitResponse: {type: Reject}}`,

  "networking.k8s.io/v1 IPAddress":
    "spec: {parentRef: {resource: services, namespace: default, name: shop}}",
  "networking.k8s.io/v1 Ingress": `
spec:
  rules:
  - host: shop.example.com
    http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: shop, port: {number: 80}}}}]}`,
  "networking.k8s.io/v1 IngressClass": "spec: {controller: example.com/ingress}",
  "networking.k8s.io/v1 NetworkPolicy": `
spec:
  podSelector: {matchLabels: {app: shop}}
  ingress: [{from: [{podSelector: {}}], ports: [{port: 80}]}]`,
  "networking.k8s.io/v1 ServiceCIDR": "spec: {cidrs: [10.96.0.0/16]}",
  "node.k8s.io/v1 RuntimeClass": "handler: fast",
  "policy/v1 PodDisruptionBudget": "spec: {minAvailable: 1, selector: {matchLabels: {app: shop}}}",

  "rbac.authorization.k8s.io/v1 ClusterRole":
    'rules: [{apiGroups: [""], resources: [nodes], verbs: [get, list]}]',
  "rbac.authorization.k8s.io/v1 ClusterRoleBinding": `
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: jane}]`,
  "rbac.authorization.k8s.io/v1 Role":
    'rules: [{apiGroups: [""], resources: [pods], verbs: [get, list]}]',
  "rbac.authorization.k8s.io/v1 RoleBinding": `
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{kind: ServiceAccount, namespace: default, name: robot}]`,

  "resource.k8s.io/v1 DeviceClass":
    "spec: {selectors: [{cel: {expression: device.driver == 'gpu.example.com'}}]}",
  "resource.k8s.io/v1 ResourceClaim":
    "spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}",
  "resource.k8s.io/v1 ResourceClaimTemplate":
    "spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}}",
  "resource.k8s.io/v1 ResourceSlice": `
spec:
  driver: gpu.example.com
  nodeName: node-1
  pool: {name: node-1, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0}]`,
  "scheduling.k8s.io/v1 PriorityClass": "value: 1000",

  "storage.k8s.io/v1 CSIDriver": "spec: {attachRequired: false}",
  "storage.k8s.io/v1 CSINode": "spec: {drivers: [{name: disk.example.com, nodeID: node-1}]}",
  "storage.k8s.io/v1 CSIStorageCapacity": "storageClassName: fast\ncapacity: 10Gi",
  "storage.k8s.io/v1 StorageClass": "provisioner: disk.example.com",
  "storage.k8s.io/v1 VolumeAttachment":
    "spec: {attacher: disk.example.com, nodeName: node-1, source: {persistentVolumeName: disk-1}}",
  "storage.k8s.io/v1 VolumeAttributesClass":
    "driverName: disk.example.com\nparameters: {iops: '3000'}",

  "authentication.k8s.io/v1 SelfSubjectReview": "",
  "authentication.k8s.io/v1 TokenReview": "spec: {token: abc}",
  "authorization.k8s.io/v1 LocalSubjectAccessReview": `
spec: {user: jane, resourceAttributes: {namespace: default, verb: get, resource: pods}}`,
  "authorization.k8s.io/v1 SelfSubjectAccessReview":
    "spec: {resourceAttributes: {namespace: default, verb: get, resource: pods}}",
  "authorization.k8s.io/v1 SelfSubjectRulesReview": "spec: {namespace: default}",
  "authorization.k8s.io/v1 SubjectAccessReview": `
spec: {user: jane, nonResourceAttributes: {verb: get, path: /healthz}}`,
};
