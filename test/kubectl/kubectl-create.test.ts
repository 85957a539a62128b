import { afterAll, beforeAll } from "vitest";
import { describeWith, requires } from "../requires.ts";
import { openTour, type Row, type Tour, testCommands } from "./kubectl.test-support.ts";
import { manifests } from "./kubectl-manifests.test-support.ts";

describeWith(requires("kubectl"))("kubectl finds out what there is, and creates", () => {
  let tour: Tour;
  beforeAll(async () => {
    tour = await openTour(manifests);
  });
  afterAll(() => tour.close());

  testCommands(() => tour, [...discovery, ...generators, ...files, ...dryRuns, ...refusals]);
});

const discovery: Row[] = [
  ["version", /^Server Version: v1\.36\.\d+/m],
  ["version -o json", /"serverVersion": \{(.|\n)*"major": "1",\n\s+"minor": "36"/],
  ...(
    [
      "NAME SHORTNAMES APIVERSION NAMESPACED KIND",
      "configmaps cm v1 true ConfigMap",
      "namespaces ns v1 false Namespace",
      "secrets v1 true Secret",
      "deployments deploy apps/v1 true Deployment",
      "leases coordination.k8s.io/v1 true Lease",
      "events ev events.k8s.io/v1 true Event",
    ] as const
  ).map((line): Row => ["api-resources", lineOf(line)]),
  ["api-resources --namespaced=false -o name", /(^|\n)namespaces\nnodes(\n|$)/],
  [
    "api-resources --categories=all -o name",
    /(^|\n)pods\n(.*\n)*services\n(.*\n)*deployments\.apps\n(.*\n)*replicasets\.apps(\n|$)/,
  ],
  [
    "api-resources --verbs=deletecollection --namespaced=false -o name",
    /^(?!(.*\n)*namespaces\n)(.*\n)*nodes(\n|$)/,
  ],
  [
    "api-versions",
    /(^|\n)apps\/v1\n(.*\n)*coordination\.k8s\.io\/v1\n(.*\n)*events\.k8s\.io\/v1\n(.*\n)*v1$/,
  ],
  ["cluster-info", /control plane.* is running at .*https:\/\/127\.0\.0\.1:\d+/],
  ["config view", /certificate-authority-data: DATA\+OMITTED(.|\n)*client-key-data: DATA\+OMITTED/],
  ["get --raw /healthz", "ok"],
  ["get --raw /version", /^\{\n {2}"major": "1",\n {2}"minor": "36",\n/],
  ["get --raw '/api/v1/namespaces/default?pretty=true'", /^\{\n {2}"kind": "Namespace",\n/],
  ["get --raw '/readyz?verbose'", /^\[\+\]ping ok\n(.*\n)*readyz check passed$/],
  [
    "get namespaces",
    [
      "NAME              STATUS   AGE",
      "default           Active   1s",
      "kube-node-lease   Active   1s",
      "kube-public       Active   1s",
      "kube-system       Active   1s",
    ],
  ],
  ["get pods", "No resources found in default namespace."],
  ["get pods -A", "No resources found"],
];

const generators: Row[] = [
  ["create namespace team", "namespace/team created"],
  ["create configmap cfg --from-literal=a=1 --from-literal=b=2", "configmap/cfg created"],
  ["get configmap cfg -o jsonpath='{.data}'", '{"a":"1","b":"2"}'],
  ["create configmap file --from-file=config.yaml -n team", "configmap/file created"],
  ["create secret generic pw --from-literal=user=me", "secret/pw created"],
  ["get secret pw -o jsonpath='{.type} {.data.user}'", "Opaque bWU="],
  [
    "create secret docker-registry reg --docker-server=x --docker-username=u --docker-password=p",
    "secret/reg created",
  ],
  ["create serviceaccount robot", "serviceaccount/robot created"],
  [
    "create deployment d2 --image=a:1 --image=b:1 --replicas=2 --port=80",
    "deployment.apps/d2 created",
  ],
  ["create service clusterip cip --tcp=80:8080 --clusterip=10.0.0.50", "service/cip created"],
  ["create service clusterip headless --tcp=80 --clusterip=None", "service/headless created"],
  ["create service nodeport np --tcp=80 --node-port=30080", "service/np created"],
  ["create service loadbalancer lb --tcp=443", "service/lb created"],
  ["create service externalname en --external-name=example.com", "service/en created"],
  ["expose deployment d2 --name=d2-svc --port=80", "service/d2-svc exposed"],
  ["run solo --image=nginx", "pod/solo created"],
  [
    "run shown --image=nginx --port=80 --expose --labels=a=b --env=A=B -- sh -c true",
    ["service/shown created", "pod/shown created"],
  ],
  [
    "get pod shown -o jsonpath='{.spec.containers[0].args} {.spec.containers[0].env} {.spec.containers[0].imagePullPolicy}'",
    '["sh","-c","true"] [{"name":"A","value":"B"}] Always',
  ],
];

const files: Row[] = [
  ["create -f node.json", "node/node-1 created"],
  ["create -f pod.yaml", "pod/web created"],
  ["create -f - < deployment.yaml", "deployment.apps/shop created"],
  ["create -f list.json", ["lease.coordination.k8s.io/lock created", "event/web.1 created"]],
  ["apply -f replicaset.yaml", "replicaset.apps/shop-1 created"],
  ["apply -f replicaset.yaml", "replicaset.apps/shop-1 unchanged"],
  [
    "get rs shop-1 -o jsonpath='{.metadata.annotations}'",
    /kubectl\.kubernetes\.io\/last-applied-configuration.*\\"replicas\\":3/,
  ],
  ["create --raw /api/v1/namespaces/team/configmaps -f node.json", /BadRequest/, 1],
];

const dryRuns: Row[] = [
  ["create namespace dry --dry-run=server", "namespace/dry created (server dry run)"],
  ["create namespace dry --dry-run=client -o name", "namespace/dry"],
  [
    "run dry --image=nginx --dry-run=server -o jsonpath='{.spec.schedulerName}'",
    "default-scheduler",
  ],
  ["apply -f config.yaml --dry-run=server", "configmap/settings created (server dry run)"],
  ["get namespace dry", 'Error from server (NotFound): namespaces "dry" not found', 1],
  ["get cm settings", 'Error from server (NotFound): configmaps "settings" not found', 1],
];

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const refusals: Row[] = [
  [
    "create -f pod.yaml",
    'Error from server (AlreadyExists): error when creating "pod.yaml": pods "web" already exists',
    1,
  ],
  [
    "create namespace team",
    'Error from server (AlreadyExists): namespaces "team" already exists',
    1,
  ],
  ["create configmap cfg", 'error: failed to create configmap: configmaps "cfg" already exists', 1],
  [
    "create -f invalid.yaml",
    [
      'The Pod "Bad_Name" is invalid: ',
      `* metadata.name: Invalid value: "Bad_Name": ${subdomain}`,
      "* spec.containers[0].image: Required value",
      "* spec.containers[0].ports[0].containerPort: Invalid value: 99999: must be between 1 and 65535, inclusive",
      "* spec.containers[1].image: Required value",
      '* spec.containers[1].name: Duplicate value: "c"',
      '* spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
    ],
    1,
  ],
  [
    "create deployment d --image=x --replicas=-1",
    'error: failed to create deployment: Deployment.apps "d" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    1,
  ],
  [
    "create secret generic s --type=kubernetes.io/tls",
    'error: failed to create secret Secret "s" is invalid: [data[tls.crt]: Required value, data[tls.key]: Required value]',
    1,
  ],
  [
    "create service nodeport low --tcp=80 --node-port=80",
    'error: failed to create NodePort service: Service "low" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
    1,
  ],
  [
    "create service clusterip twice --tcp=80 --clusterip=10.0.0.50",
    'error: failed to create ClusterIP service: Service "twice" is invalid: spec.clusterIPs: Invalid value: ["10.0.0.50"]: failed to allocate IP 10.0.0.50: provided IP is already allocated',
    1,
  ],
  [
    "create -f unknown-field.yaml",
    'Error from server (BadRequest): error when creating "unknown-field.yaml": Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.containers[0].imagePolicy", unknown field "spec.containrs"',
    1,
  ],
  [
    "create -f unknown-field.yaml --validate=warn",
    [
      "pod/typo created",
      'Warning: unknown field "spec.containers[0].imagePolicy"',
      'Warning: unknown field "spec.containrs"',
    ],
  ],
  ["delete pod typo", 'pod "typo" deleted'],
  ["create -f unknown-field.yaml --validate=ignore", "pod/typo created"],
  [
    "create configmap x -n nowhere",
    'error: failed to create configmap: namespaces "nowhere" not found',
    1,
  ],
  [
    "create -f elsewhere.yaml -n team",
    'error: the namespace from the provided object "elsewhere" does not match the namespace "team". You must pass \'--namespace=elsewhere\' to perform this operation.',
    1,
  ],
  [
    "create -f elsewhere.yaml",
    'Error from server (NotFound): error when creating "elsewhere.yaml": namespaces "elsewhere" not found',
    1,
  ],
  ["create -f no-version.yaml", /apiVersion not set/, 1],
  ["create -f other-version.yaml", /no matches for kind "Pod" in version "v2"/, 1],
  [
    "create configmap big --from-file=$(command -v kubectl)",
    "error: failed to create configmap: Request entity too large: limit is 3145728",
    1,
  ],
  ["create job j --image=x", "job.batch/j created"],
  ["apply -f config.yaml", "configmap/settings created"],
  ["apply -f changed-config.yaml", "configmap/settings configured"],
];

/** A line of these words, whatever stands between them. */
function lineOf(words: string): RegExp {
  const pattern = words.replaceAll(/[.\\/]/g, "\\$&").replaceAll(" ", "\\s+");
  return new RegExp(`(^|\\n)${pattern}(\\n|$)`);
}
