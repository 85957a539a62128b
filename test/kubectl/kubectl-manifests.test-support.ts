/** The files that the tour works with, by name. */
export const manifests = {
  "pod.yaml": `apiVersion: v1
kind: Pod
metadata:
  name: web
  labels: {app: web, tier: front}
spec:
  nodeName: node-1
  containers:
  - name: nginx
    image: nginx:1.27
    ports: [{containerPort: 80}]
    resources: {requests: {cpu: 100m, memory: 64Mi}}
`,
  "deployment.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: {name: shop, labels: {app: shop}}
spec:
  replicas: 3
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      containers:
      - {name: shop, image: "shop:1"}
`,
  "replicaset.yaml": `apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: shop-1, labels: {app: shop}}
spec:
  replicas: 3
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      containers:
      - {name: shop, image: "shop:1"}
`,
  "node.json": JSON.stringify({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "node-1", labels: { "node-role.kubernetes.io/worker": "" } },
    spec: { podCIDR: "10.1.0.0/24" },
    status: { allocatable: { cpu: "4", memory: "8Gi" } },
  }),
  "list.json": JSON.stringify({
    apiVersion: "v1",
    kind: "List",
    items: [
      {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { name: "lock" },
        spec: { holderIdentity: "me", leaseDurationSeconds: 15 },
      },
      {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: "web.1" },
        involvedObject: { apiVersion: "v1", kind: "Pod", name: "web", namespace: "default" },
        reason: "Pulled",
        message: "Image is there",
        type: "Normal",
        count: 2,
        source: { component: "kubelet" },
        firstTimestamp: "2020-01-01T00:00:00Z",
        lastTimestamp: "2020-01-01T00:01:00Z",
      },
    ],
  }),
  "invalid.yaml": `apiVersion: v1
kind: Pod
metadata: {name: Bad_Name}
spec:
  containers:
  - {name: c, image: "", ports: [{containerPort: 99999}]}
  - {name: c}
  restartPolicy: Sometimes
`,
  "unknown-field.yaml": `apiVersion: v1
kind: Pod
metadata: {name: typo}
spec:
  containrs: []
  containers:
  - {name: c, image: i, imagePolicy: x}
`,
  "config.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {a: "1"}
`,
  "changed-config.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {a: "2"}
`,
  "old-config.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: settings, resourceVersion: "1"}
data: {a: "2"}
`,
  "elsewhere.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: elsewhere}
`,
  "no-version.yaml": `kind: Pod
metadata: {name: w}
`,
  "other-version.yaml": `apiVersion: v2
kind: Pod
metadata: {name: w}
`,
};
