import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith, requires } from "../requires.ts";
import {
  type Follower,
  openTour,
  type Row,
  readable,
  type Tour,
  testCommands,
} from "./kubectl.test-support.ts";
import { manifests } from "./kubectl-manifests.test-support.ts";

describeWith(requires("kubectl"))("kubectl changes and deletes", () => {
  let tour: Tour;
  beforeAll(async () => {
    tour = await openTour(manifests);
    const created = [
      "create -f node.json -f pod.yaml -f deployment.yaml -f config.yaml",
      "run solo --image=nginx",
      "create namespace team",
      "create service clusterip api --tcp=80",
      "create service clusterip web --tcp=80",
    ];
    for (const line of created) expect(await tour.run(line)).toMatchObject({ code: 0 });
  });
  afterAll(() => tour.close());

  testCommands(() => tour, [...labels, ...patches, ...waits, ...replacements]);

  test("kubectl get -w: shows what there is, then every change", async () => {
    const changes = tour.follow("get configmaps --watch-only -o name");
    await untilWatching(tour, changes);
    const all = tour.follow("get configmaps -w --output-watch-events");
    const one = tour.follow("get configmap settings -w");
    const selected = tour.follow(
      `get configmaps -l w -w --output-watch-events -o jsonpath='${event}'`,
    );
    expect(await tour.run("label cm settings w=1")).toMatchObject({ code: 0 });
    await Promise.all([
      all.until(/MODIFIED {2}settings|ADDED {2}settings/),
      one.until(/settings/),
      selected.until(/ADDED settings/),
    ]);
    for (const line of [
      "create cm seen",
      "label cm seen w=1",
      "label cm seen w-",
      "delete cm seen",
    ])
      expect(await tour.run(line)).toMatchObject({ code: 0 });
    const shown = ["ADDED", "MODIFIED", "MODIFIED", "DELETED"].map(
      (type) => `${type}  seen  0  0s`,
    );
    expect(await all.until(/DELETED/)).toContain(shown.join("\n"));
    expect(await selected.until(/DELETED/)).toContain("ADDED seen\nDELETED seen");
    await changes.until(/settings(\nconfigmap\/seen){4}$/);
    expect(await one.until(/./)).not.toContain("seen");
  });

  test("kubectl events -w: events come as they happen, in protobuf", async () => {
    const events = tour.follow("events -w");
    expect(await tour.run("create -f list.json")).toMatchObject({ code: 0 });
    await events.until(/Normal {2}Pulled {2}Pod\/web {2}Image is there$/);
  });

  test("kubectl wait: for what is created, reached and deleted while it waits", async () => {
    const created = tour.run("wait --for=create configmap/awaited --timeout=10s");
    expect(await tour.run("create configmap awaited --from-literal=state=no")).toMatchObject({
      code: 0,
    });
    expect(readable(await created)).toEqual({
      code: 0,
      printed: "configmap/awaited condition met",
    });
    const reached = tour.run(
      "wait --for=jsonpath='{.data.state}'=yes configmap/awaited --timeout=10s",
    );
    const patch = 'patch configmap awaited --type merge -p \'{"data":{"state":"yes"}}\'';
    expect(await tour.run(patch)).toMatchObject({ code: 0 });
    expect(readable(await reached)).toEqual({
      code: 0,
      printed: "configmap/awaited condition met",
    });
    const deleted = tour.run("wait --for=delete configmap/awaited --timeout=10s");
    expect(await tour.run("delete configmap awaited")).toMatchObject({ code: 0 });
    expect(await deleted).toMatchObject({ code: 0 });
  });

  testCommands(() => tour, deletions);
});

/** A watch that shows nothing at first has begun when it shows a change. */
async function untilWatching(tour: Tour, watch: Follower): Promise<void> {
  let begun = false;
  const first = watch.until(/./).then(() => {
    begun = true;
  });
  for (let n = 0; !begun; n++) await tour.run(`annotate cm settings poke=${n} --overwrite`);
  await first;
}

const event = '{.type} {.object.metadata.name}{"\\n"}';

const invalidKey =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

