// What users' editors and compilers see. It is compiled in a project that has only the packed package.
import { ConfigMap, Deployment, Pod } from "wherry/api";
import { computed } from "wherry/apiserver";
import { type Client, dynamicKind, metadataOnly, withChanges } from "wherry/client";
import { webhook } from "wherry/controller";
import { int32, kind, string, struct } from "wherry/schema";

const Gear = kind({
  group: "example.com",
  version: "v1",
  kind: "Gear",
  plural: "gears",
  scope: "Namespaced",
  fields: { spec: struct({ teeth: int32(), color: string() }).required() },
});

export const gears = webhook({
  for: Gear,
  default({ spec }) {
    spec.teeth ??= 8;
    // @ts-expect-error: it is called teeth
    spec.tooth = 8;
  },
  validate({ spec }, { old, warn }) {
    // @ts-expect-error: what is validated stays as it is
    spec.teeth = 3;
    if (spec.color === "rust") warn("rust is no color");
    const before: number = old?.spec.teeth ?? 0;
    return before > (spec.teeth ?? 0) ? "gears grow" : undefined;
  },
  // @ts-expect-error: a verdict is a text or a list of errors
  validateDelete: () => 5,
});

export const computedGears = computed(Gear, {
  list: () => [{ metadata: { name: "a" }, spec: { teeth: 8 } }],
  // @ts-expect-error: teeth are a number
  get: () => ({ spec: { teeth: "8" } }),
});

export async function readsNeedNoAssertions(client: Client): Promise<string[]> {
  const web = await client.get(Deployment, { namespace: "default", name: "web" });
  const images: (string | undefined)[] = web.spec.template.spec.containers.map(
    ({ image }) => image,
  );
  const pods = await client.list(Pod, { labelSelector: web.spec.selector.matchLabels });
  for (const pod of pods.items) images.push(pod.metadata.name);
  return images.filter((image) => image !== undefined);
}

export async function wrongFieldsAreErrors(client: Client): Promise<void> {
  const web = await client.get(Deployment, { name: "web" });
  // @ts-expect-error: it is called replicas
  web.spec.replcas;
  // @ts-expect-error: objects are shared, and changed in a copy
  web.spec.replicas = 3;
  const changed = withChanges(web, (draft) => {
    draft.spec.replicas = 3;
    // @ts-expect-error: a number is wanted
    draft.spec.replicas = "3";
  });
  await client.update(Deployment, changed);
  // @ts-expect-error: data holds strings
  await client.create(ConfigMap, { metadata: { name: "a" }, data: { x: 1 } });
  // @ts-expect-error: a Deployment needs a selector and a template
  await client.create(Deployment, { metadata: { name: "web" }, spec: {} });
  await client.patch(Deployment, { name: "web" }, { merge: { spec: { paused: null } } });
  // @ts-expect-error: there is no such field to patch
  await client.patch(Deployment, { name: "web" }, { merge: { spec: { pause: true } } });
  // @ts-expect-error: applying needs a field manager
  await client.apply(ConfigMap, { metadata: { name: "a" } }, {});
}

export async function kindsOfRunTime(client: Client): Promise<unknown> {
  const pod = await client.get(metadataOnly(Pod), { name: "web-1" });
  // @ts-expect-error: only the metadata was asked for
  pod.spec;
  const widgets = dynamicKind({
    group: "example.com",
    version: "v1",
    kind: "Widget",
    plural: "widgets",
    scope: "Namespaced",
  });
  const widget = await client.get(widgets, { name: "a" });
  const size: unknown = (widget.spec as { size?: unknown }).size;
  return [pod.metadata.labels, size];
}
