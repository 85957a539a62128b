import { afterEach, expect, test } from "vitest";
import { Deployment } from "../api/apps/v1/deployment.ts";
import { ConfigMap } from "../api/core/v1/config-map.ts";
import { Namespace } from "../api/core/v1/namespace.ts";
import { Node } from "../api/core/v1/node/node.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { Service } from "../api/core/v1/service/service.ts";
import { type Reason, StatusError } from "../api/meta/v1/status-error.ts";
import { PodDisruptionBudget } from "../api/policy/v1/pod-disruption-budget.ts";
import { type Log, noLog } from "../base/log.ts";
import type { Client } from "../client/client.ts";
import { startCluster } from "../testing/start-cluster.ts";
import type { ControllerModule } from "./controller-module.ts";
import { deploymentModule } from "./deployment/deployment-module.ts";
import { disruptionModule } from "./disruption/disruption-module.ts";
import { endpointSliceModule } from "./endpointslice/endpoint-slice-module.ts";
import { namespaceModule } from "./namespace/namespace-module.ts";
import { partsOf, type RunningCluster, runningOn } from "./running.test-support.ts";
import { taintEvictionModule } from "./tainteviction/taint-eviction-module.ts";

let cluster: RunningCluster;
afterEach(() => cluster.end());

const labels = { app: "web" };
const podSpec = { containers: [{ name: "web", image: "web" }] };
const addTaintedNode = (client: Client) =>
  client.create(Node, {
    metadata: { name: "n" },
    spec: { taints: [{ key: "a", effect: "NoExecute" }] },
  });

interface Case {
  readonly module: ControllerModule;
  /** The write that fails, and why. */
  readonly verb: string;
  readonly resource: string;
  readonly reason: Reason;
  /** Gives the controller work. */
  readonly prepare: (client: Client) => Promise<unknown>;
}

test.each<Case>([
  {
    module: deploymentModule as ControllerModule,
    verb: "update",
    resource: "deployments/status",
    reason: "Conflict",
    prepare: (client) =>
      client.create(Deployment, {
        metadata: { name: "web" },
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: podSpec },
        },
      }),
  },
  {
    module: endpointSliceModule as ControllerModule,
    verb: "create",
    resource: "endpointslices",
    reason: "NotFound",
    prepare: (client) =>
      client.create(Service, {
        metadata: { name: "web" },
        spec: { selector: labels, ports: [{ port: 80 }] },
      }),
  },
  {
    module: disruptionModule as ControllerModule,
    verb: "update",
    resource: "poddisruptionbudgets/status",
    reason: "Conflict",
    prepare: (client) =>
      client.create(PodDisruptionBudget, {
        metadata: { name: "web" },
        spec: { minAvailable: 1, selector: { matchLabels: labels } },
      }),
  },
  {
    module: taintEvictionModule as ControllerModule,
    verb: "delete",
    resource: "pods",
    reason: "Conflict",
    async prepare(client) {
      await addTaintedNode(client);
      await client.create(Pod, { metadata: { name: "web" }, spec: { ...podSpec, nodeName: "n" } });
    },
  },
  {
    module: namespaceModule as ControllerModule,
    verb: "update",
    resource: "namespaces/status",
    reason: "Conflict",
    async prepare(client) {
      await client.create(Namespace, { metadata: { name: "a" } });
      await client.create(ConfigMap, {
        metadata: { namespace: "a", name: "kept", finalizers: ["example.com/keep"] },
      });
      await client.delete(Namespace, { name: "a" });
    },
  },
])("$module.name: a write that fails with $reason is not logged as an error", async (row) => {
  const { module, verb, resource, reason, prepare } = row;
  const lines: string[] = [];
  const log: Log = {
    ...noLog,
    info: (_, fields) => fields?.error && lines.push(`info ${fields.error}`),
    error: (message, error) => lines.push(`error ${message} ${error}`),
    with: () => log,
  };
  const whole = await startCluster({ clock: "virtual", namespace: "default" });
  const transport = whole.faults.transport("controllers");
  cluster = await runningOn({ ...whole, transport, log } as never, ...partsOf(module));
  const error = new StatusError(reason, "another client was faster");
  const calls = { component: "controllers", verb, resource };
  cluster.faults.add({ calls, times: 1, fault: { type: "fail", error } });
  await prepare(cluster.client);
  await cluster.advance("2m");
  expect(lines).toEqual([expect.stringMatching(/^info .*another client was faster/)]);
});