const labels: Row[] = [
  ["label pod web color=red", "pod/web labeled"],
  ["label pod web color=red", "pod/web not labeled"],
  [
    "label pod web color=blue",
    "error: 'color' already has a value (red), and --overwrite is false",
    1,
  ],
  ["label pod web color=blue --overwrite", "pod/web labeled"],
  ["label pod web color-", "pod/web unlabeled"],
  ["label pods --all seen=yes", ["pod/solo labeled", "pod/web labeled"]],
  ["label node node-1 zone=a --dry-run=server", "node/node-1 labeled (server dry run)"],
  ["label node node-1 --list", "node-role.kubernetes.io/worker="],
  ["label pod nope a=b", 'Error from server (NotFound): pods "nope" not found', 1],
  [
    "label pod web 'bad key=x'",
    `The Pod "web" is invalid: metadata.labels: Invalid value: "bad key": ${invalidKey}`,
    1,
  ],
  ["annotate pod web note=hi", "pod/web annotated"],
  ["annotate pod web note-", "pod/web annotated"],
  [
    "get pod web --show-labels --no-headers",
    "web  0/1  Pending  0  1s  app=web,seen=yes,tier=front",
  ],
];

const rejected =
  "The request is invalid: the server rejected our request due to an error in our request";

const patches: Row[] = [
  ['patch pod web --type merge -p \'{"metadata":{"labels":{"tier":null}}}\'', "pod/web patched"],
  [
    'patch deploy shop --type json -p \'[{"op":"replace","path":"/spec/replicas","value":5}]\'',
    "deployment.apps/shop patched",
  ],
  [
    'patch deploy shop --type merge -p \'{"spec":{"replicas":5}}\'',
    "deployment.apps/shop patched (no change)",
  ],
  ["get deploy shop -o jsonpath='{.spec.replicas} {.metadata.generation}'", "5 2"],
  [
    'patch deploy shop --type json -p \'[{"op":"test","path":"/spec/replicas","value":9}]\'',
    rejected,
    1,
  ],
  ['patch deploy shop --type json -p \'[{"op":"remove","path":"/spec/nope"}]\'', rejected, 1],
  [
    "patch deploy shop --type json -p '{}'",
    "Error from server (BadRequest): error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
    1,
  ],
  [
    'patch pod web --type merge -p \'{"spec":{"restartPolicy":"Never"}}\'',
    /^The Pod "web" is invalid: spec: Forbidden: pod updates may not change fields other than (.|\n)*\n- "RestartPolicy": "Always",\n\+ "RestartPolicy": "Never",\n/,
    1,
  ],
  [
    'patch pod web --type merge -p \'{"spec":{"nope":1}}\'',
    ["pod/web patched (no change)", 'Warning: unknown field "spec.nope"'],
  ],
  [
    'patch pod web --type merge -p \'{"metadata":{"name":"x"}}\'',
    "Error from server (BadRequest): the name of the object (x) does not match the name on the URL (web)",
    1,
  ],
  [
    'patch pod web --type merge -p \'{"metadata":{"resourceVersion":"1"}}\'',
    'Error from server (Conflict): Operation cannot be fulfilled on pods "web": the object has been modified; please apply your changes to the latest version and try again',
    1,
  ],
  ['patch pod web -p \'{"metadata":{"labels":{"a":"b"}}}\'', "pod/web patched"],
  [
    'patch pod web --subresource status --type merge -p \'{"status":{"phase":"Running","podIP":"10.1.0.7","podIPs":[{"ip":"10.1.0.7"}],"conditions":[{"type":"Ready","status":"True"}]}}\'',
    "pod/web patched",
  ],
  [
    'patch pod web --subresource status --type merge -p \'{"metadata":{"annotations":{"a":"b"}},"spec":{"nodeName":"other"}}\'',
    "pod/web patched",
  ],
  [
    "get pod web -o jsonpath='{.status.podIP} {.spec.nodeName} {.metadata.annotations}'",
    '10.1.0.7 node-1 {"a":"b"}',
  ],
  [
    'patch node node-1 --subresource status --type merge -p \'{"status":{"conditions":[{"type":"Ready","status":"True"}],"nodeInfo":{"kubeletVersion":"v1.36.0"}}}\'',
    "node/node-1 patched",
  ],
  ["get node node-1 --no-headers", "node-1   Ready   worker   1s   v1.36.0"],
];

