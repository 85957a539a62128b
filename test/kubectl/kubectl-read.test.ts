import { afterAll, beforeAll, expect } from "vitest";
import { describeWith, requires } from "../requires.ts";
import { openTour, type Row, type Tour, testCommands } from "./kubectl.test-support.ts";
import { manifests } from "./kubectl-manifests.test-support.ts";

describeWith(requires("kubectl"))("kubectl reads", () => {
  let tour: Tour;
  beforeAll(async () => {
    tour = await openTour(manifests);
    const names = ["node.json", "pod.yaml", "deployment.yaml", "replicaset.yaml", "list.json"];
    const created = [
      `create -f ${names.join(" -f ")}`,
      "run solo --image=nginx --labels=tier=back",
      "create configmap cfg --from-literal=a=1",
      "create secret generic pw --from-literal=user=me",
      "create service nodeport np --tcp=80 --node-port=30080",
      "create service loadbalancer lb --tcp=443",
    ];
    for (const line of created) expect(await tour.run(line)).toMatchObject({ code: 0 });
  });
  afterAll(() => tour.close());

  testCommands(() => tour, [...outputs, ...selections, ...tables, ...missing]);
  testCommands(() => tour, [...descriptions, ...explanations]);
});

const outputs: Row[] = [
  ["get pods -o name", ["pod/solo", "pod/web"]],
  ["get pod web -o json", /^\{\n {2}"apiVersion": "v1",\n {2}"kind": "Pod",\n {2}"metadata": \{/],
  ["get pods -o json", /"kind": "List"/],
  [
    "get pod web -o yaml",
    /^apiVersion: v1\nkind: Pod\n(.*\n)*status:\n {2}phase: Pending\n {2}qosClass: Burstable$/,
  ],
  ["get pods -o jsonpath='{.items[*].metadata.name}'", "solo web"],
  ["get pods -o go-template='{{range .items}}{{.metadata.name}};{{end}}'", "solo;web;"],
  [
    "get pods -o custom-columns=NAME:.metadata.name,IMAGE:.spec.containers[0].image",
    ["NAME   IMAGE", "solo   nginx", "web    nginx:1.27"],
  ],
  ["get -f pod.yaml -o name", "pod/web"],
  ["get deploy.apps/shop -o jsonpath='{.spec.replicas}'", "3"],
  ["get deployments.v1.apps -o name", "deployment.apps/shop"],
  ["get pod web --subresource=status -o jsonpath='{.status.phase}'", "Pending"],
  [
    "get --raw '/api/v1/namespaces/default/pods?limit=1'",
    /^\{"kind":"PodList","apiVersion":"v1","metadata":\{"resourceVersion":"\d+","continue":".+","remainingItemCount":1\}/,
  ],
  ["get pods --chunk-size=1 -o name", ["pod/solo", "pod/web"]],
  [
    "get pods -o nonsense",
    /^error: unable to match a printer suitable for the output format "nonsense"/,
    1,
  ],
];

const selections: Row[] = [
  ["get pods -l app=web -o name", "pod/web"],
  ["get pods -l 'tier in (front,back),app' -o name", "pod/web"],
  ["get pods -l '!app' -o name", "pod/solo"],
  ["get pods --field-selector spec.nodeName=node-1 -o name", "pod/web"],
  ["get pods --field-selector metadata.name!=web,status.phase=Pending -o name", "pod/solo"],
  ["get pods --field-selector status.phase=Running", "No resources found in default namespace."],
  ["get secrets --field-selector type=Opaque -o name", "secret/pw"],
  ["get events --field-selector involvedObject.name=web -o name", "event/web.1"],
  [
    "get pods --field-selector spec.nope=a",
    'Error from server (BadRequest): Unable to find "/v1, Resource=pods" that match label selector "", field selector "spec.nope=a": field label not supported: spec.nope',
    1,
  ],
  [
    "get pods -l 'a in ('",
    "Error from server (BadRequest): Unable to find \"/v1, Resource=pods\" that match label selector \"a in (\", field selector \"\": unable to parse requirement: found '', expected: ',', ')' or identifier",
    1,
  ],
];

const tables: Row[] = [
  [
    "get pods -A --show-labels",
    [
      "NAMESPACE   NAME   READY   STATUS    RESTARTS   AGE   LABELS",
      "default     solo   0/1     Pending   0          1s    tier=back",
      "default     web    0/1     Pending   0          1s    app=web,tier=front",
    ],
  ],
  [
    "get pods -o wide --sort-by='{.metadata.labels.tier}'",
    [
      "NAME   READY   STATUS    RESTARTS   AGE   IP       NODE     NOMINATED NODE   READINESS GATES",
      "solo   0/1     Pending   0          1s    <none>   <none>   <none>           <none>",
      "web    0/1     Pending   0          1s    <none>   node-1   <none>           <none>",
    ],
  ],
  [
    "get pods -L app,tier --no-headers",
    [
      "solo   0/1   Pending   0     1s          back",
      "web    0/1   Pending   0     1s    web   front",
    ],
  ],
  ["get pods --server-print=false", ["NAME   AGE", "solo   1s", "web    1s"]],
  [
    "get deployment,replicaset -o wide",
    [
      "NAME                   READY   UP-TO-DATE   AVAILABLE   AGE   CONTAINERS   IMAGES   SELECTOR",
      "deployment.apps/shop   0/3     0            0           1s    shop         shop:1   app=shop",
      "",
      "NAME                     DESIRED   CURRENT   READY   AGE   CONTAINERS   IMAGES   SELECTOR",
      "replicaset.apps/shop-1   3         0         0       1s    shop         shop:1   app=shop",
    ],
  ],
  [
    "get services | sed -E 's/10\\.0\\.0\\.[0-9]+/IP/; s/443:[0-9]+/443:PORT/'",
    [
      "NAME   TYPE           CLUSTER-IP   EXTERNAL-IP   PORT(S)         AGE",
      "kubernetes   ClusterIP   IP   <none>   443/TCP   1s",
      "lb     LoadBalancer   IP           <pending>     443:PORT/TCP   1s",
      "np     NodePort       IP           <none>        80:30080/TCP    1s",
    ],
  ],
  [
    "get nodes",
    ["NAME     STATUS    ROLES    AGE   VERSION", "node-1   Unknown   worker   1s    "],
  ],
  [
    "get cm,secret",
    [
      "NAME            DATA   AGE",
      "configmap/cfg   1      1s",
      "",
      "NAME        TYPE     DATA   AGE",
      "secret/pw   Opaque   1      1s",
    ],
  ],
  ["get serviceaccounts", ["NAME      AGE", "default   1s"]],
  ["get leases", ["NAME   HOLDER   AGE", "lock   me       1s"]],
  [
    "get events",
    /^LAST SEEN {2}TYPE {2}REASON {2}OBJECT {2}MESSAGE\n\S+ {2}Normal {2}Pulled {2}pod\/web {2}Image is there$/,
  ],
  ["get events.events.k8s.io -o jsonpath='{.items[0].note}'", "Image is there"],
  ["events --for pod/web", /\(x2 over \S+\) {2}Normal {2}Pulled {2}Pod\/web {2}Image is there$/],
  [
    "get configmaps -n kube-system -o name",
    [
      "configmap/extension-apiserver-authentication",
      "configmap/kube-apiserver-legacy-service-account-token-tracking",
    ],
  ],
  [
    "get apiservices v1.apps",
    ["NAME      SERVICE   AVAILABLE   AGE", "v1.apps   Local     True        1s"],
  ],
  [
    "get flowschemas probes",
    [
      "NAME     PRIORITYLEVEL   MATCHINGPRECEDENCE   DISTINGUISHERMETHOD   AGE   MISSINGPL",
      "probes   exempt          2                    <none>                1s    False",
    ],
  ],
  [
    "get all -o name",
    [
      "pod/solo",
      "pod/web",
      "service/kubernetes",
      "service/lb",
      "service/np",
      "deployment.apps/shop",
      "replicaset.apps/shop-1",
    ],
  ],
  ["get pod/web svc/np", /^NAME {2}READY(.|\n)*pod\/web(.|\n)*\n\nNAME {2}TYPE(.|\n)*service\/np/],
];

const missing: Row[] = [
  ["get pod nope", 'Error from server (NotFound): pods "nope" not found', 1],
  ["get deployment nope", 'Error from server (NotFound): deployments.apps "nope" not found', 1],
  [
    "get pod web nope -o name",
    ["pod/web", 'Error from server (NotFound): pods "nope" not found'],
    1,
  ],
  ["get pod nope --ignore-not-found", ""],
  ["get gadgets", 'error: the server doesn\'t have a resource type "gadgets"', 1],
  ["get pods -n nowhere", "No resources found in nowhere namespace."],
  ["get pod web -n nowhere", 'Error from server (NotFound): namespaces "nowhere" not found', 1],
  [
    "get --raw /api/v1/gadgets",
    "Error from server (NotFound): the server could not find the requested resource",
    1,
  ],
  ["describe pod nope", 'Error from server (NotFound): pods "nope" not found', 1],
];

const descriptions: Row[] = [
  [
    "describe ns default",
    /^Name: {2}default\nLabels: {2}kubernetes\.io\/metadata\.name=default\n(.*\n)*Status: {2}Active/,
  ],
  ["describe cm cfg", /^Name: {2}cfg\n(.*\n)*Data\n====\na:\n----\n1\n/],
  ["describe secret pw", /^Type: {2}Opaque\n\nData\n====\nuser: {2}2 bytes$/m],
  ["describe sa default", /^Name: {2}default\n(.*\n)*Tokens: {2}<none>/],
  [
    "describe pod web",
    /^Name: {2}web\n(.*\n)*Node: {2}node-1\/\n(.*\n)*QoS Class: {2}Burstable\n(.*\n)*Events:/,
  ],
  ["describe pods -l tier=back", /^Name: {2}solo$/m],
  [
    "describe node node-1",
    /^Taints: {2}node\.kubernetes\.io\/not-ready:NoSchedule\n(.*\n)*Non-terminated Pods: {2}\(1 in total\)\n(.*\n)* {2}default {2}web {2}100m \(2%\)/m,
  ],
  ["describe service np", /^Type: {2}NodePort\n(.*\n)*NodePort: {2}80 {2}30080\/TCP\n/m],
  ["describe lease lock", /^ {2}Holder Identity: {2}me\n {2}Lease Duration Seconds: {2}15$/m],
  ["describe event web.1", /^Message: {2}Image is there$/m],
  [
    "describe deployment shop",
    /^Replicas: {2}3 desired \| 0 updated \| 0 total \| 0 available \| 0 unavailable$/m,
  ],
  ["describe rs shop-1", /^Replicas: {2}0 current \/ 3 desired$/m],
];

const explanations: Row[] = [
  ...[
    "namespace",
    "configmap",
    "secret",
    "serviceaccount",
    "pod",
    "node",
    "service",
    "event",
    "lease",
    "deployment",
    "replicaset",
  ].map(
    (kind): Row => [
      `explain ${kind}`,
      new RegExp(
        `^(GROUP:.*\\n)?KIND: {2}${kind}\\nVERSION: {2}v1\\n\\nDESCRIPTION:\\n {2}\\S(.|\\n)*FIELDS:\\n {2}\\w+\\t<(.|\\n)*metadata\\t<ObjectMeta>( -required-)?\\n {2}\\S`,
        "i",
      ),
    ],
  ),
  ["explain pod.spec.containers.resources.limits", /^FIELD: limits <map\[string\]Quantity>$/m],
  ["explain deployment.spec.strategy.rollingUpdate.maxSurge", /^FIELD: maxSurge <IntOrString>$/m],
  [
    "explain pod.spec.containers.imagePullPolicy",
    /^ENUM:\n {2}Always\n {2}IfNotPresent\n {2}Never$/m,
  ],
  [
    "explain lease.spec --recursive",
    /^FIELDS:\n {2}acquireTime\t<string>\n {2}holderIdentity\t<string>\n {2}leaseDurationSeconds\t<integer>\n {2}leaseTransitions\t<integer>\n {2}preferredHolder\t<string>\n {2}renewTime\t<string>\n {2}strategy\t<string>$/m,
  ],
  ["explain pod.spec --recursive", /^ {2}containers\t<\[\]Container> -required-$/m],
  ["explain pod.spec.nope", /error: field "nope" does not exist$/, 1],
  ["explain gadget", /the server doesn't have a resource type "gadget"$/, 1],
];
