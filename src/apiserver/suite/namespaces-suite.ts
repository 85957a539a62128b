import { expect } from "vitest";
import {
  type Api,
  configMap,
  configMaps,
  failure,
  names,
  type SuiteTest,
  systemConfigMap,
} from "./harness-suite.ts";

const namespaces = "/api/v1/namespaces";

/** Namespaces, from their creation to their end. */
export function namespacesSuite(test: SuiteTest): void {
  test("a new cluster has its namespaces, with a service account in each", async (api) => {
    const wanted = ["default", "kube-node-lease", "kube-public", "kube-system"];
    expect(names(await api.read(namespaces))).toEqual(wanted);
    const accounts = await api.read("/api/v1/serviceaccounts");
    expect(accounts.items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual(
      wanted.map((name) => `${name}/default`),
    );
  });

  test("objects live in namespaces that exist", async (api) => {
    expect(failure(await api.post("/api/v1/namespaces/none/configmaps", configMap("a")))).toEqual([
      404,
      "NotFound",
      'namespaces "none" not found',
    ]);
    expect(names(await api.read("/api/v1/namespaces/none/configmaps"))).toEqual([]);
  });

  test("an object is in the namespace of its path", async (api) => {
    await addNamespace(api, "x");
    const body = { ...configMap("a"), metadata: { name: "a", namespace: "x" } };
    expect(failure(await api.post(configMaps, body))).toEqual([
      400,
      "BadRequest",
      "the namespace of the provided object does not match the namespace sent on the request",
    ]);
    await api.create("/api/v1/namespaces/x/configmaps", configMap("a"));
    expect(names(await api.read(configMaps))).toEqual([]);
    expect(names(await api.read("/api/v1/configmaps"))).toEqual([systemConfigMap, "a"]);
  });

  test("a terminating namespace accepts no new objects, and is removed when it is finalized", async (api) => {
    await addNamespace(api, "x");
    const inside = "/api/v1/namespaces/x/configmaps";
    await api.create(inside, configMap("old"));
    const ending = await api.delete(`${namespaces}/x`);
    expect([ending.status, ending.body.status, ending.body.metadata.deletionTimestamp]).toEqual([
      200,
      { phase: "Terminating" },
      "2026-01-01T00:00:00Z",
    ]);
    const refused = await api.post(inside, configMap("new"));
    expect(refused.body).toMatchObject({
      code: 403,
      reason: "Forbidden",
      message:
        'configmaps "new" is forbidden: unable to create new content in namespace x because it is being terminated',
      details: {
        name: "new",
        kind: "configmaps",
        causes: [
          {
            reason: "NamespaceTerminating",
            message: "namespace x is being terminated",
            field: "metadata.namespace",
          },
        ],
      },
    });
    const changed = await api.put(`${inside}/old`, configMap("old", { data: { k: "v" } }));
    expect([changed.status, (await api.delete(`${inside}/old`)).status]).toEqual([200, 200]);
    const { metadata } = await api.read(`${namespaces}/x`);
    const finalized = await api.put(`${namespaces}/x/finalize`, {
      ...ending.body,
      metadata,
      spec: { finalizers: [] },
    });
    expect(finalized.status).toEqual(200);
    expect((await api.get(`${namespaces}/x`)).status).toEqual(404);
  });

  test("the first namespaces cannot be deleted", async (api) => {
    expect(failure(await api.delete(`${namespaces}/default`))).toEqual([
      403,
      "Forbidden",
      'namespaces "default" is forbidden: this namespace may not be deleted',
    ]);
  });
}

const addNamespace = (api: Api, name: string) =>
  api.create(namespaces, { kind: "Namespace", apiVersion: "v1", metadata: { name } });
