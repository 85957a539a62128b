import { expect, test } from "vitest";
import { openCluster } from "./cluster.test-support.ts";

const api = "/apis/flowcontrol.apiserver.k8s.io/v1";
const schemas = `${api}/flowschemas`;
const levels = `${api}/prioritylevelconfigurations`;
const table = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
const annotation = "apf.kubernetes.io/autoupdate-spec";

const rowsOf = (body: { rows: { cells: unknown[] }[] }, without: readonly number[]): unknown[][] =>
  body.rows.map(({ cells }) => cells.filter((_, i) => !without.includes(i)));

test("flow control: a new cluster has these flow schemas", async () => {
  const cluster = await openCluster();
  const { body } = await cluster.ask({ path: schemas, headers: table });
  expect(rowsOf(body, [4])).toEqual([
    ["catch-all", "catch-all", 10000, "ByUser", "False"],
    ["exempt", "exempt", 1, "<none>", "False"],
    ["global-default", "global-default", 9900, "ByUser", "False"],
    ["kube-controller-manager", "workload-high", 800, "ByNamespace", "False"],
    ["kube-scheduler", "workload-high", 800, "ByNamespace", "False"],
    ["kube-system-service-accounts", "workload-high", 900, "ByNamespace", "False"],
    ["probes", "exempt", 2, "<none>", "False"],
    ["service-accounts", "workload-low", 9000, "ByUser", "False"],
    ["system-leader-election", "leader-election", 100, "ByUser", "False"],
    ["system-node-high", "node-high", 400, "ByUser", "False"],
    ["system-nodes", "system", 500, "ByUser", "False"],
  ]);
});

test("flow control: a new cluster has these priority levels", async () => {
  const cluster = await openCluster();
  const { body } = await cluster.ask({ path: levels, headers: table });
  expect(rowsOf(body, [6])).toEqual([
    ["catch-all", "Limited", 5, "<none>", "<none>", "<none>"],
    ["exempt", "Exempt", "<none>", "<none>", "<none>", "<none>"],
    ["global-default", "Limited", 20, 128, 6, 50],
    ["leader-election", "Limited", 10, 16, 4, 50],
    ["node-high", "Limited", 40, 64, 6, 50],
    ["system", "Limited", 30, 64, 6, 50],
    ["workload-high", "Limited", 40, 128, 6, 50],
    ["workload-low", "Limited", 100, 128, 6, 50],
  ]);
});

test("flow control: a default flow schema, with its field managers", async () => {
  const cluster = await openCluster();
  const { body } = await cluster.ask(`${schemas}/system-node-high`);
  expect(body.spec.rules).toEqual([
    {
      subjects: [{ kind: "Group", group: { name: "system:nodes" } }],
      resourceRules: [
        {
          verbs: ["*"],
          apiGroups: [""],
          resources: ["nodes", "nodes/status"],
          clusterScope: true,
          namespaces: ["*"],
        },
        {
          verbs: ["*"],
          apiGroups: ["coordination.k8s.io"],
          resources: ["leases"],
          namespaces: ["*"],
        },
      ],
    },
  ]);
  expect(body.metadata.annotations).toEqual({ [annotation]: "true" });
  expect(body.status).toEqual({
    conditions: [
      {
        type: "Dangling",
        status: "False",
        lastTransitionTime: "2026-01-01T00:00:00Z",
        reason: "Found",
        message:
          'This FlowSchema references the PriorityLevelConfiguration object named "node-high" and it exists',
      },
    ],
  });
  const writers = body.metadata.managedFields.map(
    // biome-ignore lint/suspicious/noExplicitAny: a response
    ({ manager, operation, subresource, fieldsV1 }: any) => [
      manager,
      operation,
      subresource,
      Object.keys(fieldsV1),
    ],
  );
  expect(writers).toEqual([
    ["api-priority-and-fairness-config-consumer-v1", "Apply", "status", ["f:status"]],
    ["api-priority-and-fairness-config-producer-v1", "Update", undefined, ["f:metadata", "f:spec"]],
  ]);
});

test("flow control: deleted defaults are created again, mandatory or suggested", async () => {
  const cluster = await openCluster();
  const paths = [
    `${schemas}/catch-all`,
    `${schemas}/probes`,
    `${levels}/system`,
    `${levels}/exempt`,
  ];
  for (const path of paths) {
    const { body } = await cluster.remove(path);
    const { body: again } = await cluster.until(path, ({ status }) => status === 200);
    expect(again.metadata.uid).not.toEqual(body.details.uid);
  }
  const { body } = await cluster.until(
    `${schemas}/probes`,
    (answer) => answer.body.status.conditions,
  );
  expect(body.status.conditions[0].status).toEqual("False");
});

test("flow control: a changed suggested object is reset, unless its annotation forbids it", async () => {
  const cluster = await openCluster();
  const path = `${schemas}/probes`;
  await cluster.merge(path, { spec: { matchingPrecedence: 3 } });
  const { body } = await cluster.until(path, (answer) => answer.body.spec.matchingPrecedence === 2);
  expect(body.metadata.generation).toEqual(3);
  await cluster.merge(path, {
    metadata: { annotations: { [annotation]: "false" } },
    spec: { matchingPrecedence: 3 },
  });
  await cluster.settle();
  expect((await cluster.ask(path)).body.spec.matchingPrecedence).toEqual(3);
});

test("flow control: former defaults are deleted, objects of users stay", async () => {
  const cluster = await openCluster();
  const { body } = await cluster.ask(`${levels}/system`);
  const copy = (name: string, annotations: object) => ({
    ...body,
    metadata: { name, annotations },
  });
  for (const [name, annotations] of [
    ["former", { [annotation]: "true" }],
    ["mine", {}],
    ["kept", { [annotation]: "false" }],
  ] as const)
    await cluster.ask({ method: "POST", path: levels, body: copy(name, annotations) });
  await cluster.settle();
  const added = (await cluster.names(levels)).filter((name) => /former|mine|kept/.test(name));
  expect(added).toEqual(["kept", "mine"]);
});

test("flow control: a condition tells whether the priority level of a flow schema exists", async () => {
  const cluster = await openCluster();
  const { body } = await cluster.ask(`${levels}/system`);
  const { body: probes } = await cluster.ask(`${schemas}/probes`);
  const spec = { ...probes.spec, priorityLevelConfiguration: { name: "slow" } };
  await cluster.ask({
    method: "POST",
    path: schemas,
    body: { ...probes, metadata: { name: "slow" }, spec },
  });
  const condition = async (status: string) => {
    const isSaid = (answer: { body: typeof body }) =>
      answer.body.status.conditions?.[0].status === status;
    const answer = await cluster.until(`${schemas}/slow`, isSaid);
    const { reason, message } = answer.body.status.conditions[0];
    return [reason, message];
  };
  const refers = 'This FlowSchema references the PriorityLevelConfiguration object named "slow"';
  expect(await condition("True")).toEqual(["NotFound", `${refers} but there is no such object`]);
  const level = { ...body, metadata: { name: "slow" } };
  await cluster.ask({ method: "POST", path: levels, body: level });
  expect(await condition("False")).toEqual(["Found", `${refers} and it exists`]);
});
