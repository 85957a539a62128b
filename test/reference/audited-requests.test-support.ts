/** A request whose events are compared. */
export interface AuditedRequest {
  /** `METHOD /path` */
  readonly request: string;
  /** Who sends it; the administrator if not given. */
  readonly caller?: "ann" | "nobody" | "liar";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | string;
}

const core = "/api/v1/namespaces/audited";
const apps = "/apis/apps/v1/namespaces/audited";
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const merge = { "content-type": "application/merge-patch+json" };
const json = { "content-type": "application/json-patch+json" };
const strategic = { "content-type": "application/strategic-merge-patch+json" };
const apply = { "content-type": "application/apply-patch+yaml" };

const map = (name: string, data = { a: "b" }) => ({ metadata: { name }, data });
const secret = (name: string) => ({ metadata: { name }, stringData: { password: "hush" } });
const container = { name: "c", image: "i" };
const pod = (name: string, spec = {}) => ({
  metadata: { name },
  spec: { containers: [container], ...spec },
});
const deployment = (name: string) => ({
  metadata: { name },
  spec: {
    replicas: 0,
    selector: { matchLabels: { name } },
    template: { metadata: { labels: { name } }, spec: { containers: [container] } },
  },
});
const review = (spec: object) => ({ spec });
const binding = (name: string) => ({
  metadata: { name },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
  subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "someone" }],
});
const ann = { caller: "ann" } as const;
const nobody = { caller: "nobody" } as const;

