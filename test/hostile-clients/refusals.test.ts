import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { KeyPair } from "../../src/platform/pki/pki.ts";
import {
  adminOf,
  type HttpsAnswer,
  type HttpsClient,
  httpsClient,
} from "../support/https-client.test-support.ts";
import {
  newDirectory,
  type ServerProcess,
  startProcess,
} from "../support/server-process.test-support.ts";
import {
  type Decision,
  nobodies,
  ofImpersonators,
  ofKnown,
  ofNobody,
  wrongCredentials,
} from "./refusals.test-support.ts";
import { ofEscalation } from "./refusals-escalation.test-support.ts";
import {
  bearer,
  certificate,
  type Identity,
  robotTokens,
  strangersAdmin,
} from "./refusals-identities.test-support.ts";
import { objects } from "./refusals-objects.test-support.ts";

const directory = newDirectory();
let server: ServerProcess;
let identities: Readonly<Record<string, Identity>>;
const clients = new Map<KeyPair | undefined, HttpsClient>();

beforeAll(async () => {
  const tokens = join(directory.path, "tokens.csv");
  writeFileSync(
    tokens,
    `${["jane", "imp", "manager", "cluster-manager", "escalator"]
      .map((name) => `static-token-of-${name},${name},1\n`)
      .join("")}static-token-of-root,root,2,"system:masters"\n`,
  );
  const flags = ["--token-auth-file", tokens, "--enable-bootstrap-token-auth"];
  server = await startProcess(directory.data, { flags });
  const admin = adminOf(directory.data, server.port);
  for (const { path, body } of objects) {
    const { status, text } = await admin.call("POST", path, { body });
    expect(status, text).toBe(201);
  }
  identities = await everybody(admin);
  admin.close();
}, 120_000);

afterAll(async () => {
  for (const client of clients.values()) client.close();
  await server.end();
  directory.remove();
});

async function ask(
  who: string,
  method: string,
  path: string,
  more: Decision[4] = {},
): Promise<HttpsAnswer> {
  const identity = identities[who];
  if (!identity) throw new Error(`nobody is called ${who}`);
  const { certificate: pair } = identity;
  const ca = readFileSync(join(directory.data, "pki", "ca.crt"), "utf8");
  const client = clients.get(pair) ?? httpsClient(server.port, ca, pair);
  clients.set(pair, client);
  const type = more.type && { "content-type": more.type };
  const headers = { ...identity.headers, ...type } as Record<string, string>;
  return client.call(method, path, { headers, body: more.body });
}

test.each(wrongCredentials)(
  "a wrong credential is refused, and its holder not taken for nobody: %s",
  async (who) => {
    for (const path of ["/healthz", "/version", "/api/v1/namespaces/a/configmaps"]) {
      const { status, body } = await ask(who, "GET", path);
      expect([path, status, body.reason, body.message]).toEqual([
        path,
        401,
        "Unauthorized",
        "Unauthorized",
      ]);
    }
  },
);

test.each(nobodies)("a request without a valid credential is anonymous: %s", async (who) => {
  expect((await ask(who, "GET", "/healthz")).status).toBe(200);
  const { status, body } = await ask(who, "GET", "/api/v1/secrets");
  expect([status, body.message]).toEqual([
    403,
    'secrets is forbidden: User "system:anonymous" cannot list resource "secrets" in API group "" at the cluster scope',
  ]);
});

test.each(
  [...ofNobody, ...ofKnown, ...ofImpersonators, ...ofEscalation].map((row) => ({
    row,
    title: `${row[0]}: ${row[1]} ${row[2]}: ${row[3]}`,
  })),
)("$title", async ({ row: [who, method, path, wanted, more] }) => {
  const { status, text, body } = await ask(who, method, path, more);
  expect(status, text).toBe(wanted);
  expect(body.message ?? "").toContain(more?.says ?? "");
});

