import { expect, test } from "vitest";
import { VirtualClock } from "../../../base/virtual-clock.ts";
import { MemoryStore } from "../../../store/memory/memory-store.ts";
import { laggingStore } from "../../allocation/lagging-store.test-support.ts";
import { inProcess } from "./quota-server.test-support.ts";

const named = (name: string, more: object = {}) => ({ metadata: { name }, ...more });
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
const pod = (name: string, requests: object = {}, more: object = {}) =>
  named(name, {
    spec: { containers: [{ name: "c", image: "i", resources: { requests } }], ...more },
  });
const service = (name: string, type: string, ports = 1) =>
  named(name, {
    spec: { type, ports: numbers(ports).map((n) => ({ name: `p${n}`, port: 80 + n })) },
  });

const exceeded =
  "is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=10, limited: configmaps=10";

test("as many of 64 concurrent creations succeed as the quota allows", async () => {
  const { quota, say, used, count } = await inProcess();
  await quota("q", { configmaps: "10" });
  const outcomeOf = await Promise.all(
    numbers(64).map((n) => say("POST", "configmaps", named(`c${n}`))),
  );
  expect(outcomeOf.filter((text) => text === "201").length).toBe(10);
  for (const text of outcomeOf.filter((one) => one !== "201")) expect(text).toContain(exceeded);
  expect(await used("q")).toEqual({ configmaps: "10" });
  expect(await count("configmaps")).toBe(10);
});

test("two servers, one of which is behind, do not exceed the quota", async () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const store = new MemoryStore(clock);
  const far = laggingStore(store);
  const [a, b] = [await inProcess({ clock, store }), await inProcess({ clock, store: far.store })];
  await a.quota("q", { configmaps: "10", "services.nodeports": "6" });
  far.lag();
  const outcomeOf = await Promise.all(
    numbers(64).flatMap((n) => {
      const { say } = n % 2 ? a : b;
      return [
        say("POST", "configmaps", named(`c${n}`)),
        say("POST", "services", service(`s${n}`, "NodePort", 2)),
      ];
    }),
  );
  expect(outcomeOf.filter((text) => text === "201").length).toBe(13);
  expect(await a.used("q")).toEqual({ configmaps: "10", "services.nodeports": "6" });
  expect(await a.count("configmaps")).toBe(10);
});

test("no two objects have the same version", async () => {
  const { quota, say, versions } = await inProcess();
  await quota("q", { configmaps: "100" });
  await Promise.all(numbers(64).map((n) => say("POST", "configmaps", named(`c${n}`))));
  expect(new Set(await versions("configmaps")).size).toBe(64);
});

test("an object and its charge are stored in one revision", async () => {
  const { quota, say, read, used } = await inProcess();
  await quota("q", { "count/pods": "2", "requests.cpu": "1" });
  expect(await say("POST", "pods", pod("a", { cpu: "250m" }))).toBe("201");
  const { metadata, status } = await read("q");
  expect(status.used).toEqual({ "count/pods": "1", "requests.cpu": "250m" });
  expect(
    await say(
      "GET",
      `pods?resourceVersionMatch=Exact&limit=1&resourceVersion=${metadata.resourceVersion}`,
    ),
  ).toBe("200");
  expect(
    metadata.managedFields?.map(({ manager, operation, subresource }) => [
      manager,
      operation,
      subresource,
    ]),
  ).toContainEqual(["kube-apiserver", "Update", "status"]);
  expect(await say("POST", "pods", pod("b", { cpu: "1" }))).toBe(
    '403 pods "b" is forbidden: exceeded quota: q, requested: requests.cpu=1, used: requests.cpu=250m, limited: requests.cpu=1',
  );
  expect(await used("q")).toEqual({ "count/pods": "1", "requests.cpu": "250m" });
});

test("writes that fail are not charged: taken names, errors, dry runs", async () => {
  const { quota, say, used } = await inProcess();
  await quota("q", { configmaps: "2", services: "1" });
  expect(await say("POST", "configmaps?dryRun=All", named("a"))).toBe("201");
  expect(await say("POST", "configmaps", named("a"))).toBe("201");
  const outcomeOf = await Promise.all(numbers(8).map(() => say("POST", "configmaps", named("a"))));
  expect(new Set(outcomeOf)).toEqual(new Set(['409 configmaps "a" already exists']));
  expect(await say("POST", "configmaps", named("A B"))).toMatch(/^422 /);
  expect(await used("q")).toEqual({ configmaps: "1", services: "0" });
  expect(await say("POST", "configmaps", named("b"))).toBe("201");
  expect(await say("POST", "configmaps?dryRun=All", named("c"))).toMatch(/^403 .*exceeded quota/);
});

test("an exceeded quota is reported before a taken name", async () => {
  const { quota, say } = await inProcess();
  await quota("q", { configmaps: "1" });
  expect(await say("POST", "configmaps", named("a"))).toBe("201");
  expect(await say("POST", "configmaps", named("a"))).toMatch(/^403 /);
  expect(await say("PUT", "configmaps/a", named("a", { data: { a: "b" } }))).toBe("200");
});

