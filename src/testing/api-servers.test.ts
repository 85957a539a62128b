import { expect, test } from "vitest";
import { APIService } from "../api/apiregistration/v1/api-service.ts";
import { Namespace } from "../api/core/v1/namespace.ts";
import { ClusterRole } from "../api/rbac/v1/cluster-role.ts";
import { ClusterRoleBinding } from "../api/rbac/v1/cluster-role-binding.ts";
import { aborted } from "../base/on-abort.ts";
import { apiServer } from "../cluster/extension/api-server.ts";
import { computed } from "../cluster/extension/computed-kind.ts";
import { conversion } from "../controller-runtime/webhooks/conversion.ts";
import { webhook } from "../controller-runtime/webhooks/webhook.ts";
import { struct } from "../custom-kinds/language/containers.ts";
import { kind } from "../custom-kinds/language/kind.ts";
import { int32, string } from "../custom-kinds/language/scalars.ts";
import { startCluster } from "./start-cluster.ts";

const group = "wardle.example.com";
const flunders = { group, kind: "Flunder", plural: "flunders", scope: "Namespaced" } as const;
const FlunderAlpha = kind({
  ...flunders,
  version: "v1alpha1",
  fields: { spec: struct({ reference: string() }) },
});
const Flunder = kind({
  ...flunders,
  version: "v1",
  shortNames: ["fl"],
  fields: {
    spec: struct({ ref: string().max(10), size: int32().default(3) }).required(),
    status: struct({ phase: string() }),
  },
  columns: [{ name: "Ref", type: "string", jsonPath: ".spec.ref" }],
  otherVersions: [FlunderAlpha],
});
const Uptime = kind({
  group,
  version: "v1",
  kind: "Uptime",
  plural: "uptimes",
  scope: "Cluster",
  fields: { seconds: int32(), user: string() },
});

const server = () =>
  apiServer({
    name: "wardle",
    kinds: [
      Flunder,
      computed(Uptime, {
        get: ({ name, user }) =>
          name === "self" ? { metadata: { name }, seconds: 7, user: user.name } : undefined,
        list: ({ user }) => [{ metadata: { name: "self" }, seconds: 7, user: user.name }],
      }),
    ],
    versions: [
      {
        group: "open.example.com",
        version: "v1",
        resources: () => [{ name: "pods/requests", kind: "Count", namespaced: true }],
        get: ({ namespace, resource, name, subresource }) =>
          resource === "pods" ? { kind: "Count", path: [namespace, name, subresource] } : undefined,
      },
    ],
    webhooks: [
      webhook({
        for: Flunder,
        default(flunder) {
          flunder.spec.ref ??= "none";
        },
        validate: ({ spec }) => (spec.ref === "bad" ? "this reference is bad" : undefined),
        convert: [
          conversion({
            hub: Flunder,
            version: FlunderAlpha,
            toHub: ({ spec }) => ({ spec: { ref: spec?.reference } }),
            fromHub: ({ spec }) => ({ spec: { reference: spec.ref } }),
          }),
        ],
      }),
    ],
  });

test("a server of other APIs runs behind the aggregator of a cluster, without sockets", async () => {
  await using cluster = await startCluster({ clock: "virtual" });
  const { client } = cluster;
  await using running = await cluster.run([server()]);
  const { status } = await client.get(APIService, { name: `v1.${group}` });
  expect(status?.conditions?.map(({ type, status, reason }) => [type, status, reason])).toEqual([
    ["Available", "True", "Passed"],
  ]);

  const created = await client.create(Flunder, { metadata: { name: "a" }, spec: {} });
  expect(created.spec).toEqual({ ref: "none", size: 3 });
  expect((await client.get(FlunderAlpha, { name: "a" })).spec).toEqual({ reference: "none" });
  const events = client.watch(Flunder)[Symbol.asyncIterator]();
  expect((await events.next()).value).toMatchObject({ type: "ADDED", object: created });
  await client.patch(Flunder, { name: "a" }, { merge: { spec: { size: 5 } } });
  expect((await events.next()).value).toMatchObject({
    type: "MODIFIED",
    object: { spec: { size: 5 } },
  });
  await client.apply(
    FlunderAlpha,
    { metadata: { name: "b" }, spec: { reference: "x" } },
    { fieldManager: "t" },
  );
  const { items } = await client.list(Flunder);
  expect(items.map(({ spec }) => spec)).toEqual([
    { ref: "none", size: 5 },
    { ref: "x", size: 3 },
  ]);
  const message = (call: Promise<unknown>) => call.then(String, ({ message }) => message);
  const bad = { metadata: { name: "c" }, spec: { ref: "bad" } };
  expect(await message(client.create(Flunder, bad))).toBe("this reference is bad");
  const elsewhere = { metadata: { name: "c", namespace: "nowhere" }, spec: {} };
  expect(await message(client.create(Flunder, elsewhere))).toBe('namespaces "nowhere" not found');
  await client.delete(Flunder, { name: "a" });
  expect((await client.list(Flunder)).items).toHaveLength(1);

  const { value } = await client.raw({
    method: "GET",
    path: `/apis/${group}/v1/namespaces/default/flunders`,
    headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
  });
  expect(await value()).toMatchObject({
    kind: "Table",
    columnDefinitions: [{ name: "Name" }, { name: "Ref" }, { name: "Age" }],
    rows: [{ cells: ["b", "x", "0s"] }],
  });
  await running.stop();
  expect((await client.list(APIService)).items.some(({ spec }) => spec.service)).toBe(false);
});

