import { expect, test } from "vitest";
import { kinds } from "../../api/kinds.generated.ts";
import { definitionOf, definitions, version } from "../custom/custom.test-support.ts";
import { priorityOf } from "../documents/group-priorities.ts";
import { openParts } from "../verbs/verb-parts.test-support.ts";
import { type Answer, openCluster, type TestCluster } from "./cluster.test-support.ts";
import { unregistered } from "./registrations.ts";

const services = "/apis/apiregistration.k8s.io/v1/apiservices";
const isThere = ({ status }: Answer) => status === 200;
const isGone = ({ status }: Answer) => status === 404;

const define = (cluster: TestCluster, spec: object) =>
  cluster.ask({ method: "POST", path: definitions, body: definitionOf(spec) });

const serviceOf = (name: string, more: object = {}, labels: object = {}) => {
  const dot = name.indexOf(".");
  const spec = { version: name.slice(0, dot), group: name.slice(dot + 1) };
  return {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name, labels },
    spec: { ...spec, groupPriorityMinimum: 7, versionPriority: 7, ...more },
  };
};
const label = "kube-aggregator.kubernetes.io/automanaged";

/** Name, priority of the group, priority of the version. */
const served: readonly [name: string, group: number, version: number][] = [
  ["v1.", 18000, 1],
  ["v1.admissionregistration.k8s.io", 16700, 15],
  ["v1.apiextensions.k8s.io", 16700, 15],
  ["v1.apps", 17800, 15],
  ["v1.authentication.k8s.io", 17700, 15],
  ["v1.authorization.k8s.io", 17600, 15],
  ["v1.autoscaling", 17500, 15],
  ["v1.batch", 17400, 15],
  ["v1.certificates.k8s.io", 17300, 15],
  ["v1.coordination.k8s.io", 16500, 15],
  ["v1.discovery.k8s.io", 16200, 15],
  ["v1.events.k8s.io", 17750, 15],
  ["v1.flowcontrol.apiserver.k8s.io", 16100, 21],
  ["v1.networking.k8s.io", 17200, 15],
  ["v1.node.k8s.io", 16300, 15],
  ["v1.policy", 17100, 15],
  ["v1.rbac.authorization.k8s.io", 17000, 15],
  ["v1.resource.k8s.io", 16200, 21],
  ["v1.scheduling.k8s.io", 16600, 15],
  ["v1.storage.k8s.io", 16800, 15],
  ["v2.autoscaling", 17500, 30],
];

test("registrations: a new cluster has one for each served version", async () => {
  const cluster = await openCluster();
  const { body } = await cluster.ask(services);
  const rows = body.items.map(
    // biome-ignore lint/suspicious/noExplicitAny: a response
    ({ metadata, spec, status }: any) => [
      metadata.name,
      spec.groupPriorityMinimum,
      spec.versionPriority,
      metadata.labels,
      metadata.managedFields[0].manager,
      status.conditions,
    ],
  );
  expect(rows).toEqual(
    served.map((row) => [
      ...row,
      { [label]: "onstart" },
      "kube-apiserver",
      [
        {
          type: "Available",
          status: "True",
          lastTransitionTime: "2026-01-01T00:00:00Z",
          reason: "Local",
          message: "Local APIServices are always available",
        },
      ],
    ]),
  );
});

test("registrations: every declared version has a priority, except that of registrations", () => {
  const without = kinds
    .filter(({ group, version }) => !priorityOf(group, version))
    .map(({ group }) => group);
  expect([...new Set(without)]).toEqual(["apiregistration.k8s.io"]);
});

test("registrations: are created and deleted with the versions of a definition", async () => {
  const cluster = await openCluster();
  await define(cluster, {
    versions: [version({ name: "v1" }), { ...version({ name: "v2" }), storage: false }],
  });
  const { body } = await cluster.until(`${services}/v2.g.io`, isThere);
  expect([body.metadata.labels, body.spec]).toEqual([
    { [label]: "true" },
    { group: "g.io", version: "v2", groupPriorityMinimum: 1000, versionPriority: 100 },
  ]);
  await cluster.until(`${services}/v1.g.io`, isThere);
  const versions = [
    version({ name: "v1" }),
    { ...version({ name: "v2" }), storage: false, served: false },
  ];
  await cluster.merge(`${definitions}/gears.g.io`, { spec: { versions } });
  await cluster.until(`${services}/v2.g.io`, isGone);
  expect((await cluster.ask(`${services}/v1.g.io`)).status).toEqual(200);
  await cluster.remove(`${definitions}/gears.g.io`);
  await cluster.until(`${services}/v1.g.io`, isGone);
});

