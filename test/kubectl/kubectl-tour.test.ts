import { afterAll, beforeAll, describe, expect } from "vitest";
import { eventually } from "../eventually.ts";
import { openTour, type Row, type Tour, testCommands } from "./kubectl.test-support.ts";

let tour: Tour;
beforeAll(async () => {
  tour = await openTour({}, { nodes: 3 });
  const areReady = async (): Promise<void> => {
    const { printed } = await tour.run("get nodes --no-headers");
    expect(printed).toMatch(/^(node-\d +Ready .*\n){3}$/);
  };
  await eventually(areReady);
});
afterAll(() => tour.close());

const rolledOut = (name: string): Row => [
  `rollout status deployment/${name} --timeout=60s`,
  new RegExp(`deployment "${name}" successfully rolled out$`),
];
/** So many pods of a deployment, all of them running. */
const running = (count: number): RegExp =>
  new RegExp(
    `^NAME {2}READY {2}STATUS {2}RESTARTS {2}AGE(\\nweb-[0-9a-z]+-[0-9a-z]{5} {2}1/1 {2}Running {2}0 {2}0s){${count}}$`,
  );

describe("a deployment, from its first pod to its last", () => {
  testCommands(
    () => tour,
    [
      [
        "get nodes",
        [
          "NAME     STATUS   ROLES    AGE   VERSION",
          "node-1   Ready    <none>   1s    v1.36.0",
          "node-2   Ready    <none>   1s    v1.36.0",
          "node-3   Ready    <none>   1s    v1.36.0",
        ],
      ],
      ["create deployment web --image=nginx --replicas=3", "deployment.apps/web created"],
      rolledOut("web"),
      ["get pods", running(3)],
      [
        "get deployment web",
        [
          "NAME   READY   UP-TO-DATE   AVAILABLE   AGE",
          "web    3/3     3            3           1s",
        ],
      ],
      ["set image deployment/web nginx=nginx:1.29", "deployment.apps/web image updated"],
      rolledOut("web"),
      [
        "rollout history deployment/web",
        ["deployment.apps/web", "REVISION  CHANGE-CAUSE", "1         <none>", "2         <none>"],
      ],
      [
        "rollout history deployment/web --revision=2",
        /^deployment\.apps\/web with revision #2\nPod Template:\n {2}Labels:\tapp=web\n\tpod-template-hash=[0-9a-z]+\n {2}Containers:\n {2}nginx:\n {2}Image:\tnginx:1\.29\n/,
      ],
      ["rollout undo deployment/web", "deployment.apps/web rolled back"],
      rolledOut("web"),
      ["get deployment web -o jsonpath={..image}", "nginx"],
      [
        "rollout history deployment/web",
        ["deployment.apps/web", "REVISION  CHANGE-CAUSE", "2         <none>", "3         <none>"],
      ],
      [
        "rollout undo deployment/web --to-revision=9",
        "error: unable to find specified revision 9 in history",
        1,
      ],
      ["rollout restart deployment/web", "deployment.apps/web restarted"],
      rolledOut("web"),
      ["rollout pause deployment/web", "deployment.apps/web paused"],
      [
        "rollout undo deployment/web",
        /^error: you cannot rollback a paused deployment; resume it first with .kubectl rollout resume. and try again$/,
        1,
      ],
      ["rollout resume deployment/web", "deployment.apps/web resumed"],
      ["scale deployment/web --replicas=5", "deployment.apps/web scaled"],
      rolledOut("web"),
      ["get pods -l app=web", running(5)],
      [
        "scale deployment/web --replicas=1 --current-replicas=2",
        "error: Expected replicas to be 2, was 5",
        1,
      ],
      ["scale deployment/web --replicas=1", "deployment.apps/web scaled"],
      rolledOut("web"),
      [
        "wait deployment/web --for=jsonpath={.status.replicas}=1 --timeout=60s",
        "deployment.apps/web condition met",
      ],
    ],
  );
});

