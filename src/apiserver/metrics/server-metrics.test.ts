import { expect, onTestFinished, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { StoreError } from "../../store/store.ts";
import { openServer, send, type TestRequest, toApiRequest } from "../in-process.test-support.ts";
import { GatedStore } from "../load/gated-store.test-support.ts";
import type { Sink, StreamBody } from "../request.ts";
import type { ApiServerOptions } from "../server-options.ts";

async function opened(options: Partial<ApiServerOptions> = {}) {
  const clock = new VirtualClock(Date.parse("2026-01-01T00:00:00Z"));
  const store = new GatedStore(clock);
  const server = await openServer(clock, store, options);
  onTestFinished(() => server.close());
  const call = (request: TestRequest) => send(server, request);
  /** The values of a metric, by its labels. */
  const read = async (name: string): Promise<Record<string, number>> => {
    const { text } = await call({ path: "/metrics" });
    const lines = text.split("\n").filter((line) => line.startsWith(`${name}{`));
    return Object.fromEntries(
      lines.map((line) => {
        const [, labels = "", value] = /^[^{]*\{(.*)\} (\S+)$/.exec(line) ?? [];
        return [labels, Number(value)];
      }),
    );
  };
  return { clock, store, server, call, read };
}

const configMaps = "/api/v1/namespaces/default/configmaps";
const labelsOf = (verb: string, scope: string, more = "") =>
  `component="apiserver",dry_run="",group="",resource="configmaps",scope="${scope}",subresource="",verb="${verb}",version="v1"${more}`;

test("/metrics: requests are counted by what they ask for and how they end", async () => {
  const { call, read, clock } = await opened();
  await call({ method: "POST", path: configMaps, body: { metadata: { name: "a" } } });
  await call({ method: "POST", path: configMaps, body: { metadata: { name: "a" } } });
  await call({ path: `${configMaps}/a` });
  await call({ path: configMaps });
  await clock.advance(1000);
  expect(await read("apiserver_request_total")).toEqual({
    [`code="201",${labelsOf("POST", "resource")}`]: 1,
    [`code="409",${labelsOf("POST", "resource")}`]: 1,
    [`code="200",${labelsOf("GET", "resource")}`]: 1,
    [`code="200",${labelsOf("LIST", "namespace")}`]: 1,
  });
  expect(await read("apiserver_request_duration_seconds_count")).toMatchObject({
    [labelsOf("POST", "resource")]: 2,
  });
  const sizes = await read("apiserver_response_sizes_sum");
  const [size] = Object.values(sizes);
  expect(size).toBeGreaterThan(100);
  expect(Object.keys(sizes)).toHaveLength(2);
});

test("/metrics: what is not served makes no sort of its own", async () => {
  const { call, read } = await opened();
  for (let i = 0; i < 20; i++) {
    await call({ path: `/api/v1/things-${i}` });
    await call({ path: `/apis/group-${i}.example.com/v1/things` });
    await call({ path: `/nowhere-${i}` });
    await call({ path: `/healthz/none-${i}` });
    await call({ method: `BREW${i}`, path: configMaps });
    await call({ path: configMaps, peer: { commonName: `user-${i}`, organizations: [] } });
  }
  expect(await read("apiserver_request_total")).toEqual({});
  expect(await read("authenticated_user_requests")).toEqual({
    // Two of them read the metrics.
    'username="admin"': 102,
    'username="other"': 20,
  });
  expect(await read("authorization_attempts_total")).toMatchObject({
    'result="no-opinion"': 20,
  });
});

test("/metrics: a watch counts as long as it is open, and its events one by one", async () => {
  const { server, call, read } = await opened();
  const response = await server.handle(toApiRequest({ path: `${configMaps}?watch=1` }));
  const sink: Sink = { write: () => true, end: () => {}, onDrain: () => {} };
  const stop = (response.body as StreamBody).start(sink);
  for (const name of ["a", "b"])
    await call({ method: "POST", path: configMaps, body: { metadata: { name } } });
  const open = `component="apiserver",group="",resource="configmaps",scope="namespace",subresource="",verb="WATCH",version="v1"`;
  expect(await read("apiserver_longrunning_requests")).toEqual({ [open]: 1 });
  expect(await read("apiserver_watch_events_total")).toEqual({
    'group="",resource="configmaps",version="v1"': 2,
  });
  stop();
  stop();
  expect(await read("apiserver_longrunning_requests")).toEqual({ [open]: 0 });
  expect(await read("apiserver_request_total")).toMatchObject({
    [`code="200",${labelsOf("WATCH", "namespace")}`]: 1,
  });
});

test("/metrics: the store, the cache and admission are counted", async () => {
  const { store, call, read } = await opened();
  const create = { method: "POST", path: configMaps, body: { metadata: { name: "a" } } };
  await call(create);
  await call({ ...create, path: "/api/v1/namespaces/none/configmaps" });
  const commit = store.commit.bind(store);
  store.commit = () => Promise.reject(new StoreError("Unavailable", "no disk"));
  await call({ method: "DELETE", path: `${configMaps}/a` });
  store.commit = commit;
  const of = (operation: string) => `group="",operation="${operation}",resource="configmaps"`;
  expect(await read("etcd_requests_total")).toMatchObject({ [of("create")]: 1, [of("delete")]: 1 });
  expect(await read("etcd_request_errors_total")).toEqual({ [of("delete")]: 1 });
  const resource = 'group="",resource="configmaps"';
  // Beside the one of this test there is that by which old tokens are tracked.
  expect(await read("apiserver_resource_objects")).toMatchObject({ [resource]: 2 });
  expect(await read("apiserver_storage_objects")).toMatchObject({
    'resource="configmaps"': 2,
    'resource="customresourcedefinitions.apiextensions.k8s.io"': 0,
  });
  expect(await read("apiserver_storage_events_received_total")).toMatchObject({ [resource]: 2 });
  const step = (rejected: boolean) => `operation="CREATE",rejected="${rejected}",type="admit"`;
  const steps = await read("apiserver_admission_step_admission_duration_seconds_count");
  expect([steps[step(false)], steps[step(true)]]).toEqual([1, 1]);
  const plugins = await read("apiserver_admission_controller_admission_duration_seconds_count");
  expect(plugins[`name="NamespaceLifecycle",${step(true)}`]).toEqual(1);
});

test("/metrics: what is no longer served is no longer counted", async () => {
  const { call, read, store } = await opened();
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  await call({ method: "POST", path, body: widgets });
  const resource = 'group="example.com",resource="widgets"';
  await expect.poll(async () => (await read("apiserver_resource_objects"))[resource]).toEqual(0);
  const key = `/registry/apiextensions.k8s.io/customresourcedefinitions/${widgets.metadata.name}`;
  await store.commit([{ type: "delete", key }]);
  await expect
    .poll(async () => (await read("apiserver_resource_objects"))[resource])
    .toEqual(undefined);
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

test("/metrics: reads are counted by where they read, and watches that are too slow", async () => {
  const { server, store, call, read } = await opened();
  const create = (name: string) =>
    call({ method: "POST", path: configMaps, body: { metadata: { name } } });
  for (const name of ["a", "b", "c"]) await create(name);
  await call({ path: `${configMaps}?labelSelector=x` });
  const { text } = await call({ path: `${configMaps}?limit=2` });
  await call({ path: `${configMaps}?limit=2&continue=${JSON.parse(text).metadata.continue}` });
  const resource = 'group="",resource="configmaps"';
  const index = 'group="",index="",resource="configmaps"';
  expect(await read("apiserver_cache_list_total")).toEqual({ [index]: 2 });
  expect(await read("apiserver_cache_list_fetched_objects_total")).toEqual({ [index]: 6 });
  expect(await read("apiserver_cache_list_returned_objects_total")).toEqual({ [resource]: 3 });
  expect(await read("apiserver_storage_list_total")).toEqual({ [resource]: 1 });
  expect(await read("apiserver_storage_list_returned_objects_total")).toEqual({ [resource]: 1 });

  const response = await server.handle(toApiRequest({ path: `${configMaps}?watch=1` }));
  (response.body as StreamBody).start({ write: () => false, end: () => {}, onDrain: () => {} });
  expect(await read("apiserver_init_events_total")).toEqual({ [resource]: 3 });
  // More changes than are kept for who is behind.
  const key = "/registry/configmaps/default/a";
  const { value } = (await store.get(key)) ?? { value: new Uint8Array() };
  for (let i = 0; i < 4100; i++) await store.commit([{ type: "put", key, value }]);
  expect(await read("apiserver_terminated_watchers_total")).toEqual({ [resource]: 1 });
});

test("/metrics: a request too many, and one too slow, are counted as given up", async () => {
  const { clock, store, call, read } = await opened({
    maxInFlight: { reading: 0, writing: 1 },
    authorizationModes: ["AlwaysAllow"],
  });
  store.shut();
  const joe = { commonName: "joe", organizations: [] };
  const create = (name: string): TestRequest => ({
    method: "POST",
    path: configMaps,
    body: { metadata: { name } },
    peer: joe,
  });
  const slow = call(create("a"));
  await store.waiting(1);
  expect((await call(create("b"))).status).toEqual(429);
  await clock.advance(60_000);
  expect((await slow).status).toEqual(504);
  store.open();
  const gone = (code: number) =>
    `code="${code}",component="apiserver",group="",resource="configmaps",scope="resource",subresource="",verb="POST",version="v1"`;
  expect(await read("apiserver_request_terminations_total")).toEqual({
    [gone(429)]: 1,
    [gone(504)]: 1,
  });
  expect(await read("apiserver_request_total")).toMatchObject({
    [`code="429",${labelsOf("POST", "resource")}`]: 1,
  });
});

test("/metrics: what the server does by itself is counted like the work of queues", async () => {
  const { clock, store, call, read } = await opened();
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

test("/metrics: how long a watch takes to send all objects with which it begins", async () => {
  const { clock, server, read } = await opened();
  const options = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
  const path = `${configMaps}?watch=1&${options}&allowWatchBookmarks=true`;
  const { body } = await server.handle(toApiRequest({ path }));
  let drained = () => {};
  (body as StreamBody).start({
    write: () => false,
    end: () => {},
    onDrain(resume) {
      drained = resume;
    },
  });
  const scope = 'group="",resource="configmaps",scope="namespace",version="v1"';
  await clock.advance(3000);
  expect(await read("apiserver_watch_list_duration_seconds_sum")).toEqual({});
  drained();
  expect(await read("apiserver_watch_list_duration_seconds_sum")).toEqual({ [scope]: 3 });
});

test("/metrics: what services have, and can still get", async () => {
  const { call, read } = await opened({ nodePortRange: { first: 30000, last: 30009 } });
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
  const { clock, store, call } = await opened();
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
  const { call, read } = await opened();
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

test("/metrics: what has not happened yet is shown where it has no sorts", async () => {
  const { call } = await opened();
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
  const { read } = await opened();
  const first = await read("registered_metrics_total");
  expect(await read("registered_metrics_total")).toEqual(first);
  expect(first).toMatchObject({ 'deprecated_version="1.34.0",stability_level="STABLE"': 1 });
  expect(first['deprecated_version="",stability_level="STABLE"']).toBeGreaterThan(5);
});

test("/metrics: how large the store is, where that is known", async () => {
  const { read } = await opened({ storeBytes: () => 4096 });
  expect(await read("apiserver_storage_size_bytes")).toEqual({
    'storage_cluster_id="etcd-0"': 4096,
  });
});

test("/metrics: who asks for what is deprecated is told of", async () => {
  const { call, read } = await opened();
  await call({ path: "/api/v1/namespaces/default/endpoints" });
  expect(await read("apiserver_requested_deprecated_apis")).toEqual({
    'group="",removed_release="",resource="endpoints",subresource="",version="v1"': 1,
  });
});

test("/metrics: it is text for Prometheus, and a DELETE forgets all", async () => {
  const { call, read } = await opened();
  await call({ path: configMaps });
  const { status, headers, text } = await call({ path: "/metrics" });
  expect([status, headers["content-type"], headers["process-start-time-unix"]]).toEqual([
    200,
    "text/plain; version=0.0.4; charset=utf-8; escaping=underscores",
    "1767225600",
  ]);
  expect(text).toMatch(/^(# (HELP|TYPE) .+\n|[a-z_]+(\{.*\})? [^ ]+\n)+$/);
  const names = [...text.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name);
  expect(names).toEqual([...names].sort());
  const deleted = await call({ method: "DELETE", path: "/metrics" });
  expect([deleted.status, deleted.text]).toEqual([200, "metrics reset\n"]);
  expect(await read("apiserver_request_total")).toEqual({});
});

test("/metrics/slis: how often each check of health was made, and how it went", async () => {
  const { server, call } = await opened();
  const checks = async () => {
    const { text } = await call({ path: "/metrics/slis" });
    return text.split("\n").filter((line) => /name="(ping|shutdown)"/.test(line));
  };
  await call({ path: "/livez" });
  await server.shutDown();
  await call({ path: "/readyz?exclude=ping" });
  expect(await checks()).toEqual([
    'kubernetes_healthcheck{name="ping",type="livez"} 1',
    'kubernetes_healthcheck{name="shutdown",type="readyz"} 0',
    'kubernetes_healthchecks_total{name="ping",status="success",type="livez"} 1',
    'kubernetes_healthchecks_total{name="shutdown",status="error",type="readyz"} 1',
  ]);
});
