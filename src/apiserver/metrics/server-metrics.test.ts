import { expect, test } from "vitest";
import { StoreError } from "../../store/store.ts";
import { type TestRequest, toApiRequest } from "../in-process.test-support.ts";
import type { Sink, StreamBody } from "../request/request.ts";
import { openMeasured } from "./measured-server.test-support.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const labelsOf = (verb: string, scope: string, more = "") =>
  `component="apiserver",dry_run="",group="",resource="configmaps",scope="${scope}",subresource="",verb="${verb}",version="v1"${more}`;

test("/metrics: requests are counted by verb, resource and status", async () => {
  const { call, read, clock } = await openMeasured();
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

test("/metrics: requests for unknown resources have no labels of their own", async () => {
  const { call, read } = await openMeasured();
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
  const { server, call, read } = await openMeasured();
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
  const { store, call, read } = await openMeasured();
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

test("/metrics: kinds that are no longer served have no metrics", async () => {
  const { call, read, store } = await openMeasured();
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
  const { server, store, call, read } = await openMeasured();
  const create = (name: string) =>
    call({ method: "POST", path: configMaps, body: { metadata: { name } } });
  for (const name of ["a", "b", "c"]) await create(name);
  await call({ path: `${configMaps}?labelSelector=x` });
  const { text } = await call({ path: `${configMaps}?limit=2` });
  const { metadata } = JSON.parse(text);
  await call({ path: `${configMaps}?limit=2&continue=${metadata.continue}` });
  // The cache keeps no list of what was there before the last create, as nobody read it in pages.
  const past = `resourceVersion=${metadata.resourceVersion - 1}&resourceVersionMatch=Exact`;
  await call({ path: `${configMaps}?${past}` });
  const resource = 'group="",resource="configmaps"';
  const index = 'group="",index="",resource="configmaps"';
  expect(await read("apiserver_cache_list_total")).toEqual({ [index]: 3 });
  expect(await read("apiserver_cache_list_fetched_objects_total")).toEqual({ [index]: 6 });
  expect(await read("apiserver_cache_list_returned_objects_total")).toEqual({ [resource]: 3 });
  expect(await read("apiserver_storage_list_total")).toEqual({ [resource]: 1 });
  expect(await read("apiserver_storage_list_returned_objects_total")).toEqual({ [resource]: 2 });

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
  const { clock, store, call, read } = await openMeasured({
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

test("/metrics: how long a watch takes to send all objects with which it begins", async () => {
  const { clock, server, read } = await openMeasured();
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

test("/metrics: how large the store is, where that is known", async () => {
  const { read } = await openMeasured({ storeBytes: () => 4096 });
  expect(await read("apiserver_storage_size_bytes")).toEqual({
    'storage_cluster_id="etcd-0"': 4096,
  });
});

test("/metrics: requests for deprecated APIs are reported", async () => {
  const { call, read } = await openMeasured();
  await call({ path: "/api/v1/namespaces/default/endpoints" });
  expect(await read("apiserver_requested_deprecated_apis")).toEqual({
    'group="",removed_release="",resource="endpoints",subresource="",version="v1"': 1,
  });
});

test("/metrics: it is text for Prometheus, and a DELETE forgets all", async () => {
  const { call, read } = await openMeasured();
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
  const { server, call } = await openMeasured();
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