/** One after the other; each may depend on those before it. */
export const auditedRequests: readonly AuditedRequest[] = [
  { request: "POST /api/v1/namespaces", body: { metadata: { name: "audited" } } },
  { request: `POST ${core}/serviceaccounts`, body: { metadata: { name: "default" } } },
  { request: `POST ${core}/serviceaccounts?dryRun=All`, body: { metadata: { name: "other" } } },
  { request: `GET ${core}/serviceaccounts/default` },
  {
    request: `POST ${core}/serviceaccounts/default/token`,
    body: { spec: { expirationSeconds: 700 } },
  },
  { request: `POST ${core}/configmaps`, body: map("one") },
  { request: `POST ${core}/configmaps`, body: map("one") },
  { request: `POST ${core}/configmaps`, body: { metadata: { name: "Not Valid" } } },
  { request: `POST ${core}/configmaps`, body: { metadata: { generateName: "made-" } } },
  { request: `POST ${core}/configmaps`, body: "{ this is no JSON" },
  { request: `POST ${core}/configmaps?fieldValidation=Strict`, body: { ...map("two"), bogus: 1 } },
  { request: `POST ${core}/configmaps?fieldValidation=Warn`, body: { ...map("two"), bogus: 1 } },
  {
    request: `POST ${core}/configmaps`,
    body: map("three"),
    headers: { "content-type": "text/plain" },
  },
  { request: `GET ${core}/configmaps/one` },
  { request: `GET ${core}/configmaps/none` },
  { request: `GET ${core}/configmaps` },
  { request: `GET ${core}/configmaps?limit=1` },
  { request: `GET ${core}/configmaps?labelSelector=a%3Db&fieldSelector=metadata.name%3Done` },
  { request: `GET ${core}/configmaps?fieldSelector=spec.nothing%3D1` },
  { request: `GET ${core}/configmaps?resourceVersion=nonsense` },
  { request: `POST ${core}/pods`, body: pod("plain") },
  { request: `POST ${core}/pods`, body: pod("privileged", { hostNetwork: true }) },
  {
    request: "PATCH /api/v1/namespaces/audited",
    headers: merge,
    body: {
      metadata: {
        labels: {
          "pod-security.kubernetes.io/enforce": "baseline",
          "pod-security.kubernetes.io/audit": "restricted",
          "pod-security.kubernetes.io/warn": "restricted",
        },
      },
    },
  },
  { request: `GET ${core}/configmaps?watch=true&timeoutSeconds=1&resourceVersion=0` },
  {
    request: `GET ${core}/configmaps/one`,
    headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
  },
  {
    request: `GET ${core}/configmaps/one`,
    headers: { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" },
  },
  { request: `GET ${core}/configmaps/one`, headers: { accept: "text/nothing" } },
  { request: `GET ${core}/configmaps/one`, headers: { "user-agent": "x".repeat(1100) } },
  { request: `HEAD ${core}/configmaps/one` },
  { request: `PUT ${core}/configmaps/one`, body: map("one", { a: "c" }) },
  { request: `PUT ${core}/configmaps/other`, body: map("one") },
  { request: `PUT ${core}/configmaps/none`, body: map("none") },
  {
    request: `PUT ${core}/configmaps/one`,
    body: { ...map("one"), metadata: { name: "one", resourceVersion: "1" } },
  },
  { request: `PATCH ${core}/configmaps/one`, headers: merge, body: { data: { merged: "yes" } } },
  {
    request: `PATCH ${core}/configmaps/one`,
    headers: json,
    body: [{ op: "add", path: "/data/added", value: "yes" }],
  },
  {
    request: `PATCH ${core}/configmaps/one`,
    headers: json,
    body: [{ op: "test", path: "/data/added", value: "no" }],
  },
  { request: `PATCH ${core}/configmaps/one`, headers: strategic, body: { data: { added: null } } },
  {
    request: `PATCH ${core}/configmaps/applied?fieldManager=me`,
    headers: apply,
    body: { apiVersion: "v1", kind: "ConfigMap", ...map("applied") },
  },
  {
    request: `PATCH ${core}/configmaps/applied?fieldManager=you`,
    headers: apply,
    body: { apiVersion: "v1", kind: "ConfigMap", ...map("applied", { a: "z" }) },
  },
  {
    request: `PATCH ${core}/configmaps/applied?fieldManager=you&force=true`,
    headers: apply,
    body: { apiVersion: "v1", kind: "ConfigMap", ...map("applied", { a: "z" }) },
  },
  { request: `PATCH ${core}/configmaps/one`, headers: { "content-type": "text/odd" }, body: {} },
  { request: `DELETE ${core}/configmaps/one`, body: { preconditions: { uid: "another" } } },
  { request: `DELETE ${core}/configmaps/one`, body: { propagationPolicy: "Background" } },
  { request: `DELETE ${core}/configmaps/one` },
  { request: `DELETE ${core}/configmaps?fieldSelector=metadata.name%3Dtwo` },
  {
    request: `DELETE ${core}/configmaps/none`,
    body: { apiVersion: "v1", kind: "DeleteOptions", gracePeriodSeconds: 5 },
  },
  {
    request: `DELETE ${core}/configmaps/none`,
    body: { apiVersion: "meta.k8s.io/v1", kind: "DeleteOptions" },
  },
  {
    request: `DELETE ${core}/configmaps?labelSelector=none%3Dsuch`,
    body: { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Orphan" },
  },
  { request: `DELETE ${core}/configmaps/none`, body: "{ no JSON" },
  { request: `POST ${core}/secrets`, body: secret("hidden") },
  { request: `GET ${core}/secrets/hidden` },
  { request: `GET ${core}/secrets` },
  {
    request: `PATCH ${core}/secrets/hidden`,
    headers: merge,
    body: { stringData: { password: "louder" } },
  },
  { request: `DELETE ${core}/secrets/hidden` },
  { request: `POST ${core}/pods`, body: pod("audited") },
  { request: `POST ${core}/pods`, body: pod("refused", { hostNetwork: true }) },
  { request: `GET ${core}/pods/plain` },
  {
    request: `PATCH ${core}/pods/plain/status`,
    headers: merge,
    body: { status: { message: "seen" } },
  },
  { request: `GET ${core}/pods/plain/status` },
  {
    request: `POST ${core}/pods/plain/binding`,
    body: { target: { kind: "Node", name: "nowhere" } },
  },
  { request: `GET ${core}/pods/plain/log` },
  { request: `POST ${core}/pods/plain/exec?command=ls&stdout=true` },
  { request: `GET ${core}/pods/plain/proxy/` },
  {
    request: `POST ${core}/pods/plain/eviction`,
    body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "plain" } },
  },
  { request: `DELETE ${core}/pods/audited?gracePeriodSeconds=0` },
  { request: `POST ${apps}/deployments`, body: deployment("app") },
  { request: `GET ${apps}/deployments/app/scale` },
  {
    request: `PATCH ${apps}/deployments/app/scale`,
    headers: merge,
    body: { spec: { replicas: 2 } },
  },
  { request: `PUT ${apps}/deployments/app/status`, body: deployment("app") },
  { request: `DELETE ${apps}/deployments/app?propagationPolicy=Orphan` },
  {
    request: `POST ${core}/services`,
    body: { metadata: { name: "web" }, spec: { clusterIP: "None" } },
  },
  { request: `GET ${core}/services/web/proxy/` },
  { request: `POST ${rbac}/namespaces/audited/rolebindings`, body: binding("mine") },
  {
    request: `POST ${rbac}/namespaces/audited/rolebindings`,
    body: { ...binding("mine"), roleRef: {} },
  },
  { request: "GET /api/v1/nodes" },
  { request: "GET /api/v1/nodes/none" },
  {
    request: "POST /apis/authentication.k8s.io/v1/tokenreviews",
    body: review({ token: "nonsense" }),
  },
  { request: "POST /apis/authentication.k8s.io/v1/selfsubjectreviews", body: {} },
  {
    request: "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    body: review({ resourceAttributes: { verb: "get", resource: "pods" } }),
  },
  {
    request: "POST /apis/authorization.k8s.io/v1/subjectaccessreviews",
    body: review({
      user: "ann",
      resourceAttributes: { verb: "get", resource: "pods", namespace: "audited" },
    }),
  },
  { request: "GET /version" },
  { request: "GET /healthz" },
  { request: "GET /livez/ping" },
  { request: "GET /api" },
  { request: "GET /apis/apps/v1" },
  { request: "GET /apis/nothing.test/v1/things" },
  { request: "GET /nothing/here" },
  { request: "POST /version" },
  { request: `GET ${core}/configmaps`, ...ann },
  { request: `GET ${core}/secrets`, ...ann },
  { request: `POST ${core}/configmaps`, ...ann, body: map("anns") },
  { request: `DELETE ${core}/configmaps/applied`, ...ann },
  { request: "GET /metrics", ...ann },
  { request: `GET ${core}/configmaps`, ...nobody },
  { request: "GET /version", ...nobody },
  { request: "GET /livez", ...nobody },
  { request: `GET ${core}/configmaps`, caller: "liar" },
  { request: "GET /version", caller: "liar" },
  { request: `GET ${core}/configmaps`, headers: { "impersonate-user": "ann" } },
  {
    request: `GET ${core}/secrets`,
    headers: {
      "impersonate-user": "ann",
      "impersonate-group": "odd",
      "impersonate-extra-reason": "because",
    },
  },
  { request: `GET ${core}/configmaps`, ...ann, headers: { "impersonate-user": "administrator" } },
  {
    request: `GET ${core}/configmaps`,
    headers: { "x-forwarded-for": "198.51.100.1, 198.51.100.2" },
  },
  { request: `GET ${core}/configmaps`, headers: { "x-real-ip": "198.51.100.3" } },
  { request: `GET ${core}/configmaps/applied?pretty=true` },
  { request: "GET /apis/policy/v1beta1/poddisruptionbudgets" },
  { request: `POST ${core}/endpoints`, body: { metadata: { name: "old" }, subsets: [] } },
  { request: "DELETE /api/v1/namespaces/audited" },
];

