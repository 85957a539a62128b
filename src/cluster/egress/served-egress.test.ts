import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import {
  ask,
  startWith,
  TestAuthority,
  testDir,
} from "../../../test/support/apiserver.test-support.ts";
import { openHttpsIssuer } from "../../../test/support/https-issuer.test-support.ts";
import { openReviewWebhook } from "../../../test/support/review-webhook.test-support.ts";
import { connectProxy, konnectivityServer } from "./egress-proxies.test-support.ts";

test("--egress-selector-config-file: issuers, webhooks and the cluster are reached through their proxies", async () => {
  const dir = testDir();
  const authority = new TestAuthority(dir);
  const issuer = await openHttpsIssuer(authority, "issuer");
  const webhook = await openReviewWebhook(authority, () => ({
    ...{ authenticated: true, user: { username: "reviewed" } },
  }));
  const file = (name: string, content: object): string => {
    writeFileSync(join(dir, name), JSON.stringify(content));
    return join(dir, name);
  };
  const [control, cluster] = [join(dir, "control.sock"), join(dir, "cluster.sock")];
  const [controlProxy, clusterProxy] = await Promise.all([
    connectProxy(control),
    konnectivityServer(cluster),
  ]);
  const through = (proxyProtocol: string, udsName: string) => ({
    ...{ proxyProtocol, transport: { uds: { udsName } } },
  });
  const egress = file("egress.yaml", {
    ...{ apiVersion: "apiserver.k8s.io/v1beta1", kind: "EgressSelectorConfiguration" },
    egressSelections: [
      { name: "controlplane", connection: through("HTTPConnect", control) },
      { name: "cluster", connection: through("GRPC", cluster) },
    ],
  });
  const authentication = file("authentication.yaml", {
    ...{ apiVersion: "apiserver.config.k8s.io/v1", kind: "AuthenticationConfiguration" },
    jwt: [
      {
        issuer: {
          ...{ url: issuer.url, audiences: ["web"], egressSelectorType: "cluster" },
          certificateAuthority: readFileSync(authority.file, "utf8"),
        },
        claimMappings: { username: { claim: "sub", prefix: "" } },
      },
    ],
  });
  const server = await startWith(
    dir,
    ...["--egress-selector-config-file", egress, "--authentication-config", authentication],
    ...["--authentication-token-webhook-config-file", webhook],
  );
  const whoIs = async (token: string): Promise<string | number | undefined> => {
    const headers = {
      ...{ "content-type": "application/json", authorization: `Bearer ${token}` },
    };
    const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    const { status, text } = await ask(server, path, { method: "POST", headers }, "{}");
    return status === 201 ? JSON.parse(text).status.userInfo.username : status;
  };
  await eventually(async () => expect(await whoIs(issuer.token({ sub: "ada" }))).toBe("ada"));
  expect(await whoIs("opaque")).toBe("reviewed");
  expect(new Set(clusterProxy.asked)).toEqual(new Set([new URL(issuer.url).host]));
  expect(controlProxy.asked).toHaveLength(1);

  const admin = {
    cert: readFileSync(join(server.dir, "pki/admin.crt")),
    key: readFileSync(join(server.dir, "pki/admin.key")),
    headers: { "content-type": "application/json" },
  };
  const node = {
    ...{ apiVersion: "v1", kind: "Node", metadata: { name: "far" } },
    status: { addresses: [{ type: "InternalIP", address: "198.51.100.7" }] },
  };
  await ask(server, "/api/v1/nodes", { ...admin, method: "POST" }, JSON.stringify(node));
  const proxied = await ask(server, "/api/v1/nodes/far:1/proxy/healthz", admin);
  expect([proxied.status, proxied.text]).toEqual([
    503,
    expect.stringContaining("198.51.100.7 is not in this test"),
  ]);
  expect(clusterProxy.asked).toContain("198.51.100.7:1");
  const { text: metrics } = await ask(server, "/metrics", admin);
  expect(metrics).toMatch(
    /apiserver_egress_dialer_dial_start_total\{protocol="http_connect",transport="uds"\} 1\n/,
  );
  expect(metrics).toMatch(/apiserver_egress_dialer_dial_duration_seconds_count\{protocol="grpc"/);
});