test("callers are those of the cluster, and so are their rights", async () => {
  await using cluster = await startCluster({ clock: "virtual" });
  await using _running = await cluster.run([server()]);
  const { client } = cluster;
  const eve = cluster.as("eve");
  const forbidden = `uptimes.${group} is forbidden: User "eve" cannot list resource "uptimes" in API group "${group}" at the cluster scope`;
  await expect(eve.list(Uptime)).rejects.toThrow(forbidden);
  await client.create(ClusterRole, {
    metadata: { name: "uptimes" },
    rules: [{ apiGroups: [group], resources: ["uptimes"], verbs: ["list"] }],
  });
  await client.create(ClusterRoleBinding, {
    metadata: { name: "uptimes" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "uptimes" },
    subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "eve" }],
  });
  await cluster.advance("11s");
  const { items } = await eve.list(Uptime);
  expect(items).toEqual([
    {
      apiVersion: `${group}/v1`,
      kind: "Uptime",
      metadata: { name: "self" },
      seconds: 7,
      user: "eve",
    },
  ]);
  await expect(client.get(Uptime, { name: "other" })).rejects.toThrow(
    `uptimes.${group} "other" not found`,
  );
  await expect(client.create(Uptime, { metadata: { name: "x" } })).rejects.toThrow(
    `create is not supported on resources of kind "uptimes.${group}"`,
  );
});

test("computed objects can be watched, and created like reviews", async () => {
  const Guess = kind({
    group,
    version: "v1",
    kind: "Guess",
    plural: "guesses",
    scope: "Cluster",
    fields: { number: int32().required(), answer: string() },
  });
  let isEnded = false;
  const guesses = computed(Guess, {
    async *watch({ signal }) {
      for (const number of [1, 2])
        yield { type: "ADDED", object: { metadata: { name: `${number}` }, number } };
      await aborted(signal);
      isEnded = true;
    },
    create({ number, ...rest }, { user, isDryRun, warn }) {
      if (number > 100) warn("that is much");
      return {
        ...rest,
        number,
        answer: `${user.name} ${isDryRun ? "tries" : "guesses"} ${number}`,
      };
    },
  });
  await using cluster = await startCluster({ clock: "virtual" });
  await using _running = await cluster.run([apiServer({ name: "guesses", kinds: [guesses] })]);
  const { client } = cluster;
  const seen: unknown[] = [];
  for await (const { type, object } of client.watch(Guess, {
    fieldSelector: { "metadata.name": "2" },
  })) {
    seen.push({ type, object });
    break;
  }
  expect(seen).toMatchObject([{ type: "ADDED", object: { number: 2 } }]);
  await cluster.settled();
  expect(isEnded).toBe(true);
  const guess = { metadata: { name: "a" }, number: 101 };
  const { value, headers } = await client.raw({
    method: "POST",
    path: `/apis/${group}/v1/guesses`,
    body: { apiVersion: `${group}/v1`, kind: "Guess", ...guess },
    query: { dryRun: "All" },
  });
  expect(await value()).toMatchObject({ answer: "kubernetes-admin tries 101" });
  expect(headers.warning).toEqual(expect.stringContaining("that is much"));
  expect((await client.create(Guess, { ...guess, number: 3 })).answer).toBe(
    "kubernetes-admin guesses 3",
  );
  await expect(client.list(Guess)).rejects.toThrow("list is not supported");
});

test("discovery and OpenAPI have its kinds, and open versions have any resource", async () => {
  await using cluster = await startCluster({ clock: "virtual" });
  await using _running = await cluster.run([server()]);
  const { client } = cluster;
  await cluster.advance("61s");
  const get = async (path: string, accept = "application/json") => {
    const { value } = await client.raw({ method: "GET", path, headers: { accept } });
    const read = await value();
    // biome-ignore lint/suspicious/noExplicitAny: documents of many shapes
    return (typeof read === "string" ? JSON.parse(read) : read) as any;
  };
  const list = await get(`/apis/${group}/v1`);
  expect(
    list.resources.map(({ name, verbs }: { name: string; verbs: string[] }) => [
      name,
      verbs.length,
    ]),
  ).toEqual([
    ["flunders", 8],
    ["flunders/status", 3],
    ["uptimes", 2],
  ]);
  const aggregated = await get(
    "/apis",
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  );
  const found = aggregated.items.find(
    ({ metadata }: { metadata: { name: string } }) => metadata.name === group,
  );
  expect(
    found.versions.map(({ version, freshness }: Record<string, unknown>) => [version, freshness]),
  ).toEqual([
    ["v1", "Current"],
    ["v1alpha1", "Current"],
  ]);
  const { paths } = await get("/openapi/v3");
  expect(Object.keys(paths)).toContain(`apis/${group}/v1`);
  const v2 = await get("/openapi/v2");
  expect(Object.keys(v2.paths)).toContain(
    `/apis/${group}/v1/namespaces/{namespace}/flunders/{name}`,
  );

  expect(await get("/apis/open.example.com/v1/namespaces/default/pods/*/requests")).toEqual({
    kind: "Count",
    path: ["default", "*", "requests"],
  });
  expect(await get("/apis/open.example.com/v1/namespaces/default/nodes/a/requests")).toMatchObject({
    code: 404,
  });
  expect((await get("/apis/open.example.com/v1")).resources).toEqual([
    { name: "pods/requests", singularName: "", kind: "Count", namespaced: true, verbs: ["get"] },
  ]);
  const namespace = await client.create(Namespace, { metadata: { name: "n" } });
  expect(namespace.metadata.name).toBe("n");
});
