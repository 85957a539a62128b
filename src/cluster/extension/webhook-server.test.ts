import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { testDir } from "../../../test/support/apiserver.test-support.ts";
import { ValidatingWebhookConfiguration } from "../../api/admissionregistration/v1/validating-webhook-configuration.ts";
import { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import { addService } from "../../apiserver/http/extension-server.test-support.ts";
import { admin, openServer, wallClock } from "../../apiserver/in-process.test-support.ts";
import type { Network } from "../../base/network.ts";
import { SeededRandom } from "../../base/random.ts";
import { createClient } from "../../client/client.ts";
import { createManager } from "../../controller-runtime/manager/manager.ts";
import { conversion } from "../../controller-runtime/webhooks/conversion.ts";
import { webhook } from "../../controller-runtime/webhooks/webhook.ts";
import { struct } from "../../custom-kinds/language/containers.ts";
import { kind } from "../../custom-kinds/language/kind.ts";
import { int32, string } from "../../custom-kinds/language/scalars.ts";
import { validate } from "../../custom-kinds/objects/check-object.ts";
import { renewedServerCertificates } from "../../platform/pki/server-certificates.ts";
import { realNetwork } from "../../platform/real-network.ts";
import { MemoryStore } from "../../store/memory/memory-store.ts";
import { inProcessTransport } from "../in-process/in-process-transport.ts";
import { type WebhookServerOptions, webhookServer } from "./webhook-server.ts";

const names = {
  group: "example.com",
  kind: "Gauge",
  plural: "gauges",
  scope: "Namespaced",
} as const;
const GaugeBeta = kind({
  ...names,
  version: "v1beta1",
  fields: { spec: struct({ size: string() }) },
});
const Gauge = kind({
  ...names,
  version: "v1",
  fields: { spec: struct({ size: int32().max(100), unit: string() }).required() },
  otherVersions: [GaugeBeta],
});

const gauges = webhook({
  for: Gauge,
  default(gauge) {
    gauge.spec.unit ??= "cm";
  },
  validate(gauge, { user }) {
    if (gauge.spec.unit === "inch") throw new Error("a bug");
    if (gauge.spec.unit === "mile") return `${user.username} must not use miles`;
    return validate(Gauge, { ...gauge, spec: { size: (gauge.spec.size ?? 0) * 10 } });
  },
  convert: [
    conversion({
      hub: Gauge,
      version: GaugeBeta,
      toHub: ({ spec }) => ({ spec: { size: Number(spec?.size) } }),
      fromHub: ({ spec }) => ({ spec: { size: String(spec.size) } }),
    }),
  ],
});

/** A server, and managers that serve webhooks to it over TLS. */
async function openWorld(options: Partial<WebhookServerOptions> = {}) {
  const ports: number[] = [];
  // The machine's network, on which services are the process that was the last to listen.
  const network: Network = {
    ...realNetwork,
    dial: (target, signal) =>
      realNetwork.dial(
        target.port === 443 ? { ...target, host: "127.0.0.1", port: ports.at(-1) ?? 0 } : target,
        signal,
      ),
  };
  const server = await openServer(wallClock, new MemoryStore(wallClock), { network });
  onTestFinished(() => server.close());
  const transport = inProcessTransport(server.handle, admin);
  const client = createClient(transport, { clock: wallClock });
  const run = () => {
    const onListening = (port: number) => ports.push(port);
    const hooks = webhookServer({ name: "gauges", webhooks: [gauges], onListening, ...options });
    const stop = new AbortController();
    const parts = { transport, clock: wallClock, random: new SeededRandom(1) };
    const manager = createManager({ ...parts, runnables: [hooks] });
    const ended = manager.run({ signal: stop.signal });
    const end = async (): Promise<void> => {
      stop.abort();
      await ended;
    };
    onTestFinished(end);
    return { hooks, end };
  };
  return { server, client, run };
}

test("webhooks are served over TLS with certificates of their own, and installed", async () => {
  const { client, run } = await openWorld();
  const { hooks, end } = run();
  // The definition comes after the webhooks, as when all manifests are applied at once.
  await client.create(CustomResourceDefinition, Gauge.definition);
  await eventually(() => expect(hooks.isInstalled).toBe(true));
  const created = await eventually(() =>
    client.create(Gauge, { metadata: { name: "a" }, spec: { size: 7 } }),
  );
  expect(created.spec).toEqual({ size: 7, unit: "cm" });
  const beta = await eventually(async () => {
    const found = await client.get(GaugeBeta, { name: "a" });
    expect(found.spec).toEqual({ size: "7" });
    return found;
  });
  expect(beta.metadata.uid).toBe(created.metadata.uid);

  const refused = (spec: object) =>
    client
      .create(Gauge, { metadata: { name: "b" }, spec })
      .catch(({ code, message }) => [code, message]);
  const denied = 'admission webhook "validate.v1.gauges.example.com" denied the request';
  expect(await refused({ size: 11 })).toEqual([
    422,
    `${denied}: Gauge.example.com "b" is invalid: spec.size: Invalid value: 110: spec.size in body should be less than or equal to 100`,
  ]);
  expect(await refused({ size: 1, unit: "mile" })).toEqual([
    403,
    `${denied}: admin must not use miles`,
  ]);
  expect(await refused({ size: 1, unit: "inch" })).toEqual([
    500,
    `${denied}: Internal error occurred: a bug`,
  ]);

  await client.delete(ValidatingWebhookConfiguration, { name: "gauges" });
  await eventually(() => client.get(ValidatingWebhookConfiguration, { name: "gauges" }));
  await end();
  await expect(client.get(ValidatingWebhookConfiguration, { name: "gauges" })).rejects.toThrow(
    "not found",
  );
});

test("processes behind a service share their certificates, and leave the webhooks installed", async () => {
  const service = { namespace: "default", name: "api" };
  const listening = { port: 0, address: "127.0.0.1" };
  const { client, server, run } = await openWorld({ service, ...listening });
  await client.create(CustomResourceDefinition, Gauge.definition);
  await addService(server, 443);
  const first = run();
  await eventually(() => expect(first.hooks.isInstalled).toBe(true));
  const unit = async (name: string) =>
    (await client.create(Gauge, { metadata: { name }, spec: { size: 1 } })).spec.unit;
  expect(await eventually(() => unit("a"))).toBe("cm");
  const key = { namespace: "default", name: "gauges-webhooks" };
  const secret = await client.get(Secret, key);
  expect(Object.keys(secret.data ?? {})).toEqual(["ca.crt", "ca.key", "tls.crt", "tls.key"]);

  const second = run();
  await eventually(() => expect(second.hooks.isInstalled).toBe(true));
  await first.end();
  // The server may still have a connection to the first process.
  expect(await eventually(() => unit("b"))).toBe("cm");
  const config = await client.get(ValidatingWebhookConfiguration, { name: "gauges" });
  expect(config.webhooks?.[0]?.clientConfig).toEqual({
    service: { ...service, path: "/validate-example-com-v1-gauge", port: 443 },
    caBundle: secret.data?.["ca.crt"],
  });
  expect(await client.get(Secret, key)).toEqual(secret);
});

test("webhooks are served with given certificates, and with others once those are replaced", async () => {
  const dir = testDir();
  const names = { dnsNames: ["localhost"], ips: ["127.0.0.1"] };
  const write = () => {
    const { ca, server } = renewedServerCertificates(undefined, names, new Date());
    const texts = { "ca.crt": ca.cert, "tls.crt": server.cert, "tls.key": server.key };
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(dir, name), text);
    return btoa(ca.cert);
  };
  const first = write();
  const [certFile, keyFile, caFile] = ["tls.crt", "tls.key", "ca.crt"].map((name) =>
    join(dir, name),
  ) as [string, string, string];
  const { client, run } = await openWorld({ certificate: { certFile, keyFile, caFile } });
  await client.create(CustomResourceDefinition, Gauge.definition);
  const { hooks } = run();
  await eventually(() => expect(hooks.isInstalled).toBe(true));
  const bundle = async () => {
    const { webhooks } = await client.get(ValidatingWebhookConfiguration, { name: "gauges" });
    return webhooks?.[0]?.clientConfig.caBundle;
  };
  expect(await bundle()).toBe(first);
  const create = (name: string) => client.create(Gauge, { metadata: { name }, spec: { size: 1 } });
  expect((await eventually(() => create("a"))).spec.unit).toBe("cm");
  const second = write();
  await eventually(async () => expect(await bundle()).toBe(second));
  expect((await eventually(() => create("b"))).spec.unit).toBe("cm");
});
