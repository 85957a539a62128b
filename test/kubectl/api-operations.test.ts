import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kinds } from "../../src/api/kinds.generated.ts";
import { inProcessHarness } from "../../src/apiserver/in-process-harness.test-support.ts";
import { Api, newYear } from "../../src/apiserver/suite/harness-suite.ts";
import { VirtualClock } from "../../src/base/virtual-clock.ts";
import { apiVersionOf, type Kind } from "../../src/schema/language/kind.ts";
import { yamlToJson } from "../../src/schema/yaml/yaml.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { manifestKey, manifestOf } from "./kubectl-kinds-manifests.test-support.ts";

// What upstream's conformance tests ask of a kind under "should support API operations". The server
// itself writes to definitions of custom resources and to flow schemas, which have tests of their own.
const stored = kinds.filter(
  ({ stability, verbs, isStored, kind }) =>
    stability === "stable" &&
    verbs.includes("create") &&
    isStored &&
    !["CustomResourceDefinition", "FlowSchema"].includes(kind),
);

describe("every stable kind supports the operations of the API", () => {
  let api: Api;
  beforeAll(async () => {
    const clock = new VirtualClock(newYear);
    api = new Api(await inProcessHarness(new MemoryStore(clock), clock));
  });
  afterAll(() => api.harness.close());

  for (const kind of stored) {
    test(`the life of ${manifestKey(kind)}`, () => lifeOf(api, kind));
  }
});

async function lifeOf(api: Api, kind: Kind): Promise<void> {
  const root = kind.group === "" ? "/api/v1" : `/apis/${kind.group}/${kind.version}`;
  const everywhere = `${root}/${kind.plural}`;
  const collection =
    kind.scope === "Namespaced" ? `${root}/namespaces/default/${kind.plural}` : everywhere;
  const manifest = manifestOf(kind);
  if (!manifest) throw new Error(`no manifest of ${manifestKey(kind)}`);
  const object = yamlToJson(manifest.yaml) as { metadata: { name: string } };
  const one = `${collection}/${object.metadata.name}`;
  const labelled = "labelSelector=life%3Dshort";

  const { resources } = (await api.read(root)) as unknown as { resources: { name: string }[] };
  expect(resources.map(({ name }) => name)).toContain(kind.plural);

  const { metadata } = await api.read(`${everywhere}?${labelled}`);
  const watch = await api.watch(
    `${everywhere}?watch=1&${labelled}&resourceVersion=${metadata.resourceVersion}`,
  );
  const made = await api.create(collection, {
    ...object,
    metadata: { ...object.metadata, labels: { life: "short" } },
  });
  expect(made).toMatchObject({ kind: kind.kind, apiVersion: apiVersionOf(kind) });
  expect(await watch.next()).toMatchObject({ type: "ADDED", object: made });

  expect(await api.read(one)).toEqual(made);
  for (const path of new Set([collection, everywhere]))
    expect((await api.read(`${path}?${labelled}`)).items).toHaveLength(1);
  const again = await api.post(collection, object);
  expect(again).toMatchObject({ status: 409, body: { reason: "AlreadyExists" } });

  const patch = { metadata: { annotations: { patched: "true" } } };
  const patched = (await api.patch(one, "merge-patch", patch)).body;
  expect(patched.metadata).toMatchObject({ annotations: { patched: "true" } });
  expect(await watch.next()).toMatchObject({ type: "MODIFIED", object: patched });

  const replaced = await api.replace(one, {
    ...patched,
    metadata: { ...patched.metadata, annotations: { patched: "true", updated: "true" } },
  });
  expect(replaced.metadata).toMatchObject({ annotations: { updated: "true" } });
  expect(await watch.next()).toMatchObject({ type: "MODIFIED", object: replaced });
  const stale = await api.put(one, made);
  expect(stale).toMatchObject({ status: 409, body: { reason: "Conflict" } });

  if (kind.subresources.includes("status")) {
    expect(resources.map(({ name }) => name)).toContain(`${kind.plural}/status`);
    const status = await api.read(`${one}/status`);
    expect(status).toEqual(replaced);
    const written = await api.patch(`${one}/status`, "merge-patch", {
      metadata: { annotations: { seen: "true" } },
    });
    expect(written.status).toBe(200);
    if (written.body.metadata.resourceVersion !== replaced.metadata.resourceVersion)
      expect(await watch.next()).toMatchObject({ type: "MODIFIED", object: written.body });
  }

  const all = kind.verbs.includes("deletecollection");
  expect((await api.delete(all ? `${collection}?${labelled}` : one)).status).toBe(200);
  let last = await watch.next();
  // Some are kept until what protects them has let go.
  if (last?.type === "MODIFIED") {
    expect(last.object.metadata).toHaveProperty("deletionTimestamp");
    await api.patch(one, "merge-patch", { metadata: { finalizers: null } });
    if (kind.kind === "Namespace")
      await api.put(`${one}/finalize`, { ...(await api.read(one)), spec: {} });
    last = await watch.next();
  }
  expect(last).toMatchObject({
    type: "DELETED",
    object: { metadata: { name: object.metadata.name } },
  });
  expect(await api.get(one)).toMatchObject({ status: 404, body: { reason: "NotFound" } });
  expect((await api.read(`${everywhere}?${labelled}`)).items).toEqual([]);
}