test("a service is charged for its new type", async () => {
  const { quota, say, used } = await inProcess();
  await quota("q", { services: "2", "services.nodeports": "2", "services.loadbalancers": "0" });
  expect(await say("POST", "services", service("a", "ClusterIP", 2))).toBe("201");
  expect(await say("PATCH", "services/a", { spec: { type: "LoadBalancer" } })).toBe(
    '403 services "a" is forbidden: exceeded quota: q, requested: services.loadbalancers=1, used: services.loadbalancers=0, limited: services.loadbalancers=0',
  );
  expect(await say("PATCH", "services/a", { spec: { type: "NodePort" } })).toBe("200");
  expect(await say("POST", "services", service("b", "NodePort"))).toMatch(/nodeports=1, used/);
  expect(await used("q")).toEqual({
    services: "1",
    "services.nodeports": "2",
    "services.loadbalancers": "0",
  });
});

test("a resized pod is charged for the increase", async () => {
  const { quota, say, used } = await inProcess();
  await quota("q", { "requests.cpu": "2" });
  expect(await say("POST", "pods", pod("a", { cpu: "500m" }))).toBe("201");
  const resized = (cpu: string) => ({
    spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu } } }] },
  });
  expect(await say("PATCH", "pods/a/resize", resized("3"))).toBe(
    '403 pods "a" is forbidden: exceeded quota: q, requested: requests.cpu=2500m, used: requests.cpu=500m, limited: requests.cpu=2',
  );
  expect(await say("PATCH", "pods/a/resize", resized("1500m"))).toBe("200");
  expect(await used("q")).toEqual({ "requests.cpu": "1500m" });
});

test("a quota counts quotas, and resources that clients define", async () => {
  const { quota, say, used } = await inProcess();
  const names = { plural: "toys", kind: "Toy" };
  const schema = { openAPIV3Schema: { type: "object" } };
  const versions = [{ name: "v1", served: true, storage: true, schema }];
  await say("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    metadata: { name: "toys.example.com" },
    spec: { group: "example.com", scope: "Namespaced", names, versions },
  });
  await quota("q", { "count/toys.example.com": "1", resourcequotas: "1" });
  const toys = "/apis/example.com/v1/namespaces/default/toys";
  const toy = (name: string) => named(name, { apiVersion: "example.com/v1", kind: "Toy" });
  expect(await say("POST", toys, toy("a"))).toBe("201");
  expect(await say("POST", toys, toy("b"))).toBe(
    '403 toys.example.com "b" is forbidden: exceeded quota: q, requested: count/toys.example.com=1, used: count/toys.example.com=1, limited: count/toys.example.com=1',
  );
  expect(await say("POST", "resourcequotas", named("r"))).toBe("201");
  expect(await say("POST", "resourcequotas", named("s"))).toMatch(/resourcequotas=1, used/);
  expect(await used("q")).toEqual({ "count/toys.example.com": "1", resourcequotas: "1" });
});

test("a quota without a status rejects writes that use its resources", async () => {
  const { say } = await inProcess();
  const spec = { hard: { configmaps: "1" } };
  await say("POST", "resourcequotas", named("q", { spec }));
  // No limits are in force yet.
  expect(await say("POST", "configmaps", named("a"))).toBe("201");
  await say("PATCH", "resourcequotas/q/status", { status: { hard: spec.hard } });
  expect(await say("POST", "configmaps", named("b"))).toBe(
    '403 configmaps "b" is forbidden: status unknown for quota: q, resources: configmaps',
  );
});

test("resources that the server is configured to limit need a quota", async () => {
  const limitedResources = [
    { resource: "configmaps", matchContains: ["count/"] },
    {
      resource: "pods",
      matchScopes: [
        { scopeName: "PriorityClass", operator: "In", values: ["system-node-critical"] },
      ],
    },
  ];
  const ResourceQuota = {
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "ResourceQuotaConfiguration",
    limitedResources,
  };
  const { say, quota } = await inProcess({ admission: { configuration: { ResourceQuota } } });
  expect(await say("POST", "configmaps", named("a"))).toBe(
    '403 configmaps "a" is forbidden: insufficient quota to consume: count/configmaps',
  );
  expect(
    await say("POST", "pods", pod("a", {}, { priorityClassName: "system-node-critical" })),
  ).toBe(
    "500 insufficient quota to match these scopes: [{PriorityClass In [system-node-critical]}]",
  );
  await quota("q", { "count/configmaps": "1" });
  expect(await say("POST", "configmaps", named("a"))).toBe("201");
});

test("an invalid configuration is rejected", async () => {
  const made = (ResourceQuota: object) =>
    inProcess({ admission: { configuration: { ResourceQuota } } }).catch(
      (error: Error) => error.message,
    );
  const problem = 'couldn\'t init admission plugin "ResourceQuota": ';
  expect(await made({ limitedResources: [{}] })).toBe(
    `${problem}limitedResources[0].resource: Required value`,
  );
  expect(await made({ apiVersion: "v1", kind: "Other" })).toMatch('no kind "Other" is registered');
});
