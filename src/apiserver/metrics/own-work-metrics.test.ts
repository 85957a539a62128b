import { expect, test } from "vitest";
import { StoreError } from "../../store/store.ts";
import { toApiRequest } from "../in-process.test-support.ts";
import { openMeasured } from "./measured-server.test-support.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";

test("/metrics: the server's own loops have metrics like work queues", async () => {
  const { clock, store, call, read } = await openMeasured();
  const named = (name: string) => `name="${name}"`;
  const work = await read("workqueue_work_duration_seconds_count");
  expect(Object.keys(work)).toEqual(
    [
      "LocalAvailabilityController",
      "autoregister",
      "crd_naming_condition_controller",
      "ipaddresses",
      "kubernetes_service_controller",
      "legacy_token_tracking_controller",
      "nodeports",
      "priority_and_fairness_config_queue",
      "services",
      "system_namespaces_controller",
    ].map(named),
  );
  const crds = named("crd_naming_condition_controller");
  expect(work[crds]).toEqual(0);
  expect(await read("workqueue_depth")).toEqual(
    Object.fromEntries(Object.keys(work).map((name) => [name, 0])),
  );
  store.shut();
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const created = call({ method: "POST", path, body: widgets });
  await store.waiting(1);
  const commit = store.commit.bind(store);
  store.open();
  store.commit = () => Promise.reject(new StoreError("Unavailable", "no disk"));
  await created;
  await expect.poll(() => read("workqueue_retries_total")).toMatchObject({ [crds]: 1 });
  store.commit = commit;
  await clock.advance(1000);
  await expect
    .poll(async () => (await read("workqueue_adds_total"))[crds])
    .toBeGreaterThanOrEqual(2);
});

test("/metrics: allocated and free addresses and ports of services", async () => {
  const { call, read } = await openMeasured({ nodePortRange: { first: 30000, last: 30009 } });
  const cidr = 'cidr="10.0.0.0/24"';
  const [before = 0] = Object.values(
    await read("kube_apiserver_clusterip_allocator_allocated_ips"),
  );
  const path = "/api/v1/namespaces/default/services";
  const spec = { type: "NodePort", ports: [{ port: 80 }] };
  const created = await call({ method: "POST", path, body: { metadata: { name: "a" }, spec } });
  expect(created.status).toBe(201);
  // One that was not given to a service is nobody's.
  const other = {
    metadata: { name: "10.0.0.200" },
    spec: { parentRef: { resource: "x", name: "y" } },
  };
  await call({ method: "POST", path: "/apis/networking.k8s.io/v1/ipaddresses", body: other });
  expect(await read("kube_apiserver_clusterip_allocator_allocated_ips")).toEqual({
    [cidr]: before + 1,
  });
  expect(await read("kube_apiserver_clusterip_allocator_available_ips")).toEqual({
    [cidr]: 254 - before - 1,
  });
  const lines = (await call({ path: "/metrics" })).text.split("\n");
  expect(lines).toContain("kube_apiserver_nodeport_allocator_allocated_ports 1");
  expect(lines).toContain("kube_apiserver_nodeport_allocator_available_ports 9");
});

test("/metrics: a repair that fails is counted", async () => {
  const { clock, store, call } = await openMeasured();
  const errors = async (what: string) => {
    const name = `apiserver_${what}_repair_reconcile_errors_total `;
    const { text } = await call({ path: "/metrics" });
    return text.split("\n").find((line) => line.startsWith(name));
  };
  expect(await errors("nodeport")).toMatch(/ 0$/);
  await call({ method: "POST", path: configMaps, body: { metadata: { name: "a" } } });
  store.currentRevision = () => Promise.reject(new StoreError("Unavailable", "no disk"));
  await clock.advance(3 * 60_000);
  await expect.poll(() => errors("clusterip")).toMatch(/ 1$/);
});

test("/metrics: which of the registered APIs are not available", async () => {
  const { call, read } = await openMeasured();
  const path = "/apis/apiregistration.k8s.io/v1/apiservices";
  const name = "v1.far.example.com";
  const spec = {
    group: "far.example.com",
    version: "v1",
    groupPriorityMinimum: 1000,
    versionPriority: 1,
    service: { namespace: "n", name: "s" },
  };
  await call({ method: "POST", path, body: { metadata: { name }, spec } });
  expect(await read("aggregator_unavailable_apiservice")).toMatchObject({
    'name="v1.apps"': 0,
    [`name="${name}"`]: 1,
  });
  await call({ method: "DELETE", path: `${path}/${name}` });
  expect(await read("aggregator_unavailable_apiservice")).not.toHaveProperty(`name="${name}"`);
});

test("/metrics: pods' tokens are counted by whether they were renewed in time", async () => {
  const { clock, server, call } = await openMeasured({
    admission: { disable: ["ServiceAccount"] },
  });
  const namespace = "/api/v1/namespaces/default";
  const accounts = `${namespace}/serviceaccounts`;
  await call({ method: "POST", path: accounts, body: { metadata: { name: "s" } } });
  const pod = { serviceAccountName: "s", containers: [{ name: "c", image: "i" }] };
  const body = { metadata: { name: "p" }, spec: pod };
  const created = JSON.parse(
    (await call({ method: "POST", path: `${namespace}/pods`, body })).text,
  );
  const boundObjectRef = { kind: "Pod", apiVersion: "v1", name: "p", uid: created.metadata.uid };
  // As long as kubelets ask for: then it is made to last.
  const spec = { expirationSeconds: 3607, boundObjectRef };
  const path = `${accounts}/s/token`;
  const { status } = JSON.parse((await call({ method: "POST", path, body: { spec } })).text);
  const use = () =>
    server.handle({
      ...toApiRequest({ path: "/version", headers: { authorization: `Bearer ${status.token}` } }),
      peer: undefined,
    });
  const counts = async () => {
    const { text } = await call({ path: "/metrics" });
    return [...text.matchAll(/^serviceaccount_(stale|valid)_tokens_total (\d+)$/gm)].map(
      ([, name, count]) => `${name} ${count}`,
    );
  };
  expect(await counts()).toEqual(["stale 0", "valid 0"]);
  await use();
  expect(await counts()).toEqual(["stale 0", "valid 1"]);
  await clock.advance(3_608_000);
  await use();
  expect(await counts()).toEqual(["stale 1", "valid 1"]);
});

test("/metrics: counters without labels are shown before they count", async () => {
  const { call } = await openMeasured();
  const { text } = await call({ path: "/metrics" });
  for (const line of [
    "apiserver_audit_event_total 0",
    "apiserver_audit_requests_rejected_total 0",
    "apiserver_tls_handshake_errors_total 0",
    "disabled_metrics_total 0",
    "hidden_metrics_total 0",
  ])
    expect(text.split("\n")).toContain(line);
  expect(text).toContain("# HELP apiserver_storage_objects [STABLE] (Deprecated since 1.34.0) ");
});

test("/metrics: how many metrics there are, each once however often they are read", async () => {
  const { read } = await openMeasured();
  const first = await read("registered_metrics_total");
  expect(await read("registered_metrics_total")).toEqual(first);
  expect(first).toMatchObject({ 'deprecated_version="1.34.0",stability_level="STABLE"': 1 });
  expect(first['deprecated_version="",stability_level="STABLE"']).toBeGreaterThan(5);
});

const widgets = {
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [
      { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
    ],
  },
};
