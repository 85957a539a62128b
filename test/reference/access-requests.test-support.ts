import type { AccessRequest } from "./access-world.test-support.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const apiGroup = "rbac.authorization.k8s.io";
const label = { metadata: { labels: { a: "b" } } };
const bindTo = (kind: string, name: string) => ({
  metadata: { name: "more" },
  roleRef: { apiGroup, kind, name },
  subjects: [{ kind: "ServiceAccount", name: "robot", namespace: "team" }],
});
const roleOf = (...resources: readonly string[]) => ({
  metadata: { name: "more" },
  rules: [{ apiGroups: [""], resources, verbs: ["get"] }],
});
const podFor = (nodeName: string, annotations = {}) => ({
  metadata: {
    name: "mirror",
    annotations: { "kubernetes.io/config.mirror": "x", ...annotations },
    ownerReferences: [],
  },
  spec: { nodeName, containers: [{ name: "c", image: "i" }] },
});
const review = (spec: object) => ({ spec });

/** What each caller asks for. */
export const accessRequests: readonly AccessRequest[] = [
  { request: "GET /livez" },
  { request: "GET /version" },
  { request: "GET /metrics" },
  { request: "GET /api" },
  { request: "GET /debug/api_priority_and_fairness/dump_priority_levels" },
  { request: "GET /api/v1/namespaces/team/pods" },
  { request: "GET /api/v1/namespaces/other/pods" },
  { request: "GET /api/v1/pods" },
  { request: "GET /api/v1/namespaces/team/pods/web" },
  { request: "GET /api/v1/namespaces/other/pods/db" },
  { request: "GET /api/v1/namespaces/team/pods?watch=true&timeoutSeconds=1&resourceVersion=0" },
  { request: "GET /api/v1/namespaces/team/secrets/web" },
  { request: "GET /api/v1/namespaces/other/secrets/db" },
  { request: "GET /api/v1/namespaces/team/secrets" },
  { request: "GET /api/v1/namespaces/team/secrets?fieldSelector=metadata.name%3Dweb" },
  { request: "GET /api/v1/nodes" },
  { request: "GET /api/v1/nodes/node-1" },
  { request: "GET /api/v1/nodes/node-2" },
  { request: "GET /api/v1/pods?fieldSelector=spec.nodeName%3Dnode-1" },
  { request: "GET /api/v1/pods?fieldSelector=spec.nodeName%3Dnode-2" },
  { request: "GET /api/v1/nodes?fieldSelector=metadata.name%3Dnode-1" },
  { request: "PATCH /api/v1/nodes/node-1?dryRun=All", body: label },
  { request: "PATCH /api/v1/nodes/node-2?dryRun=All", body: label },
  {
    request: "PATCH /api/v1/nodes/node-1?dryRun=All",
    body: { metadata: { labels: { "node-restriction.kubernetes.io/a": "b" } } },
  },
  {
    request: "PATCH /api/v1/nodes/node-1/status?dryRun=All",
    body: { status: { phase: "Running" } },
  },
  { request: "POST /api/v1/nodes?dryRun=All", body: { metadata: { name: "node-3" } } },
  { request: "DELETE /api/v1/nodes/node-2?dryRun=All" },
  { request: "DELETE /api/v1/namespaces/team/pods/web?dryRun=All" },
  { request: "DELETE /api/v1/namespaces/other/pods/db?dryRun=All" },
  { request: "POST /api/v1/namespaces/team/pods?dryRun=All", body: podFor("node-1") },
  { request: "POST /api/v1/namespaces/team/pods?dryRun=All", body: podFor("node-2") },
  {
    request: "PATCH /api/v1/namespaces/other/pods/db/status?dryRun=All",
    body: { status: { message: "mine" } },
  },
  {
    request: "PATCH /api/v1/namespaces/team/pods/web/status?dryRun=All",
    body: { status: { message: "mine" } },
  },
  {
    request: "POST /api/v1/namespaces/team/pods/web/eviction?dryRun=All",
    body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "web" } },
  },
  { request: `GET ${rbac}/clusterroles` },
  { request: `GET ${rbac}/namespaces/team/rolebindings` },
  { request: "POST /apis/authentication.k8s.io/v1/selfsubjectreviews", body: {} },
  {
    request: "POST /apis/authentication.k8s.io/v1/tokenreviews",
    body: review({ token: "janes-token" }),
  },
  {
    request: "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    body: review({ resourceAttributes: { verb: "get", resource: "pods", namespace: "team" } }),
  },
  {
    request: "POST /apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
    body: review({ namespace: "team" }),
  },
  {
    request: "POST /apis/authorization.k8s.io/v1/subjectaccessreviews",
    body: review({ user: "jane", resourceAttributes: { verb: "get", resource: "pods" } }),
  },
  {
    request: "POST /apis/authorization.k8s.io/v1/namespaces/team/localsubjectaccessreviews",
    body: review({
      user: "jane",
      resourceAttributes: { verb: "get", resource: "pods", namespace: "team" },
    }),
  },
  {
    request: `POST ${rbac}/namespaces/team/rolebindings?dryRun=All`,
    body: bindTo("ClusterRole", "cluster-admin"),
  },
  {
    request: `POST ${rbac}/namespaces/team/rolebindings?dryRun=All`,
    body: bindTo("Role", "robot"),
  },
  { request: `POST ${rbac}/namespaces/team/roles?dryRun=All`, body: roleOf("secrets") },
  { request: `POST ${rbac}/namespaces/team/roles?dryRun=All`, body: roleOf("pods") },
  { request: `POST ${rbac}/clusterroles?dryRun=All`, body: roleOf("pods", "nodes") },
  {
    request: "POST /api/v1/namespaces/team/serviceaccounts/robot/token?dryRun=All",
    body: { spec: {} },
  },
  {
    request: "POST /api/v1/namespaces/team/serviceaccounts/robot/token?dryRun=All",
    body: {
      spec: { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "web", uid: "another" } },
    },
  },
  {
    request: "PUT /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-2?dryRun=All",
    body: { metadata: { name: "node-2" }, spec: { holderIdentity: "node-2" } },
  },
  {
    request: "POST /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases?dryRun=All",
    body: { metadata: { name: "node-1" }, spec: { holderIdentity: "node-1" } },
  },
  {
    request: "POST /apis/certificates.k8s.io/v1/certificatesigningrequests?dryRun=All",
    body: {
      metadata: { name: "mine" },
      spec: { request: "bm90aGluZw==", signerName: "example.com/s", usages: ["client auth"] },
    },
  },
  { request: "DELETE /api/v1/namespaces/team?dryRun=All" },
  { request: "DELETE /api/v1/namespaces/team/secrets?dryRun=All" },
  { request: "GET /api/v1/namespaces/team/services/https:web:443/proxy/" },
  { request: "GET /api/v1/nodes/node-2/proxy/logs/" },
  { request: "GET /api/v1/namespaces/team/pods%2F..%2F..%2Fother%2Fsecrets%2Fdb" },
  { request: "GET /api/v1/namespaces/team/pods/../../other/secrets/db" },
  { request: "GET /apis/nothing.test/v1/things" },
  { request: "GET /nothing" },
];
