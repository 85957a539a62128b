import { afterEach, beforeEach, expect, test } from "vitest";
import { Deployment } from "../../api/apps/v1/deployment.ts";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { dynamicKind } from "../../client/resource-kind.ts";
import { openTestApi, type TestApi } from "../../testing/api.test-support.ts";
import { createOrPatch, createOrUpdate } from "./create-or-update.ts";

let api: TestApi;
beforeEach(async () => {
  api = await openTestApi();
});
afterEach(() => api.close());

const key = { name: "a", namespace: "default" };

test("createOrUpdate creates, then updates, then writes nothing", async () => {
  const target = { client: api.client, kind: ConfigMap };
  const set = (x: string) =>
    createOrUpdate(target, key, (draft) => {
      draft.data = { x };
    });
  expect((await set("1")).result).toBe("created");
  expect(await set("2")).toMatchObject({ result: "updated", object: { data: { x: "2" } } });
  const before = await api.client.get(ConfigMap, key);
  expect(await set("2")).toEqual({ result: "unchanged", object: before });
});

test("createOrUpdate treats empty fields as absent, and compares quantities by value", async () => {
  const target = { client: api.client, kind: Deployment };
  const web = (memory: string) =>
    createOrUpdate(target, key, (draft) => {
      draft.metadata.labels = {};
      const labels = { app: "web" };
      const limits = { memory };
      draft.spec ??= {} as typeof draft.spec;
      draft.spec.selector = { matchLabels: labels };
      draft.spec.template ??= {} as typeof draft.spec.template;
      draft.spec.template.metadata = { labels };
      const [container] = draft.spec.template.spec?.containers ?? [];
      if (container) container.resources = { limits };
      else
        draft.spec.template.spec = {
          containers: [{ name: "c", image: "nginx", resources: { limits } }],
        } as unknown as typeof draft.spec.template.spec;
    });
  expect((await web("1Gi")).result).toBe("created");
  expect((await web("1024Mi")).result).toBe("unchanged");
  expect((await web("1025Mi")).result).toBe("updated");
  const config = dynamicKind({ ...ConfigMap });
  const dynamic = { client: api.client, kind: config };
  const set = () =>
    createOrUpdate(dynamic, key, (draft) => {
      draft.binaryData = {};
    });
  expect([(await set()).result, (await set()).result]).toEqual(["created", "unchanged"]);
});

test("createOrPatch patches the changes, and the status separately", async () => {
  const target = { client: api.client, kind: Deployment };
  const change = (replicas: number, available: number) =>
    createOrPatch(target, key, (draft) => {
      const labels = { app: "web" };
      draft.spec = {
        ...draft.spec,
        replicas,
        selector: { matchLabels: labels },
        template: draft.spec?.template ?? {
          metadata: { labels },
          spec: { containers: [{ name: "c", image: "nginx" }] },
        },
      } as typeof draft.spec;
      if (available > 0)
        draft.status = {
          ...draft.status,
          replicas: 3,
          readyReplicas: 3,
          availableReplicas: available,
        };
    });
  const results = [];
  for (const [replicas, available] of [
    [1, 0],
    [1, 0],
    [2, 0],
    [2, 1],
    [3, 2],
  ] as const)
    results.push((await change(replicas, available)).result);
  expect(results).toEqual([
    "created",
    "unchanged",
    "updated",
    "updatedStatusOnly",
    "updatedStatus",
  ]);
  expect(await api.client.get(Deployment, key)).toMatchObject({
    spec: { replicas: 3 },
    status: { availableReplicas: 2 },
  });
});

test("change must not modify the name", async () => {
  const target = { client: api.client, kind: ConfigMap };
  const rename = createOrUpdate(target, key, (draft) => {
    draft.metadata.name = "b";
  });
  await expect(rename).rejects.toThrow(
    "MutateFn cannot mutate object name and/or object namespace",
  );
});
