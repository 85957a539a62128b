import { PassThrough } from "node:stream";
import {
  ApiException,
  AppsV1Api,
  AuthorizationV1Api,
  CoreV1Api,
  CustomObjectsApi,
  createConfiguration,
  KubeConfig,
  type KubernetesObject,
  KubernetesObjectApi,
  ListWatch,
  Log,
  makeInformer,
  PatchStrategy,
  ServerConfiguration,
  setHeaderOptions,
  type V1ConfigMap,
  VersionApi,
  Watch,
} from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningServer, start } from "../../src/cluster/commands/apiserver/apiserver.ts";
import { newDirectory } from "../support/server-process.test-support.ts";
import { type Http2Transport, http2Transport } from "./client-node.test-support.ts";

const directory = newDirectory();
let server: RunningServer;
let config: KubeConfig;
let http2: Http2Transport;
beforeAll(async () => {
  server = await start({ dir: directory.data, host: "127.0.0.1", port: 0 });
  config = new KubeConfig();
  config.loadFromFile(server.kubeconfig);
  http2 = await http2Transport(config);
});
afterAll(async () => {
  http2.close();
  await server.close();
  directory.remove();
});

type ApiClass<T> = new (configuration: ReturnType<typeof createConfiguration>) => T;

describe.each(["HTTP/1.1", "HTTP/2"] as const)("the JavaScript client, over %s", (version) => {
  const isHttp2 = version === "HTTP/2";
  const namespace = isHttp2 ? "two" : "one";
  const client = <T>(api: ApiClass<T>): T => {
    const baseServer = new ServerConfiguration(config.getCurrentCluster()?.server ?? "", {});
    const own = { baseServer, httpApi: http2.library };
    return new api(
      createConfiguration(isHttp2 ? own : { baseServer, authMethods: { default: config } }),
    );
  };
  const core = (): CoreV1Api => client(CoreV1Api);
  const watch = (): Watch => (isHttp2 ? http2.watch : new Watch(config));
  const type = (value: PatchStrategy) => setHeaderOptions("Content-Type", value);
  const configMap = (name: string, data = {}): V1ConfigMap => ({ metadata: { name }, data });
  const create = (body: V1ConfigMap) => core().createNamespacedConfigMap({ namespace, body });
  const names = async (more = {}) =>
    (await core().listNamespacedConfigMap({ namespace, ...more })).items.map(
      ({ metadata }) => metadata?.name,
    );

  test("reads the version, and creates a namespace", async () => {
    expect((await client(VersionApi).getCode()).minor).toBe("36");
    const { status } = await core().createNamespace({ body: { metadata: { name: namespace } } });
    expect(status?.phase).toBe("Active");
  });

  test("creates, reads, lists in pages, replaces and deletes", async () => {
    for (const name of ["a", "b", "c"])
      await create({
        ...configMap(name),
        metadata: { name, labels: { set: name < "c" ? "x" : "y" } },
      });
    expect(await names()).toEqual(["a", "b", "c"]);
    expect(await names({ labelSelector: "set=x" })).toEqual(["a", "b"]);
    expect(await names({ fieldSelector: "metadata.name=c" })).toEqual(["c"]);
    const page = await core().listNamespacedConfigMap({ namespace, limit: 2 });
    const { _continue, remainingItemCount } = page.metadata ?? {};
    expect([page.items.length, remainingItemCount]).toEqual([2, 1]);
    expect(await names({ limit: 2, _continue })).toEqual(["c"]);
    const read = await core().readNamespacedConfigMap({ namespace, name: "a" });
    expect(read.metadata?.creationTimestamp).toBeInstanceOf(Date);
    const body = { ...read, data: { k: "v" } };
    const replaced = await core().replaceNamespacedConfigMap({ namespace, name: "a", body });
    expect(replaced.data).toEqual({ k: "v" });
    const late = core().replaceNamespacedConfigMap({ namespace, name: "a", body });
    await expect(late).rejects.toMatchObject({ code: 409 });
    expect((await core().deleteNamespacedConfigMap({ namespace, name: "b" })).status).toBe(
      "Success",
    );
    await core().deleteCollectionNamespacedConfigMap({ namespace, labelSelector: "set=y" });
    expect(await names()).toEqual(["a"]);
  });

  test("patches with every patch type, and applies", async () => {
    const patch = (strategy: PatchStrategy, body: object, more = {}) =>
      core().patchNamespacedConfigMap({ namespace, name: "a", body, ...more }, type(strategy));
    const merged = await patch(PatchStrategy.MergePatch, { data: { m: "1", k: null } });
    expect(merged.data).toEqual({ m: "1" });
    const operations = [{ op: "add", path: "/data/j", value: "2" }];
    expect((await patch(PatchStrategy.JsonPatch, operations)).data).toEqual({ m: "1", j: "2" });
    const strategic = { metadata: { finalizers: ["x/y"] }, data: { s: "3" } };
    await patch(PatchStrategy.StrategicMergePatch, strategic);
    const removal = { metadata: { "$deleteFromPrimitiveList/finalizers": ["x/y"] } };
    const after = await patch(PatchStrategy.StrategicMergePatch, removal);
    expect([after.metadata?.finalizers, after.data]).toEqual([
      undefined,
      { m: "1", j: "2", s: "3" },
    ]);

    const applied = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a" },
      data: { m: "9" },
    };
    const conflict = patch(PatchStrategy.ServerSideApply, applied, { fieldManager: "me" });
    await expect(conflict).rejects.toMatchObject({ code: 409 });
    const forced = { fieldManager: "me", force: true };
    const owned = await patch(PatchStrategy.ServerSideApply, applied, forced);
    expect(owned.data).toMatchObject({ m: "9" });
    expect(
      owned.metadata?.managedFields?.map(({ manager, operation }) => `${manager} ${operation}`),
    ).toContain("me Apply");
  });

  test("errors have the Status", async () => {
    const error = await core()
      .readNamespacedPod({ namespace, name: "none" })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiException);
    const { code, body } = error as ApiException<string>;
    const status = (typeof body === "string" ? JSON.parse(body) : body) as Record<string, unknown>;
    expect(code).toBe(404);
    expect(status).toMatchObject({
      kind: "Status",
      reason: "NotFound",
      message: 'pods "none" not found',
    });
    await expect(create(configMap("Not A Name"))).rejects.toMatchObject({ code: 422 });
    await expect(create(configMap("a"))).rejects.toMatchObject({ code: 409 });
    const elsewhere = core().createNamespacedConfigMap({ namespace: "none", body: configMap("a") });
    await expect(elsewhere).rejects.toMatchObject({ code: 404 });
  });

  test("scales a deployment, reviews access, and lists custom objects", async () => {
    const template = {
      metadata: { labels: { a: "b" } },
      spec: { containers: [{ name: "c", image: "i" }] },
    };
    const spec = { selector: { matchLabels: { a: "b" } }, template };
    const apps = client(AppsV1Api);
    await apps.createNamespacedDeployment({ namespace, body: { metadata: { name: "d" }, spec } });
    const scale = await apps.readNamespacedDeploymentScale({ namespace, name: "d" });
    const body = { ...scale, spec: { replicas: 5 } };
    await apps.replaceNamespacedDeploymentScale({ namespace, name: "d", body });
    expect((await apps.readNamespacedDeployment({ namespace, name: "d" })).spec?.replicas).toBe(5);
    const review = await client(AuthorizationV1Api).createSelfSubjectAccessReview({
      body: { spec: { resourceAttributes: { verb: "get", resource: "pods" } } },
    });
    expect(review.status?.allowed).toBe(true);
    const group = { group: "none.example.com", version: "v1", plural: "things" };
    await expect(client(CustomObjectsApi).listClusterCustomObject(group)).rejects.toMatchObject({
      code: 404,
    });
  });

  test("watches changes", async () => {
    const { metadata } = await core().listNamespacedConfigMap({ namespace });
    const seen: string[] = [];
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const from = { resourceVersion: metadata?.resourceVersion };
    const controller = await watch().watch(
      path,
      from,
      (phase, object: V1ConfigMap) => seen.push(`${phase} ${object.metadata?.name}`),
      () => {},
    );
    await create(configMap("w"));
    await core().replaceNamespacedConfigMap({
      namespace,
      name: "w",
      body: configMap("w", { k: "v" }),
    });
    await core().deleteNamespacedConfigMap({ namespace, name: "w" });
    await expect.poll(() => seen).toEqual(["ADDED w", "MODIFIED w", "DELETED w"]);
    controller.abort();
  });

  test("an informer has the current objects, also after its watch was interrupted", async () => {
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const list = () => core().listNamespacedConfigMap({ namespace });
    const informer = isHttp2
      ? new ListWatch<V1ConfigMap>(path, watch(), list, false)
      : makeInformer<V1ConfigMap>(config, path, list);
    const seen: string[] = [];
    informer.on("add", ({ metadata }) => seen.push(`add ${metadata?.name}`));
    informer.on("update", ({ metadata }) => seen.push(`update ${metadata?.name}`));
    informer.on("delete", ({ metadata }) => seen.push(`delete ${metadata?.name}`));
    await informer.start();
    await expect.poll(() => seen).toEqual(["add a"]);
    await create(configMap("i"));
    await expect.poll(() => seen.at(-1)).toBe("add i");
    await informer.stop();
    await core().deleteNamespacedConfigMap({ namespace, name: "a" });
    await create(configMap("late"));
    await informer.start();
    await expect
      .poll(() =>
        informer
          .list()
          .map(({ metadata }) => metadata?.name)
          .sort(),
      )
      .toEqual(["i", "late"]);
    expect(seen).toContain("delete a");
    await informer.stop();
  });

  test("objects of any kind are read and applied by apiVersion and kind", async () => {
    const objects = client(KubernetesObjectApi as unknown as ApiClass<KubernetesObjectApi>);
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "any", namespace } };
    const { metadata } = await objects.create<KubernetesObject>(object);
    expect(metadata?.uid).toBeDefined();
    const patched = await objects.patch(
      { ...object, data: { k: "v" } } as never,
      undefined,
      undefined,
      "m",
      true,
      PatchStrategy.ServerSideApply,
    );
    expect(patched).toMatchObject({ data: { k: "v" } });
    expect((await objects.list("v1", "ConfigMap", namespace)).items.length).toBeGreaterThan(0);
    await objects.delete(object);
    await expect(objects.read(object)).rejects.toMatchObject({ code: 404 });
  });

  test("the log of a missing pod is an error", async () => {
    const reading = isHttp2
      ? core().readNamespacedPodLog({ namespace, name: "none" })
      : new Log(config).log(namespace, "none", "c", new PassThrough());
    await expect(reading).rejects.toMatchObject({ code: 404 });
  });
});
