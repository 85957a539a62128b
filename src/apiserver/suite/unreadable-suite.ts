import { expect } from "vitest";
import type { Store } from "../../store/store.ts";
import {
  type Api,
  configMap,
  configMaps,
  failure,
  names,
  pod,
  pods,
  type SuiteTest,
} from "./harness-suite.ts";

const watching = `${configMaps}?watch=1`;
const key = "/registry/configmaps/default/bad";
/** What upstream writes before protobuf, and then nothing that is. */
const badBytes = Uint8Array.of(0x6b, 0x38, 0x73, 0x00, 0xff, 0xff, 0xff);

/** Objects in the store that cannot be decoded: who is told, who goes on, and how it ends. */
export function unreadableSuite(test: SuiteTest): void {
  test("a get or list of an unreadable object fails and names its key", async (api) => {
    await api.create(configMaps, configMap("good"));
    await damage(api.harness.store);
    const answers = [
      await api.get(`${configMaps}/bad`),
      await api.get(configMaps),
      await api.get("/api/v1/configmaps"),
      await api.get(`${configMaps}?limit=10`),
      await api.delete(`${configMaps}/bad`),
    ];
    for (const answer of answers)
      expect(failure(answer)).toEqual([
        500,
        "InternalError",
        expect.stringMatching(/^Internal error occurred: \S*\/configmaps\/default\/bad cannot be /),
      ]);
    const { text } = await api.get("/metrics");
    expect(text).toContain(
      'apiserver_storage_decode_errors_total{group="",resource="configmaps"} 5',
    );
  });

  test("an unreadable object does not affect other objects", async (api) => {
    await damage(api.harness.store);
    await api.create(configMaps, configMap("good", { data: { a: "1" } }));
    await api.replace(`${configMaps}/good`, configMap("good", { data: { a: "2" } }));
    expect((await api.read(`${configMaps}/good`)).data).toEqual({ a: "2" });
    const watch = await api.watch(`${pods}?watch=1`);
    await api.create(pods, pod("web"));
    expect(await watch.take(1)).toEqual(["ADDED web"]);
    expect(names(await api.read(pods))).toEqual(["web"]);
  });

  test("a watch that reaches an unreadable object ends with an error that names its key", async (api) => {
    const { metadata } = await api.create(configMaps, configMap("a"));
    const from = `&resourceVersion=${metadata.resourceVersion}`;
    const watches = [
      await api.watch(watching + from),
      await api.watch(`${watching}${from}&labelSelector=a%21%3Db`),
    ];
    await api.create(configMaps, configMap("b"));
    await damage(api.harness.store);
    for (const watch of watches) {
      expect(await watch.take(1)).toEqual(["ADDED b"]);
      const [error, ...rest] = await watch.rest();
      expect(error).toMatchObject({
        type: "ERROR",
        object: { code: 500, reason: "InternalError" },
      });
      expect(error?.object.message).toContain("/configmaps/default/bad cannot be decoded");
      expect(rest).toEqual([]);
    }
  });

  test(
    "a server that starts with unreadable objects of many kinds serves all others",
    async (api) => {
      await api.create(configMaps, configMap("good"));
      expect((await api.get(configMaps)).status).toEqual(500);
      expect((await api.get("/apis/rbac.authorization.k8s.io/v1/clusterroles")).status).toEqual(
        500,
      );
      expect((await api.get("/apis/rbac.authorization.k8s.io/v1/roles")).status).toEqual(200);
      expect((await api.get("/readyz")).text).toEqual("ok");
      await mend(api, key);
      expect(names(await api.read(configMaps))).toEqual(["good"]);
    },
    async (store) => {
      for (const where of startKeys) await damage(store, where);
    },
  );

  test("requests succeed again once the object is repaired or deleted in the store", async (api) => {
    await api.create(configMaps, configMap("bad", { data: { a: "1" } }));
    const before = await api.harness.store.get(key);
    await damage(api.harness.store);
    expect((await api.get(configMaps)).status).toEqual(500);
    await api.harness.store.commit([
      { type: "put", key, value: before?.value ?? new Uint8Array() },
    ]);
    const { items, metadata } = await api.read(configMaps);
    expect(items.map(({ data }) => data)).toEqual([{ a: "1" }]);
    const watch = await api.watch(`${watching}&resourceVersion=${metadata.resourceVersion}`);
    await api.create(configMaps, configMap("next"));
    expect(await watch.take(1)).toEqual(["ADDED next"]);
    await damage(api.harness.store);
    expect((await api.get(configMaps)).status).toEqual(500);
    await mend(api, key);
    expect(names(await api.read(configMaps))).toEqual(["next"]);
  });

  test("a role binding that becomes unreadable still grants its role until it is deleted", async (api) => {
    const bindings = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };
    const subjects = [
      { kind: "Group", name: "system:unauthenticated", apiGroup: roleRef.apiGroup },
    ];
    const kind = "ClusterRoleBinding";
    const apiVersion = "rbac.authorization.k8s.io/v1";
    await api.create(bindings, { kind, apiVersion, metadata: { name: "all" }, roleRef, subjects });
    const mayList = async () =>
      (await api.call("GET", configMaps, { anonymous: true })).status === 200;
    const before = await mayList();
    const where = "/registry/clusterrolebindings/all";
    await damage(api.harness.store, where);
    const meanwhile = await mayList();
    await mend(api, where);
    expect([before, meanwhile, await mayList()]).toEqual([true, true, false]);
  });
}

const startKeys = [
  key,
  "/registry/clusterroles/bad",
  "/registry/clusterrolebindings/bad",
  "/registry/rolebindings/default/bad",
  "/registry/namespaces/bad",
  "/registry/serviceaccounts/default/bad",
  "/registry/pods/default/bad",
  "/registry/apiregistration.k8s.io/apiservices/v1.bad",
  "/registry/apiextensions.k8s.io/customresourcedefinitions/bad.example.com",
  "/registry/servicecidrs/bad",
  "/registry/priorityclasses/bad",
  "/registry/resourcequotas/other/bad",
  "/registry/flowschemas/bad",
  "/registry/leases/kube-system/bad",
];

const damage = (store: Store, where = key) =>
  store.commit([{ type: "put", key: where, value: badBytes }]);

const mend = (api: Api, where: string) =>
  api.harness.store.commit([{ type: "delete", key: where }]);