/** Everybody who appears in the tables, by name. */
async function everybody(admin: HttpsClient): Promise<Record<string, Identity>> {
  const { data } = directory;
  const pki = (name: string): string => readFileSync(join(data, "pki", name), "utf8");
  const pair = (name: string): KeyPair => ({ cert: pki(`${name}.crt`), key: pki(`${name}.key`) });
  const masters = { name: "mallory", groups: ["system:masters"] };
  const robots = await robotTokens(admin, data);
  const { valid = "", expired = "" } = robots;
  const expiredCertificate = certificate(data, { ...masters, from: -2, to: -1 });
  const adminPair = pair("admin");
  const imp = bearer("static-token-of-imp");
  const as = (identity: Identity, headers: Identity["headers"]): Identity => ({
    ...identity,
    headers: { ...identity.headers, ...headers },
  });
  const user = (name: string, more: Identity["headers"] = {}) => ({
    "Impersonate-User": name,
    ...more,
  });
  const header = (name: string, value: string): Identity => ({ headers: { [name]: value } });
  return {
    nobody: {},
    admin: { certificate: adminPair },
    "admin, with a wrong token": { certificate: adminPair, ...bearer("wrong") },
    "admin as jane": as({ certificate: adminPair }, user("jane")),
    "admin as nobody": as({ certificate: adminPair }, user("system:anonymous")),
    "admin as jane of system:masters": as(
      { certificate: adminPair },
      user("jane", { "Impersonate-Group": "system:masters" }),
    ),
    jane: { certificate: certificate(data, { name: "jane" }) },
    node: { certificate: certificate(data, { name: "system:node:n1", groups: ["system:nodes"] }) },
    root: bearer("static-token-of-root"),
    manager: bearer("static-token-of-manager"),
    "cluster-manager": bearer("static-token-of-cluster-manager"),
    escalator: bearer("static-token-of-escalator"),
    "certificate: expired": { certificate: expiredCertificate },
    "certificate: expired, with a good token": {
      certificate: expiredCertificate,
      ...bearer(valid),
    },
    "certificate: not yet valid": {
      certificate: certificate(data, { ...masters, from: 1, to: 2 }),
    },
    "certificate: of another authority": { certificate: await strangersAdmin() },
    "certificate: signed by itself": {
      certificate: certificate(data, { ...masters, signed: "by itself" }),
    },
    "certificate: of the server": { certificate: pair("apiserver") },
    "certificate: for servers": {
      certificate: certificate(data, { ...masters, usage: "serverAuth" }),
    },
    "certificate: without a name": { certificate: certificate(data, { ...masters, name: "" }) },
    "token: unknown": bearer("static-token-of-nobody"),
    "token: a prefix of a good one": bearer("static-token-of-roo"),
    "token: a good one and more": bearer("static-token-of-root1"),
    "token: wrong, then a good one": {
      headers: { authorization: ["Bearer wrong", `Bearer ${valid}`] },
    },
    "token: good, then a wrong one": {
      headers: { authorization: [`Bearer ${valid}`, "Bearer wrong"] },
    },
    ...Object.fromEntries(
      Object.entries(robots).map(([name, token]) => [`robot: ${name}`, bearer(token)]),
    ),
    "robot: valid, in lower case": header("authorization", `bearer ${valid}`),
    "robot: expired as jane": as(bearer(expired), user("jane")),
    "bootstrap: valid": bearer("valid0.0123456789abcdef"),
    "bootstrap: wrong secret": bearer("valid0.0123456789abcdee"),
    "bootstrap: expired": bearer("expir0.0123456789abcdef"),
    "bootstrap: not for this": bearer("usele0.0123456789abcdef"),
    "bootstrap: unknown": bearer("nobody.0123456789abcdef"),
    "header: a password": header(
      "authorization",
      `Basic ${Buffer.from("root:static-token-of-root").toString("base64")}`,
    ),
    "header: an empty token": header("authorization", "Bearer "),
    "header: two spaces before a token": header("authorization", "Bearer  static-token-of-root"),
    "header: another scheme": header("authorization", "Token static-token-of-root"),
    "header: a user of a proxy": {
      headers: { "X-Remote-User": "root", "X-Remote-Group": "system:masters", "X-Remote-Uid": "1" },
    },
    "header: a token for a socket": header(
      "sec-websocket-protocol",
      `base64url.bearer.authorization.k8s.io.${Buffer.from("static-token-of-root").toString("base64url")}`,
    ),
    "header: a cookie": header("cookie", "token=static-token-of-root"),
    "imp as jane": as(imp, user("jane")),
    "imp as jane of devs": as(imp, user("jane", { "Impersonate-Group": "devs" })),
    "imp as jane, then root": as(imp, { "Impersonate-User": ["jane", "root"] }),
    "imp as root": as(imp, user("root")),
    "imp as jane of system:masters": as(
      imp,
      user("jane", { "Impersonate-Group": "system:masters" }),
    ),
    "imp as jane of devs and others": as(
      imp,
      user("jane", { "Impersonate-Group": ["devs", "others"] }),
    ),
    "imp as jane with a uid": as(imp, user("jane", { "Impersonate-Uid": "1" })),
    "imp as jane with more": as(imp, user("jane", { "Impersonate-Extra-Scopes": "all" })),
    "imp as a service account": as(imp, user("system:serviceaccount:a:robot")),
    "imp as a node": as(imp, user("system:node:n1")),
    "imp as nobody": as(imp, user("system:anonymous")),
    "imp as a group alone": as(imp, { "Impersonate-Group": "devs" }),
    "imp as jane, with underscores": as(imp, { Impersonate_User: "jane" }),
    "jane as root": as(bearer("static-token-of-jane"), user("root")),
    "nobody as root": as({}, user("root")),
  };
}