test("registrations: those of definitions are created again, and corrected", async () => {
  const cluster = await openCluster();
  await define(cluster, {});
  const { body } = await cluster.until(`${services}/v1.g.io`, isThere);
  await cluster.remove(`${services}/v1.g.io`);
  const isNew = (answer: Answer) =>
    isThere(answer) && answer.body.metadata.uid !== body.metadata.uid;
  await cluster.until(`${services}/v1.g.io`, isNew);
  await cluster.merge(`${services}/v1.g.io`, { spec: { versionPriority: 5 } });
  await cluster.until(`${services}/v1.g.io`, (answer) => answer.body.spec.versionPriority === 100);
});

test("registrations: those of declared versions are corrected only when a server starts", async () => {
  const cluster = await openCluster();
  const { store, clock } = cluster;
  await cluster.merge(`${services}/v1.apps`, { spec: { versionPriority: 5 } });
  await cluster.remove(`${services}/v1.batch`);
  await cluster.settle();
  expect((await cluster.ask(`${services}/v1.batch`)).status).toEqual(404);
  expect((await cluster.ask(`${services}/v1.apps`)).body.spec.versionPriority).toEqual(5);
  cluster.server.close();
  const next = await openCluster({}, clock, store);
  expect((await next.ask(`${services}/v1.batch`)).status).toEqual(200);
  expect((await next.ask(`${services}/v1.apps`)).body.spec.versionPriority).toEqual(15);
});

test("registrations: one that is not needed is deleted at start if the server created it", async () => {
  const cluster = await openCluster();
  const { store, clock } = cluster;
  const made = {
    "v1.old.example.com": { [label]: "onstart" },
    "v1.gone.example.com": { [label]: "true" },
    "v1.mine.example.com": {},
  };
  for (const [name, labels] of Object.entries(made)) {
    const body = serviceOf(name, {}, labels);
    expect((await cluster.ask({ method: "POST", path: services, body })).status).toEqual(201);
  }
  await cluster.until(`${services}/v1.gone.example.com`, isGone);
  expect((await cluster.ask(`${services}/v1.old.example.com`)).status).toEqual(200);
  cluster.server.close();
  const next = await openCluster({}, clock, store);
  const extra = (await next.names(services)).filter((name) => name.endsWith("example.com"));
  expect(extra).toEqual(["v1.mine.example.com"]);
});

test("registrations: that of another server is local once this server serves it", async () => {
  const cluster = await openCluster();
  const service = { namespace: "n", name: "s" };
  await cluster.ask({
    method: "POST",
    path: services,
    body: serviceOf("v1.far.example.com", { service }),
  });
  await cluster.settle();
  const path = `${services}/v1.far.example.com`;
  expect((await cluster.ask(path)).body.status.conditions).toMatchObject([
    { status: "False", reason: "ServiceNotFound" },
  ]);
  await cluster.merge(path, { spec: { service: null } });
  const { body } = await cluster.until(path, (answer) => answer.body.status.conditions);
  expect(body.status.conditions[0]).toMatchObject({ status: "True", reason: "Local" });
});

test("unregistered: an API counts as registered once it was available", async () => {
  const parts = await openParts();
  const missing = unregistered(parts);
  expect(missing()).toMatch(/^missing APIService: \[.*v1\. .*v1\.apps .*\]$/);
  // These parts serve alpha versions, which the server does not.
  const { server } = await openCluster({}, parts.clock, parts.reader.store);
  await parts.reader.cache.fresh();
  expect(missing()).not.toMatch(/ v1\./);
  const key = "/registry/apiregistration.k8s.io/apiservices/v1.apps";
  await parts.reader.store.commit([{ type: "delete", key }]);
  await parts.reader.cache.fresh();
  expect(missing()).not.toMatch(/ v1\./);
  server.close();
});
