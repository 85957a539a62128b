import { afterAll, beforeAll, describe, expect } from "vitest";
import { eventually } from "../eventually.ts";
import { describeWith, requires } from "../requires.ts";
import { openTour, type Row, type Tour, testCommands } from "./kubectl.test-support.ts";

const workload = (kind: string, name: string, more: object = {}): string =>
  JSON.stringify({
    apiVersion: kind === "ReplicationController" ? "v1" : "apps/v1",
    kind,
    metadata: { name },
    spec: {
      selector: kind === "ReplicationController" ? { app: name } : { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "web", image: "web:1" }] },
      },
      ...more,
    },
  });

/** The pods of an app, by node or by name. */
const pods = (app: string, columns: string): string =>
  `get pods -l app=${app} --sort-by=${columns} --no-headers -o custom-columns=A:${columns},B:.status.phase,C:.spec.containers[0].image`;
const byNode = (app: string): string => pods(app, ".spec.nodeName");
const byName = (app: string): string => pods(app, ".metadata.name");
const gone = (pod: string): Row => [`wait pod/${pod} --for=delete --timeout=60s`, ""];

describeWith(requires("kubectl"))("kubectl with daemon sets, stateful sets and more", () => {
  let tour: Tour;
  beforeAll(async () => {
    tour = await openTour(
      {
        "ds.json": workload("DaemonSet", "agent"),
        "sts.json": workload("StatefulSet", "db", { replicas: 2, serviceName: "db" }),
        "rc.json": workload("ReplicationController", "old", { replicas: 2 }),
      },
      { nodes: 2 },
    );
    await eventually(async () => {
      const { printed } = await tour.run("get nodes --no-headers");
      expect(printed).toMatch(/^(node-\d +Ready .*\n){2}$/);
    });
  });
  afterAll(() => tour.close());

  describe("a daemon set", () => {
    testCommands(
      () => tour,
      [
        ["create -f ds.json", "daemonset.apps/agent created"],
        ["rollout status ds/agent --timeout=60s", /daemon set "agent" successfully rolled out$/],
        [byNode("agent"), ["node-1  Running  web:1", "node-2  Running  web:1"]],
        ["set image ds/agent web=web:2", "daemonset.apps/agent image updated"],
        ["rollout status ds/agent --timeout=60s", /daemon set "agent" successfully rolled out$/],
        [byNode("agent"), ["node-1  Running  web:2", "node-2  Running  web:2"]],
        [
          "rollout history ds/agent",
          ["daemonset.apps/agent", "REVISION  CHANGE-CAUSE", "1  <none>", "2  <none>"],
        ],
        ["rollout undo ds/agent", "daemonset.apps/agent rolled back"],
        ["rollout status ds/agent --timeout=60s", /daemon set "agent" successfully rolled out$/],
        [byNode("agent"), ["node-1  Running  web:1", "node-2  Running  web:1"]],
        [
          "rollout history ds/agent",
          ["daemonset.apps/agent", "REVISION  CHANGE-CAUSE", "2  <none>", "3  <none>"],
        ],
        ["rollout restart ds/agent", "daemonset.apps/agent restarted"],
        ["rollout status ds/agent --timeout=60s", /daemon set "agent" successfully rolled out$/],
        ["drain node-1 --timeout=60s", /cannot delete DaemonSet-managed Pods/, 1],
        [
          "drain node-1 --ignore-daemonsets --timeout=60s",
          /node\/node-1 drained\nWarning: ignoring DaemonSet-managed Pods: default\/agent-\w+$/,
        ],
        [byNode("agent"), ["node-1  Running  web:1", "node-2  Running  web:1"]],
        ["uncordon node-1", "node/node-1 uncordoned"],
        ["delete ds agent --cascade=orphan", 'daemonset.apps "agent" deleted'],
        [byNode("agent"), ["node-1  Running  web:1", "node-2  Running  web:1"]],
      ],
    );
  });

  describe("a stateful set", () => {
    testCommands(
      () => tour,
      [
        ["create -f sts.json", "statefulset.apps/db created"],
        [
          "rollout status sts/db --timeout=60s",
          /partitioned roll out complete: 2 new pods have been updated\.\.\.$/,
        ],
        ["scale sts/db --replicas=3", "statefulset.apps/db scaled"],
        ["wait sts/db --for=jsonpath={.status.readyReplicas}=3 --timeout=60s", /condition met$/],
        [byName("db"), ["db-0  Running  web:1", "db-1  Running  web:1", "db-2  Running  web:1"]],
        ["set image sts/db web=web:2", "statefulset.apps/db image updated"],
        [
          "rollout status sts/db --timeout=60s",
          /partitioned roll out complete: 3 new pods have been updated\.\.\.$/,
        ],
        [byName("db"), ["db-0  Running  web:2", "db-1  Running  web:2", "db-2  Running  web:2"]],
        [
          "rollout history sts/db",
          ["statefulset.apps/db", "REVISION  CHANGE-CAUSE", "1  <none>", "2  <none>"],
        ],
        ["rollout undo sts/db", "statefulset.apps/db rolled back"],
        [
          "rollout status sts/db --timeout=60s",
          /partitioned roll out complete: 3 new pods have been updated\.\.\.$/,
        ],
        [byName("db"), ["db-0  Running  web:1", "db-1  Running  web:1", "db-2  Running  web:1"]],
        ["rollout restart sts/db", "statefulset.apps/db restarted"],
        [
          "rollout status sts/db --timeout=60s",
          /partitioned roll out complete: 3 new pods have been updated\.\.\.$/,
        ],
        ["scale sts/db --replicas=1", "statefulset.apps/db scaled"],
        gone("db-1"),
        [byName("db"), "db-0  Running  web:1"],
        ["delete sts db --cascade=orphan", 'statefulset.apps "db" deleted'],
        [byName("db"), "db-0  Running  web:1"],
      ],
    );
  });

  describe("a replication controller", () => {
    testCommands(
      () => tour,
      [
        ["create -f rc.json", "replicationcontroller/old created"],
        ["wait rc/old --for=jsonpath={.status.readyReplicas}=2 --timeout=60s", /condition met$/],
        ["scale rc/old --replicas=3", "replicationcontroller/old scaled"],
        ["wait rc/old --for=jsonpath={.status.readyReplicas}=3 --timeout=60s", /condition met$/],
        ["delete rc old --timeout=60s", 'replicationcontroller "old" deleted'],
        ["wait pods -l app=old --for=delete --timeout=60s", ""],
      ],
    );
  });
});
