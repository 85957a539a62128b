import { get } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith, requires } from "../requires.ts";
import { openTour, type Row, type Tour, testCommands } from "./kubectl.test-support.ts";
import { certificateRequest } from "./kubectl-kinds-manifests.test-support.ts";

const json = (kind: string, name: string, more: object): string =>
  JSON.stringify({ apiVersion: "v1", kind, metadata: { name }, ...more });

const signing = (name: string): string =>
  json("CertificateSigningRequest", name, {
    apiVersion: "certificates.k8s.io/v1",
    spec: { signerName: "example.com/x", usages: ["client auth"], request: certificateRequest },
  });

const files = {
  "node.json": json("Node", "n1", {}),
  "pod.json": json("Pod", "web", {
    metadata: { name: "web", labels: { app: "web" } },
    spec: { nodeName: "n1", containers: [{ name: "c", image: "i" }] },
  }),
  "one.json": signing("one"),
  "two.json": signing("two"),
  "kustomization.yaml": "namePrefix: k-\nresources: [settings.yaml]\n",
  "settings.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\n",
};

const notFound = (what: string): string => `Error from server (NotFound): ${what} not found`;

const made: Row[] = [
  [
    "create -f node.json -f one.json -f two.json",
    [
      "node/n1 created",
      "certificatesigningrequest.certificates.k8s.io/one created",
      "certificatesigningrequest.certificates.k8s.io/two created",
    ],
  ],
  ["create -f pod.json", "pod/web created"],
  ["create deployment shop --image=shop:1 --replicas=2", "deployment.apps/shop created"],
  ["create ingress web --rule=example.com/=svc:80", "ingress.networking.k8s.io/web created"],
  ["create quota q --hard=pods=9", "resourcequota/q created"],
  ["create pdb p --selector=app=other --min-available=1", "poddisruptionbudget.policy/p created"],
  ["create priorityclass high --value=1000", "priorityclass.scheduling.k8s.io/high created"],
  [
    "create priorityclass higher --value=2000000000",
    'error: failed to create priorityclass: PriorityClass.scheduling.k8s.io "higher" is invalid: value: Forbidden: maximum allowed value of a user defined priority is 1000000000',
    1,
  ],
  ["create cronjob tick --image=x --schedule='*/5 * * * *'", "cronjob.batch/tick created"],
  [
    "create cronjob bad --image=x --schedule=nonsense",
    'error: failed to create cronjob: CronJob.batch "bad" is invalid: spec.schedule: Invalid value: "nonsense": expected exactly 5 fields, found 1: [nonsense]',
    1,
  ],
  ["create job from --from=cronjob/tick", "job.batch/from created"],
  ["create job from --from=cronjob/none", notFound('cronjobs.batch "none"'), 1],
  ["create role r --verb=get --resource=pods", "role.rbac.authorization.k8s.io/r created"],
  [
    "create clusterrole agg --aggregation-rule=a=b",
    "clusterrole.rbac.authorization.k8s.io/agg created",
  ],
  [
    "create rolebinding rb --role=r --user=jane",
    "rolebinding.rbac.authorization.k8s.io/rb created",
  ],
  [
    "set subject rolebinding rb --user=joe",
    "rolebinding.rbac.authorization.k8s.io/rb subjects updated",
  ],
  [
    "get rolebinding rb -o wide",
    ["NAME  ROLE  AGE  USERS  GROUPS  SERVICEACCOUNTS", "rb  Role/r  0s  jane, joe"],
  ],
  ["apply -k .", "configmap/k-settings created"],
  ["diff -k .", ""],
  ["delete -k .", 'configmap "k-settings" deleted'],
];

const rolledOut: Row[] = [
  ["rollout history deploy/shop", ["deployment.apps/shop ", "No rollout history found."]],
  ["rollout history deploy/nope", notFound('deployments.apps "nope"'), 1],
  [
    "rollout status deploy/shop --timeout=100ms",
    [
      "Waiting for deployment spec update to be observed...",
      "error: timed out waiting for the condition",
    ],
    1,
  ],
  ["rollout status deploy/nope", notFound('deployments.apps "nope"'), 1],
  ["rollout undo deploy/shop", 'error: no rollout history found for deployment "shop"', 1],
  [
    "autoscale deploy shop --min=1 --max=3 --cpu-percent=80",
    /horizontalpodautoscaler\.autoscaling\/shop autoscaled$/m,
  ],
  [
    "get hpa shop -o jsonpath='{.spec.minReplicas} {.spec.maxReplicas} {.spec.metrics[0].resource.target.averageUtilization}'",
    "1 3 80",
  ],
  [
    "autoscale deploy shop --max=3",
    /Error from server \(AlreadyExists\): horizontalpodautoscalers\.autoscaling "shop" already exists$/m,
    1,
  ],
  [
    "scale deploy shop --replicas=3 --current-replicas=9",
    "error: Expected replicas to be 9, was 2",
    1,
  ],
  ["scale deploy shop --replicas=4 --current-replicas=2", "deployment.apps/shop scaled"],
  [
    "scale deploy nope --replicas=1",
    'error: no objects passed to scale deployments.apps "nope" not found',
    1,
  ],
  [
    "scale pod/web --replicas=0",
    "Error from server (NotFound): the server could not find the requested resource",
    1,
  ],
  ["delete deploy shop --cascade=foreground --wait=false", 'deployment.apps "shop" deleted'],
  ["get deploy shop -o jsonpath='{.metadata.finalizers}'", '["foregroundDeletion"]'],
];

