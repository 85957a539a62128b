import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../../../../test/eventually.ts";
import {
  ask,
  startWith,
  TestAuthority,
  testDir,
} from "../../../../test/support/apiserver.test-support.ts";
import { openHttpsIssuer } from "../../../../test/support/https-issuer.test-support.ts";
import { openReviewWebhook } from "../../../../test/support/review-webhook.test-support.ts";

type Server = Awaited<ReturnType<typeof startWith>>;

/** The user of a token, or the status of the rejection. */
async function whoIs(server: Server, token?: string): Promise<string | number | undefined> {
  const headers = {
    "content-type": "application/json",
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  const { status, text } = await ask(server, path, { method: "POST", headers }, "{}");
  return status === 201 ? JSON.parse(text).status.userInfo.username : status;
}

/** The lines about authentication. */
async function metricsOf(server: Server): Promise<string> {
  const admin = {
    cert: readFileSync(join(server.dir, "pki/admin.crt")),
    key: readFileSync(join(server.dir, "pki/admin.key")),
  };
  const { text } = await ask(server, "/metrics", admin);
  const lines = text.split("\n").filter((line) => /^apiserver_authentication/.test(line));
  return `${lines.join("\n")}\n`;
}

test("--authentication-config: issuers are replaced with the file, and a broken file leaves the last ones", async () => {
  const dir = testDir();
  const authority = new TestAuthority(dir);
  const [first, second] = await Promise.all([
    openHttpsIssuer(authority, "first"),
    openHttpsIssuer(authority, "second"),
  ]);
  const file = join(dir, "authentication.yaml");
  const ca = readFileSync(authority.file, "utf8").replaceAll("\n", "\n        ");
  const configuration = (...urls: string[]) =>
    `apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
anonymous: { enabled: true, conditions: [{ path: /livez }] }
jwt:
${urls
  .map(
    (url) => `  - issuer:
      url: ${url}
      audiences: [web]
      certificateAuthority: |
        ${ca}
    claimMappings:
      username: { expression: 'claims.sub + "@corp"' }
`,
  )
  .join("")}`;
  const write = (text: string) => {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  };
  write(configuration(first.url));
  const server = await startWith(dir, "--authentication-config", file);
  await eventually(async () =>
    expect(await whoIs(server, first.token({ sub: "jane" }))).toBe("jane@corp"),
  );
  expect(await whoIs(server, second.token({ sub: "jane" }))).toBe(401);
  first.rotate();
  expect(await whoIs(server, first.token({ sub: "joe" }))).toBe("joe@corp");
  expect([await whoIs(server), (await ask(server, "/livez")).status]).toEqual([401, 200]);

  const reloads = "apiserver_authentication_config_controller_automatic_reloads_total";
  const whole = configuration(first.url, second.url);
  write(whole.slice(0, -40));
  await eventually(async () => expect(await metricsOf(server)).toMatch(failures(reloads, 1)));
  expect(await whoIs(server, first.token({ sub: "jane" }))).toBe("jane@corp");
  write(whole.replace("/livez", "/readyz"));
  await eventually(async () => expect(await metricsOf(server)).toMatch(failures(reloads, 2)));
  write(whole);
  await eventually(async () =>
    expect(await whoIs(server, second.token({ sub: "jane" }))).toBe("jane@corp"),
  );
  const text = await metricsOf(server);
  const hash = 'hash="sha256:[0-9a-f]{64}"';
  for (const line of [
    `${reloads}{apiserver_id_${hash},status="success"} 1`,
    `apiserver_authentication_config_controller_last_config_info{apiserver_id_${hash},${hash}} 1`,
    `apiserver_authentication_jwt_authenticator_latency_seconds_count{jwt_issuer_${hash},result="success"} [0-9]+`,
    `apiserver_authentication_jwt_authenticator_jwks_fetch_last_key_set_info{apiserver_id_${hash},${hash},jwt_issuer_${hash}} 1`,
  ])
    expect(text).toMatch(new RegExp(`^${line.replace(/\{(?=[a-z])/, "\\{")}$`, "m"));
});

const failures = (name: string, count: number): RegExp =>
  new RegExp(`${name}\\{.*status="failure"\\} ${count}\n`);

test("--oidc-*: one issuer, whose name is before the names of its users", async () => {
  const dir = testDir();
  const authority = new TestAuthority(dir);
  const issuer = await openHttpsIssuer(authority, "issuer");
  const server = await startWith(
    dir,
    ...["--oidc-issuer-url", issuer.url, "--oidc-client-id=web", "--oidc-ca-file", authority.file],
    ...["--oidc-required-claim=hd=acme,inc", "--oidc-groups-claim=roles"],
  );
  await eventually(async () =>
    expect(await whoIs(server, issuer.token({ sub: "jane", hd: "acme,inc" }))).toBe(
      `${issuer.url}#jane`,
    ),
  );
  expect(await whoIs(server, issuer.token({ sub: "jane", hd: "acme" }))).toBe(401);
});

test("--authentication-token-webhook-config-file: tokens are reviewed by the server of a kubeconfig", async () => {
  const dir = testDir();
  const authority = new TestAuthority(dir);
  const kubeconfig = await openReviewWebhook(authority, ({ spec }) =>
    spec.token === "good"
      ? { authenticated: true, user: { username: "jane" } }
      : { authenticated: false },
  );
  const server = await startWith(
    dir,
    ...["--authentication-token-webhook-config-file", kubeconfig],
    "--authentication-token-webhook-version=v1",
  );
  expect([await whoIs(server, "good"), await whoIs(server, "bad")]).toEqual(["jane", 401]);
});
