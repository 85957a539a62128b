import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { selfSigned } from "../../src/platform/real-network.test-support.ts";
import { configMapNamed } from "../apiserver/apiserver-client.ts";
import { stop } from "../apiserver/apiserver-process.ts";
import { quantile } from "../apiserver/apiserver-verdict.ts";
import { type ExtendedServer, settings, startExtended, until } from "./extension-server.ts";

const rounds = 20;
const each = 50;

/** What the round trip of a webhook adds to a write, one write after the other. */
export async function benchWebhook(work: string): Promise<void> {
  const tls = selfSigned();
  let calls = 0;
  const webhook = createServer(tls, (request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      calls++;
      const { apiVersion, kind, request: reviewed } = JSON.parse(body);
      response.end(
        JSON.stringify({ apiVersion, kind, response: { uid: reviewed.uid, allowed: true } }),
      );
    });
  });
  await new Promise<void>((resolve) => webhook.listen(0, "127.0.0.1", resolve));
  const { port } = webhook.address() as AddressInfo;
  const server = await startExtended(work);
  await server.send({
    method: "POST",
    path: "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
    body: configuration(`https://127.0.0.1:${port}/`, btoa(tls.cert)),
  });
  const reviewed = { ...configMapNamed("probe"), metadata: { name: "probe", labels: seen } };
  const probe = { method: "POST", path: `${settings}?dryRun=All`, body: reviewed };
  await until(server, probe, () => calls > 0);
  await measure(server, () => calls);
  server.connection.close();
  webhook.close();
  webhook.closeAllConnections();
  await stop(server.server);
}

const seen = { webhook: "yes" };

const configuration = (url: string, caBundle: string): object => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name: "bench" },
  webhooks: [
    {
      name: "bench.example.com",
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      clientConfig: { url, caBundle },
      objectSelector: { matchLabels: seen },
      rules: [
        { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] },
      ],
    },
  ],
});

async function measure({ send }: ExtendedServer, calls: () => number): Promise<void> {
  let created = 0;
  const times: Record<"bare" | "seen", number[]> = { bare: [], seen: [] };
  const create = async (labels: object): Promise<number> => {
    const body = {
      ...configMapNamed(`n-${created}`),
      metadata: { name: `n-${created++}`, labels },
    };
    const began = performance.now();
    await send({ method: "POST", path: settings, body });
    return performance.now() - began;
  };
  for (let round = 0; round < rounds; round++) {
    for (let n = 0; n < each; n++) times.bare.push(await create({}));
    const before = calls();
    for (let n = 0; n < each; n++) times.seen.push(await create(seen));
    if (calls() !== before + each) throw new Error("the webhook was not called for each write");
  }
  const [bare, called] = [quantile(times.bare, 0.5), quantile(times.seen, 0.5)];
  console.log(
    `\na create, one after the other: ${bare.toFixed(2)} ms; with a webhook: ${called.toFixed(2)} ms (${(called / bare).toFixed(2)} ×): a round trip of ${(called - bare).toFixed(2)} ms`,
  );
}