const operated: Row[] = [
  ["certificate approve one", "certificatesigningrequest.certificates.k8s.io/one approved"],
  ["certificate deny two", "certificatesigningrequest.certificates.k8s.io/two denied"],
  ["certificate approve two", 'error: certificate signing request "two" is already Denied', 1],
  [
    "certificate approve nope",
    notFound('certificatesigningrequests.certificates.k8s.io "nope"'),
    1,
  ],
  [
    "get csr",
    [
      "NAME  AGE  SIGNERNAME  REQUESTOR  REQUESTEDDURATION  CONDITION",
      "one  0s  example.com/x  admin  <none>  Approved",
      "two  0s  example.com/x  admin  <none>  Denied",
    ],
  ],
  ["top nodes", "error: Metrics API not available", 1],
  ["top pods", "error: Metrics API not available", 1],
  ["cordon n1", "node/n1 cordoned"],
  [
    "drain n1 --dry-run=server --force",
    [
      "node/n1 already cordoned (server dry run)",
      "evicting pod default/web (server dry run)",
      "node/n1 drained (server dry run)",
      "Warning: deleting Pods that declare no controller: default/web",
    ],
  ],
  ["get node n1 --no-headers", "n1  Unknown,SchedulingDisabled  <none>  0s"],
  ["debug web --image=busybox -c looker --profile=general", ""],
  ["get pod web -o jsonpath='{.spec.ephemeralContainers[*].name}'", "looker"],
  ["logs nope", /pods "nope" not found/, 1],
  ["exec nope -- ls", notFound('pods "nope"'), 1],
  ["attach nope", notFound('pods "nope"'), 1],
  ["port-forward pod/nope 8080", notFound('pods "nope"'), 1],
  ["cp nope:/a a", notFound('pods "nope"'), 1],
  ["expose pod web --port=80 --name=front", "service/front exposed"],
  ["expose deploy nope --port=80", notFound('deployments.apps "nope"'), 1],
  ["set selector svc front app=other", "service/front selector updated"],
  [
    "delete --raw /api/v1/namespaces/default/services/front",
    /^\{"kind":"Service","apiVersion":"v1","metadata":\{"name":"front"/,
  ],
  [
    "replace --raw /api/v1/namespaces/default/pods/web -f node.json",
    'Error from server (BadRequest): Node in version "v1" cannot be handled as a Pod: converting (v1.Node) to (core.Pod): unknown conversion',
    1,
  ],
  [
    "annotate pod web a=b --resource-version=1",
    'Error from server (Conflict): Operation cannot be fulfilled on pods "web": the object has been modified; please apply your changes to the latest version and try again',
    1,
  ],
  [
    'patch pod web --subresource=status --type=merge -p \'{"status":{"phase":"Failed"}}\'',
    "pod/web patched",
  ],
  ["wait pod/web --for=jsonpath='{.status.phase}'=Failed --timeout=5s", "pod/web condition met"],
  ["wait --for=delete pod/nope --timeout=1s", ""],
  ["get pods -o jsonpath-as-json='{.items[*].metadata.name}'", ["[", '  "web"', "]"]],
  ["get pods -o go-template='{{len .items}}'", "1"],
  ["get pods --sort-by=.metadata.creationTimestamp -o name", "pod/web"],
  ["events --types=Warning", "No events found in default namespace."],
  [
    "api-resources --api-group=batch",
    [
      "NAME  SHORTNAMES  APIVERSION  NAMESPACED  KIND",
      "cronjobs  cj  batch/v1  true  CronJob",
      "jobs  batch/v1  true  Job",
    ],
  ],
  [
    "explain cronjob.spec.jobTemplate",
    /^GROUP: +batch$(.|\n)*^FIELD: jobTemplate <JobTemplateSpec>$/m,
  ],
  ["get componentstatuses", /^Warning: v1 ComponentStatus is deprecated in v1\.19\+$/m],
  ["cluster-info dump -o json", /"kind": "PodList"/],
  [
    "get --raw /apis/nope",
    "Error from server (NotFound): the server could not find the requested resource",
    1,
  ],
  ["auth can-i get pods --subresource=log --as=nobody", "no", 1],
];

describeWith(requires("kubectl"))("kubectl operates a cluster", () => {
  let tour: Tour;
  beforeAll(async () => {
    tour = await openTour(files);
  });
  afterAll(() => tour.close());

  testCommands(() => tour, made);
  testCommands(() => tour, rolledOut);
  testCommands(() => tour, operated);

  test("kubectl get -w --output-watch-events", async () => {
    await tour.run("create cm first");
    const watch = tour.follow("get cm -w --output-watch-events --no-headers");
    await watch.until(/ADDED +first/);
    for (const line of ["create cm seen", "label cm seen a=b", "delete cm seen"])
      expect((await tour.run(line)).code).toBe(0);
    const printed = await watch.until(/DELETED/);
    expect(printed.match(/\w+ +seen/g)).toEqual(["ADDED  seen", "MODIFIED  seen", "DELETED  seen"]);
    await watch.stop();
  });

  test("kubectl proxy", async () => {
    const proxy = tour.follow("proxy --port=0");
    const printed = await proxy.until(/Starting to serve on 127\.0\.0\.1:\d+/);
    const [, port] = /:(\d+)/.exec(printed) ?? [];
    const status = await new Promise((resolve, reject) => {
      const path = "/api/v1/namespaces/default/pods/web";
      get({ port: Number(port), path }, (response) => {
        response.resume().on("end", () => resolve(response.statusCode));
      }).on("error", reject);
    });
    expect(status).toBe(200);
    await proxy.stop();
  });
});
