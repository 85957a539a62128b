import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../../../../test/eventually.ts";
import {
  ask,
  startWith,
  TestAuthority,
  testDir,
} from "../../../../test/support/apiserver.test-support.ts";
import { openReviewWebhook } from "../../../../test/support/review-webhook.test-support.ts";

const jane = { headers: { authorization: "Bearer janes-token" } };

function tokensIn(dir: string): string {
  const tokens = join(dir, "tokens.csv");
  writeFileSync(tokens, "janes-token,jane,1\n");
  return tokens;
}

const configuration = (...authorizers: object[]) =>
  JSON.stringify({
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "AuthorizationConfiguration",
    authorizers: [...authorizers, { type: "RBAC", name: "rbac" }],
  });

const webhook = (name: string, kubeConfigFile: string, expression: string) => ({
  type: "Webhook",
  name,
  webhook: {
    timeout: "30s",
    cacheAuthorizedRequests: false,
    subjectAccessReviewVersion: "v1",
    matchConditionSubjectAccessReviewVersion: "v1",
    failurePolicy: "NoOpinion",
    connectionInfo: { type: "KubeConfigFile", kubeConfigFile },
    matchConditions: [{ expression }],
  },
});

test("--authorization-config: authorizers are replaced with the file, and a broken file leaves the last ones", async () => {
  const dir = testDir();
  const authority = new TestAuthority(dir);
  const kubeconfig = await openReviewWebhook(authority, ({ spec }) => ({
    allowed: spec.user === "jane",
  }));
  const file = join(dir, "authorization.json");
  const write = (text: string) => {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  };
  const about = (resource: string) =>
    webhook(
      "hook",
      kubeconfig,
      `request.?resourceAttributes.resource.orValue("") == "${resource}"`,
    );
  write(configuration(about("pods")));
  const server = await startWith(
    dir,
    ...["--authorization-config", file, "--token-auth-file", tokensIn(dir)],
  );
  const statuses = async () =>
    Promise.all(
      ["/api/v1/pods", "/api/v1/secrets"].map(
        async (path) => (await ask(server, path, jane)).status,
      ),
    );
  expect(await statuses()).toEqual([200, 403]);
  const reloads = () =>
    server.core.metrics.all
      .text()
      .match(/^apiserver_authorization_config_controller_automatic_reloads_total.*$/gm)
      ?.map((line) => line.replace(/apiserver_id_hash="[^"]*",/, "").replace(/^.*\{/, "{"));
  write(configuration(about("secrets")).slice(0, -10));
  await eventually(() => expect(reloads()).toEqual(['{status="failure"} 1']));
  expect(await statuses()).toEqual([200, 403]);
  // Roles must stay, and what was not there at start cannot come.
  write(
    configuration(about("secrets")).replace(
      '{"type":"RBAC","name":"rbac"}',
      '{"type":"Node","name":"node"}',
    ),
  );
  await eventually(() => expect(reloads()).toEqual(['{status="failure"} 2']));
  write(configuration(about("secrets"), { type: "Node", name: "node" }));
  await eventually(() => expect(reloads()).toEqual(['{status="failure"} 3']));
  expect(await statuses()).toEqual([200, 403]);
  write(configuration(about("secrets")));
  await eventually(async () => expect(await statuses()).toEqual([403, 200]));
  expect(reloads()).toEqual(['{status="failure"} 3', '{status="success"} 1']);
});

test("--authorization-mode=Webhook: the server of a kubeconfig decides", async () => {
  const dir = testDir();
  const kubeconfig = await openReviewWebhook(new TestAuthority(dir), ({ apiVersion, spec }) => ({
    allowed: apiVersion.endsWith("v1beta1") && spec.group.includes("system:authenticated"),
  }));
  const server = await startWith(
    dir,
    ...["--authorization-mode=Webhook,RBAC", "--authorization-webhook-config-file", kubeconfig],
    ...["--token-auth-file", tokensIn(dir)],
  );
  expect((await ask(server, "/api/v1/secrets", jane)).status).toBe(200);
});
