import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { TestAuthority } from "./apiserver.test-support.ts";

// biome-ignore lint/suspicious/noExplicitAny: reviews of all kinds
type Review = any;

/**
 * A webhook behind TLS, until the test ends, that responds to reviews with a status and believes only clients of the
 * authority. Returns the path of a kubeconfig for it.
 */
export async function openReviewWebhook(
  authority: TestAuthority,
  statusOf: (review: Review) => object,
): Promise<string> {
  const name = `webhook-${++count}`;
  const ours = authority.issue(`${name}-client`);
  const theirs = authority.issue(name, { dnsNames: ["localhost"] });
  const options = {
    cert: readFileSync(theirs.cert),
    key: readFileSync(theirs.key),
    ca: readFileSync(authority.file),
    requestCert: true,
    rejectUnauthorized: true,
  };
  const server = createServer(options, (request, response) => {
    let body = "";
    request.on("data", (piece) => {
      body += piece;
    });
    request.on("end", () => {
      const review = JSON.parse(body);
      response.end(JSON.stringify({ ...review, status: statusOf(review) }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const cluster = {
    server: `https://localhost:${port}/review`,
    // Relative to the kubeconfig.
    "certificate-authority": "test-ca.crt",
  };
  const user = { "client-certificate": ours.cert, "client-key": ours.key };
  const kubeconfig = join(dirname(authority.file), `${name}.yaml`);
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "c",
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      clusters: [{ name: "c", cluster }],
      users: [{ name: "u", user }],
    }),
  );
  return kubeconfig;
}

let count = 0;