const header = { apiVersion: "audit.k8s.io/v1", kind: "Policy" };

/** What of these requests is audited. */
export const auditPolicies: Readonly<Record<string, object>> = {
  metadata: { ...header, rules: [{ level: "Metadata" }] },
  everything: { ...header, rules: [{ level: "RequestResponse", omitManagedFields: true }] },
  mixed: {
    ...header,
    omitStages: ["RequestReceived"],
    rules: [
      { level: "None", nonResourceURLs: ["/healthz*", "/version"] },
      {
        level: "None",
        users: ["ann"],
        verbs: ["get"],
        resources: [{ group: "", resources: ["configmaps"] }],
      },
      {
        level: "Metadata",
        resources: [
          { group: "", resources: ["secrets", "serviceaccounts/token"] },
          { group: "authentication.k8s.io", resources: ["tokenreviews"] },
        ],
      },
      { level: "Request", userGroups: ["system:unauthenticated"], omitStages: ["ResponseStarted"] },
      {
        level: "Request",
        verbs: ["create", "update"],
        resources: [{ group: "", resources: ["configmaps"] }],
        omitManagedFields: false,
      },
      {
        level: "RequestResponse",
        resources: [{ group: "", resources: ["pods", "pods/*"] }],
        namespaces: ["audited"],
        omitManagedFields: true,
      },
      { level: "RequestResponse", resources: [{ group: "apps", resources: ["*/scale"] }] },
      {
        level: "Metadata",
        resources: [{ group: "", resources: ["configmaps"], resourceNames: ["applied"] }],
      },
      {
        level: "Request",
        omitStages: ["ResponseComplete"],
        resources: [{ group: "rbac.authorization.k8s.io" }],
      },
      { level: "Metadata" },
    ],
  },
};