describe("three cascades of delete", () => {
  testCommands(
    () => tour,
    [
      ["delete deployment web --cascade=orphan", 'deployment.apps "web" deleted'],
      // What it owned stays, and is nobody's.
      ["get replicasets -o jsonpath={..ownerReferences}", ""],
      ["get pods -l app=web", /^NAME.*(\nweb-.*1\/1 {2}Running.*)+$/],
      [
        "delete replicasets -l app=web --cascade=foreground",
        /^(replicaset\.apps "web-[0-9a-z]+" deleted(\n|$))+$/,
      ],
      // In the foreground, owners go last: nothing is left to wait for.
      ["get pods,replicasets -l app=web", "No resources found in default namespace."],
      ["create deployment web --image=nginx", "deployment.apps/web created"],
      rolledOut("web"),
      ["delete deployment web --cascade=background", 'deployment.apps "web" deleted'],
      ["wait --for=delete pods -l app=web --timeout=60s", /^(pod\/web-\S+ condition met)?$/],
      [
        "wait --for=delete replicasets -l app=web --timeout=60s",
        /^(replicaset\.apps\/web-\S+ condition met)?$/,
      ],
      ["get all -l app=web", "No resources found in default namespace."],
    ],
  );
});

describe("a namespace goes with all that is in it", () => {
  testCommands(
    () => tour,
    [
      ["create namespace shop", "namespace/shop created"],
      ["-n shop create deployment web --image=nginx --replicas=2", "deployment.apps/web created"],
      ["-n shop create configmap settings --from-literal=a=b", "configmap/settings created"],
      ["-n shop rollout status deployment/web --timeout=60s", /successfully rolled out$/],
      ["delete namespace shop --timeout=60s", 'namespace "shop" deleted'],
      ["get namespace shop", 'Error from server (NotFound): namespaces "shop" not found', 1],
      ["-n shop get pods,configmaps", "No resources found in shop namespace."],
    ],
  );
});

describe("a node is drained as far as a budget allows", () => {
  const node = "$(kubectl get pods -l app=db -o jsonpath={.items[0].spec.nodeName})";
  testCommands(
    () => tour,
    [
      ["create deployment db --image=db --replicas=3", "deployment.apps/db created"],
      rolledOut("db"),
      [
        "create poddisruptionbudget db --selector=app=db --min-available=3",
        "poddisruptionbudget.policy/db created",
      ],
      [
        "wait pdb/db --for=jsonpath={.status.currentHealthy}=3 --timeout=60s",
        "poddisruptionbudget.policy/db condition met",
      ],
      [
        `drain ${node} --timeout=2s`,
        /^node\/node-\d cordoned\nevicting pod default\/db-\S+\n(.*\n)*error when evicting pods\/"db-\S+" -n "default" \(will retry after 0s\): Cannot evict pod as it would violate the pod's disruption budget\.\n(.*\n)*error when evicting pods\/"db-\S+" -n "default": global timeout reached: 0s$/,
        1,
      ],
      ["get pods -l app=db --no-headers", /^(db-\S+ {2}1\/1 {2}Running {2}0 {2}0s\n?){3}$/],
      [
        'patch pdb db --type=merge -p \'{"spec":{"minAvailable":2}}\'',
        "poddisruptionbudget.policy/db patched",
      ],
      [
        "wait pdb/db --for=jsonpath={.status.disruptionsAllowed}=1 --timeout=60s",
        "poddisruptionbudget.policy/db condition met",
      ],
      [
        `drain ${node} --timeout=60s`,
        /^node\/node-\d (already )?cordoned\nevicting pod default\/(.*\n)*pod\/db-\S+ evicted\nnode\/node-\d drained$/,
      ],
      rolledOut("db"),
      ["uncordon node-1 node-2 node-3", /^(node\/node-\d (already )?uncordoned\n?){3}$/],
      ["get nodes --no-headers", /^(node-\d {2}Ready {2}<none> {2}0s {2}v1\.36\.0\n?){3}$/],
    ],
  );
});