const waits: Row[] = [
  ["wait pod/web --for=condition=Ready --timeout=5s", "pod/web condition met"],
  ["wait node --all --for=condition=Ready --timeout=5s", "node/node-1 condition met"],
  ["wait pod/web --for=jsonpath='{.status.phase}'=Running --timeout=5s", "pod/web condition met"],
  [
    "wait pod/web --for=condition=Nope --timeout=10ms",
    /^error: timed out waiting for the condition on pods\/web$/,
    1,
  ],
  [
    "wait pod/nope --for=condition=Ready --timeout=5s",
    'Error from server (NotFound): pods "nope" not found',
    1,
  ],
];

const replacements: Row[] = [
  [
    "replace -f old-config.yaml",
    'Error from server (Conflict): error when replacing "old-config.yaml": Operation cannot be fulfilled on configmaps "settings": the object has been modified; please apply your changes to the latest version and try again',
    1,
  ],
  ["replace -f changed-config.yaml", "configmap/settings replaced"],
  ["get cm settings -o jsonpath='{.data.a}'", "2"],
  [
    "replace --force -f config.yaml",
    ['configmap "settings" deleted', "configmap/settings replaced"],
  ],
  [
    "replace -f replicaset.yaml",
    'Error from server (NotFound): error when replacing "replicaset.yaml": replicasets.apps "shop-1" not found',
    1,
  ],
];

const immediately =
  "Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.";

const deletions: Row[] = [
  ["delete pod solo", 'pod "solo" deleted'],
  ["delete pod solo", 'Error from server (NotFound): pods "solo" not found', 1],
  ["delete pod web --wait=false", 'pod "web" deleted'],
  ["get pod web --no-headers", "web  0/1  Terminating  0  1s"],
  ["get pod web -o jsonpath='{.metadata.deletionGracePeriodSeconds}'", "30"],
  ["delete pod web --grace-period=5 --wait=false", 'pod "web" deleted'],
  ["get pod web -o jsonpath='{.metadata.deletionGracePeriodSeconds}'", "5"],
  ["delete pod web --grace-period=0 --force", ['pod "web" force deleted', immediately]],
  ["delete svc -l app=web --dry-run=server", 'service "web" deleted (server dry run)'],
  ["delete svc -l app=web", 'service "web" deleted'],
  ["delete svc -l app=web", "No resources found"],
  ["delete cm --all -n team", "No resources found"],
  ["delete cm --all", 'configmap "settings" deleted'],
  ["delete deploy shop --cascade=orphan --wait=false", 'deployment.apps "shop" deleted'],
  ["get deploy shop -o jsonpath='{.metadata.finalizers}'", '["orphan"]'],
  [
    'patch deploy shop --type merge -p \'{"metadata":{"finalizers":null}}\'',
    "deployment.apps/shop patched",
  ],
  ["get deploy shop", 'Error from server (NotFound): deployments.apps "shop" not found', 1],
  ["delete -f deployment.yaml --ignore-not-found", ""],
  [
    "delete node/node-1 svc/api lease/lock",
    ['node "node-1" deleted', 'service "api" deleted', 'lease.coordination.k8s.io "lock" deleted'],
  ],
  ["delete pods", "error: resource(s) were provided, but no name was specified", 1],
  ["delete gadget x", 'error: the server doesn\'t have a resource type "gadget"', 1],
  [
    "delete ns default",
    'Error from server (Forbidden): namespaces "default" is forbidden: this namespace may not be deleted',
    1,
  ],
  ["delete ns team --wait=false", 'namespace "team" deleted'],
  ["get ns team --no-headers", "team  Terminating  1s"],
  [
    "create cm late -n team",
    'error: failed to create configmap: configmaps "late" is forbidden: unable to create new content in namespace team because it is being terminated',
    1,
  ],
];
