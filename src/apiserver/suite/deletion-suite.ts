import { expect } from "vitest";
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

/** How objects end. */
export function deletionSuite(test: SuiteTest): void {
  test("a delete responds with a Status that names the object", async (api) => {
    const { metadata } = await api.create(configMaps, configMap("a"));
    expect((await api.delete(`${configMaps}/a`)).body).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: { name: "a", kind: "configmaps", uid: metadata.uid },
    });
    expect((await api.get(`${configMaps}/a`)).status).toEqual(404);
  });

  test("a delete can have preconditions on uid and resourceVersion", async (api) => {
    const { metadata } = await api.create(configMaps, configMap("a"));
    const { uid, resourceVersion } = metadata;
    const path = `${configMaps}/a`;
    expect([
      failure(await api.delete(path, { preconditions: { uid: "other" } })),
      failure(await api.delete(path, { preconditions: { uid, resourceVersion: "1" } })),
      (await api.delete(path, { preconditions: { uid, resourceVersion } })).status,
    ]).toEqual([
      [
        409,
        "Conflict",
        `Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (other) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
      ],
      [
        409,
        "Conflict",
        `Operation cannot be fulfilled on ConfigMap "a": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
      ],
      200,
    ]);
  });

  test("an object stays until its last finalizer is removed", async (api) => {
    const finalizers = ["example.com/a", "example.com/b"];
    await api.create(configMaps, { ...configMap("a"), metadata: { name: "a", finalizers } });
    const marked = await api.delete(`${configMaps}/a`);
    expect(marked.body.metadata).toMatchObject({
      finalizers,
      deletionTimestamp: "2026-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 0,
    });
    const again = await api.post(configMaps, configMap("a"));
    expect(failure(again)).toEqual([
      409,
      "AlreadyExists",
      'object is being deleted: configmaps "a" already exists',
    ]);
    const setFinalizers = (value: readonly string[]) =>
      api.patch(`${configMaps}/a`, "merge-patch", { metadata: { finalizers: value } });
    const refused = await setFinalizers([...finalizers, "example.com/c"]);
    expect([refused.status, refused.body.message]).toEqual([
      422,
      'ConfigMap "a" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/c"}',
    ]);
    expect((await setFinalizers(["example.com/b"])).body.metadata.finalizers).toEqual([
      "example.com/b",
    ]);
    expect((await setFinalizers([])).status).toEqual(200);
    expect((await api.get(`${configMaps}/a`)).status).toEqual(404);
  });

  test("foreground and orphaning deletion leave the object to the garbage collector", async (api) => {
    const finalizersAfter = async (name: string, propagationPolicy: string) => {
      await api.create(configMaps, configMap(name));
      const { body } = await api.delete(`${configMaps}/${name}`, { propagationPolicy });
      return body.metadata.finalizers;
    };
    expect([
      await finalizersAfter("f", "Foreground"),
      await finalizersAfter("o", "Orphan"),
      await finalizersAfter("b", "Background"),
    ]).toEqual([["foregroundDeletion"], ["orphan"], undefined]);
  });

  test("a pod on a node keeps its grace period, and is removed by the kubelet", async (api) => {
    await onNode(api, "a");
    const { body } = await api.delete(`${pods}/a`);
    expect(body.metadata).toMatchObject({
      deletionTimestamp: "2026-01-01T00:00:30Z",
      deletionGracePeriodSeconds: 30,
    });
    const shorter = await api.delete(`${pods}/a?gracePeriodSeconds=5`);
    expect(shorter.body.metadata).toMatchObject({
      deletionTimestamp: "2026-01-01T00:00:05Z",
      deletionGracePeriodSeconds: 5,
    });
    const longer = await api.delete(`${pods}/a?gracePeriodSeconds=60`);
    expect(longer.body).toEqual(shorter.body);
    expect((await api.delete(`${pods}/a?gracePeriodSeconds=0`)).status).toEqual(200);
    expect((await api.get(`${pods}/a`)).status).toEqual(404);
  });

  test("a pod without a node is deleted at once", async (api) => {
    await api.create(pods, pod("a"));
    const { body } = await api.delete(`${pods}/a`);
    expect([body.kind, body.metadata.deletionGracePeriodSeconds]).toEqual(["Pod", 0]);
    expect((await api.get(`${pods}/a`)).status).toEqual(404);
  });

  test("a pod with a finalizer outlives its grace period", async (api) => {
    await api.create(pods, { ...pod("a"), metadata: { name: "a", finalizers: ["example.com/a"] } });
    await api.delete(`${pods}/a?gracePeriodSeconds=0`);
    expect((await api.read(`${pods}/a`)).metadata).toMatchObject({
      deletionGracePeriodSeconds: 0,
      finalizers: ["example.com/a"],
    });
    await api.patch(`${pods}/a`, "merge-patch", { metadata: { finalizers: null } });
    expect((await api.get(`${pods}/a`)).status).toEqual(404);
  });

  test("a delete of a collection deletes the selected objects", async (api) => {
    for (const name of ["a", "b", "c"])
      await api.create(configMaps, {
        ...configMap(name),
        metadata: { name, labels: { keep: name === "b" ? "yes" : "no" } },
      });
    const { status, body } = await api.delete(`${configMaps}?labelSelector=keep%3Dno`);
    expect([status, body.kind, names(body)]).toEqual([200, "ConfigMapList", ["a", "c"]]);
    expect(names(await api.read(configMaps))).toEqual(["b"]);
    expect((await api.delete("/api/v1/configmaps")).status).toEqual(405);
  });
}

export function expirySuite(test: SuiteTest): void {
  test("an event expires an hour after its last write", async (api) => {
    const events = "/api/v1/namespaces/default/events";
    await api.create(events, {
      kind: "Event",
      apiVersion: "v1",
      metadata: { name: "e" },
      involvedObject: { kind: "Pod", namespace: "default", name: "a" },
    });
    await api.harness.clock.advance(3_599_000);
    expect(names(await api.read(events))).toEqual(["e"]);
    await api.harness.clock.advance(2_000);
    expect(names(await api.read(events))).toEqual([]);
  });
}

async function onNode(api: Api, name: string): Promise<void> {
  await api.create(pods, pod(name, { nodeName: "n" }));
}
