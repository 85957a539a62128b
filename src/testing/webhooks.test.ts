import { expect, test } from "vitest";
import { MutatingWebhookConfiguration } from "../api/admissionregistration/v1/mutating-webhook-configuration.ts";
import { ValidatingWebhookConfiguration } from "../api/admissionregistration/v1/validating-webhook-configuration.ts";
import { ConfigMap } from "../api/core/v1/config-map.ts";
import { withChanges } from "../client/with-changes.ts";
import { webhookServer } from "../cluster/extension/webhook-server.ts";
import { webhook } from "../controller-runtime/webhooks/webhook.ts";
import { startCluster } from "./start-cluster.ts";

/** A color is red by default, stays as it is, and must not be deleted while it is in use. */
const colors = webhook({
  for: ConfigMap,
  settings: { matchConditions: [{ name: "colors", expression: "request.name.startsWith('c')" }] },
  default(draft) {
    draft.data = { color: "red", ...draft.data };
  },
  validate({ data = {} }, { old, warn }) {
    if (data.color === "black") warn("black is no color");
    if (old && old.data?.color !== data.color) return "colors stay as they are";
    return undefined;
  },
  validateDelete: ({ data = {} }) => (data.inUse === "true" ? "the color is in use" : undefined),
});

const server = () => webhookServer({ name: "colors", webhooks: [colors] });

test("webhooks run in a cluster without sockets, on a virtual clock", async () => {
  await using cluster = await startCluster({ clock: "virtual" });
  const running = await cluster.run([server()]);
  const { client } = cluster;
  const created = await client.create(ConfigMap, { metadata: { name: "c" }, data: { a: "1" } });
  expect(created.data).toEqual({ a: "1", color: "red" });
  const changed = withChanges(created, (draft) => {
    draft.data = { color: "blue" };
  });
  await expect(client.update(ConfigMap, changed)).rejects.toThrow(
    'admission webhook "validate.v1.configmaps" denied the request: colors stay as they are',
  );
  await client.patch(ConfigMap, { name: "c" }, { merge: { data: { inUse: "true" } } });
  await expect(client.delete(ConfigMap, { name: "c" })).rejects.toThrow("the color is in use");

  const warnings: string[] = [];
  await client
    .raw({
      method: "POST",
      path: "/api/v1/namespaces/default/configmaps",
      body: { metadata: { name: "c2" }, data: { color: "black" } },
    })
    .then(({ headers }) => warnings.push(String(headers.warning)));
  expect(warnings).toEqual(['299 - "black is no color"']);

  const metrics = running.manager.metricsText();
  expect(metrics).toMatch(
    /^controller_runtime_webhook_requests_total\{code="200",webhook="\/validate-v1-configmap"\} \d+$/m,
  );
  expect(metrics).toContain(
    'controller_runtime_webhook_requests_in_flight{webhook="/mutate-v1-configmap"} 0',
  );

  await running.stop();
  const other = await client.create(ConfigMap, { metadata: { name: "c3" } });
  expect(other.data).toBeUndefined();
});

test("a fork calls the webhooks of its parent", async () => {
  await using cluster = await startCluster({ clock: "virtual" });
  await using _running = await cluster.run([server()]);
  await using copy = cluster.fork();
  const created = await copy.client.create(ConfigMap, { metadata: { name: "c" } });
  expect(created.data).toEqual({ color: "red" });
});

const reviewing = (name: string, url: string, more: object = {}) => ({
  metadata: { name },
  webhooks: [
    {
      name: `${name}.example.com`,
      admissionReviewVersions: ["v1"],
      sideEffects: "None" as const,
      clientConfig: { url },
      rules: [
        { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] },
      ],
      ...more,
    },
  ],
});

test("a webhook can be a plain function, with a configuration of the test's own", async () => {
  await using cluster = await startCluster({ clock: "virtual" });
  const { client } = cluster;
  const names: unknown[] = [];
  using validating = cluster.serveWebhook(({ name, object }) => {
    names.push(name);
    if (name === "fault") throw new Error("not today");
    const { data } = object as ConfigMap;
    return { allowed: data?.color !== "black", status: { message: "black is no color" } };
  });
  using mutating = cluster.serveWebhook(() => ({
    allowed: true,
    patchType: "JSONPatch",
    patch: btoa(JSON.stringify([{ op: "add", path: "/data", value: { color: "red" } }])),
  }));
  await client.create(ValidatingWebhookConfiguration, reviewing("colors", validating.url));
  await client.create(
    MutatingWebhookConfiguration,
    reviewing("paint", mutating.url, { objectSelector: { matchLabels: { paint: "yes" } } }),
  );
  const painted = { metadata: { name: "a", labels: { paint: "yes" } }, data: { color: "black" } };
  expect((await client.create(ConfigMap, painted)).data).toEqual({ color: "red" });
  const black = { metadata: { name: "b" }, data: { color: "black" } };
  await expect(client.create(ConfigMap, black)).rejects.toThrow(
    'admission webhook "colors.example.com" denied the request: black is no color',
  );
  await expect(client.create(ConfigMap, { metadata: { name: "fault" } })).rejects.toThrow(
    "not today",
  );
  expect(names).toEqual(["a", "b", "fault"]);
});

test("a webhook that does not respond fails by its timeout on the virtual clock", async () => {
  await using cluster = await startCluster({ clock: "virtual" });
  const { client } = cluster;
  using slow = cluster.serveWebhook(() => new Promise(() => {}));
  await client.create(
    ValidatingWebhookConfiguration,
    reviewing("slow", slow.url, { timeoutSeconds: 7 }),
  );
  let outcome = "";
  const created = client.create(ConfigMap, { metadata: { name: "a" } }).catch((error: Error) => {
    outcome = error.message;
  });
  await cluster.advance("6s");
  expect(outcome).toBe("");
  await cluster.advance("1s");
  await created;
  expect(outcome).toBe(
    `Internal error occurred: failed calling webhook "slow.example.com": failed to call webhook: Post "${slow.url}/?timeout=7s": context deadline exceeded`,
  );
});
