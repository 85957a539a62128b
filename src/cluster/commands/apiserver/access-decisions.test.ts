import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
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

/** How a caller shows who it is. */
interface Identity {
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The callers of the table, in the order of its columns. */
const known = ["admin", "nobody", "jane", "vera", "robot", "node-1", "scheduler", "proxied jane"];

/** Those whose credentials are recognised and wrong: each of their requests is rejected, whatever it asks for. */
const wrong = [
  "a certificate that has expired",
  "a certificate that is not valid yet",
  "a certificate of another authority",
  "the account of a pod that is gone",
  "an identity token that has expired",
  "an identity token for somebody else",
  "an identity token without a signature",
  "an identity token that was changed",
  "a token that nobody knows",
];

/** Statuses by caller: `+` is a success, F 403, U 401, N 404, B 400. */
const table: readonly [request: string, decisions: string, also?: object][] = [
  //                                              admin nobody jane vera robot node sched proxied
  ["GET /livez", "+ + + + + + + +"],
  ["GET /version", "+ + + + + + + +"],
  ["GET /metrics", "+ F F F F F F F"],
  ["GET /api/v1/namespaces/team/pods", "+ F + + + F + +"],
  ["GET /api/v1/namespaces/other/pods", "+ F F + F F + F"],
  ["GET /api/v1/namespaces/team/pods/web", "+ F + + + + + +"],
  ["GET /api/v1/namespaces/team/secrets/web", "+ F + F F + F +"],
  ["GET /api/v1/namespaces/other/secrets/db", "+ F F F F F F F"],
  ["GET /api/v1/nodes/node-1", "+ F F F F + + F"],
  ["GET /api/v1/nodes/node-2", "+ F F F F F + F"],
  ["GET /api/v1/pods?fieldSelector=spec.nodeName%3Dnode-1", "+ F F + F + + F"],
  ["GET /api/v1/pods?fieldSelector=spec.nodeName%3Dnode-2", "+ F F + F F + F"],
  [
    "PATCH /api/v1/nodes/node-1?dryRun=All",
    "+ F F F F + F F",
    { metadata: { labels: { a: "b" } } },
  ],
  [
    "PATCH /api/v1/nodes/node-2?dryRun=All",
    "+ F F F F F F F",
    { metadata: { labels: { a: "b" } } },
  ],
  ["DELETE /api/v1/namespaces/other/pods/db?dryRun=All", "+ F F F F F + F"],
  ["GET /apis/rbac.authorization.k8s.io/v1/clusterroles", "+ F F F F F F F"],
  ["POST /apis/authentication.k8s.io/v1/selfsubjectreviews", "+ F + + + + + +", {}],
  [
    "POST /apis/rbac.authorization.k8s.io/v1/namespaces/team/rolebindings?dryRun=All",
    "+ F F F F F F F",
    {
      metadata: { name: "more" },
      roleRef: {
        apiGroup: "rbac.authorization.k8s.io",
        kind: "ClusterRole",
        name: "cluster-admin",
      },
      subjects: [{ kind: "ServiceAccount", name: "robot", namespace: "team" }],
    },
  ],
  ["POST /api/v1/namespaces/team/serviceaccounts/robot/token", "+ F + F F F F +", { spec: {} }],
  ["GET /api/v1/namespaces/team/pods%2F..%2F..%2Fother%2Fsecrets%2Fdb", "N F F F F F F F"],
  ["GET /api/v1/namespaces/team/pods/../../other/secrets/db", "N F F F F F F F"],
];

const statuses: Readonly<Record<number, string>> = { 401: "U", 403: "F", 404: "N", 400: "B" };
const letterOf = (status = 0): string =>
  status >= 200 && status < 300 ? "+" : (statuses[status] ?? String(status));

test("access: each request of each caller is decided as the table says, over TLS", async () => {
  const world = await openWorld();
  const decide = async (request: string, identity: Identity, also?: object) => {
    const [method = "", path = ""] = request.split(" ");
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const { headers, ...pair } = identity;
    const options = { method, ...pair, headers: { ...headers, "content-type": type } };
    return letterOf(
      (await ask(world.server, path, options, also ? JSON.stringify(also) : "")).status,
    );
  };
  const found: string[] = [];
  const expected: string[] = [];
  for (const [request, decisions, also] of table) {
    const all = await Promise.all(
      [...known, ...wrong].map((name) => decide(request, world.identity(name), also)),
    );
    found.push(`${request} ${all.join(" ")}`);
    expected.push(`${request} ${decisions} ${wrong.map(() => "U").join(" ")}`);
  }
  expect(found).toEqual(expected);
  expect(table.length * (known.length + wrong.length)).toBeGreaterThan(200);

  // Headers that name another caller count only where the one who sends them may do so.
  const secrets = "GET /api/v1/namespaces/other/secrets/db";
  const smuggled: Record<string, Identity> = {};
  for (const [header, value] of [
    ["impersonate-user", "admin"],
    ["impersonate-group", "system:masters"],
    ["x-remote-user", "admin"],
    ["x-remote-group", "system:masters"],
  ] as const)
    for (const name of ["nobody", "jane", "node-1", "robot"]) {
      const identity = world.identity(name);
      smuggled[`${name} ${header}`] = {
        ...identity,
        headers: { ...identity.headers, [header]: value },
      };
    }
  for (const [what, identity] of Object.entries(smuggled)) {
    const decision = await decide(secrets, identity);
    expect({ what, decision: decision === "+" || decision === "N" }).toEqual({
      what,
      decision: false,
    });
  }
  // A proxy without an allowed name is no proxy, and one that names nobody is nobody.
  expect(await decide(secrets, world.identity("another proxy"))).toBe("U");
});

async function openWorld() {
  const dir = testDir();
  const folder = (name: string) => {
    mkdirSync(join(dir, name));
    return join(dir, name);
  };
  const clients = new TestAuthority(folder("clients"), "clients-ca");
  const proxies = new TestAuthority(folder("proxies"), "proxies-ca");
  const strangers = new TestAuthority(folder("strangers"), "strangers-ca");
  const issuer = await openHttpsIssuer(clients, "issuer");
  writeFileSync(join(dir, "tokens.csv"), 'janes-token,jane,1,"devs"\n');
  const server = await startWith(
    dir,
    ...["--client-ca-file", clients.file, "--token-auth-file", join(dir, "tokens.csv")],
    ...["--oidc-issuer-url", issuer.url, "--oidc-client-id=web", "--oidc-ca-file", clients.file],
    ...["--oidc-username-prefix=-", "--enable-admission-plugins=NodeRestriction"],
    ...["--requestheader-client-ca-file", proxies.file, "--requestheader-allowed-names=proxy"],
    ...["--requestheader-username-headers=X-Remote-User"],
    ...["--requestheader-group-headers=X-Remote-Group"],
    ...["--requestheader-uid-headers=X-Remote-Uid"],
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
  );
  const pair = ({ cert, key }: { readonly cert: string; readonly key: string }): Identity => ({
    cert: readFileSync(cert),
    key: readFileSync(key),
  });
  const bearer = (token: string): Identity => ({ headers: { authorization: `Bearer ${token}` } });
  const admin = pair({
    cert: join(server.dir, "pki/admin.crt"),
    key: join(server.dir, "pki/admin.key"),
  });
  const write = async (path: string, body: object, method = "POST") => {
    const options = { ...admin, method, headers: { "content-type": "application/json" } };
    const { status = 0, text } = await ask(server, path, options, JSON.stringify(body));
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return JSON.parse(text);
  };
  await fill(write);
  const tokens = "/api/v1/namespaces/team/serviceaccounts/robot/token";
  const gone = await write("/api/v1/namespaces/team/pods", podOn("node-1", "gone"));
  const boundObjectRef = { kind: "Pod", apiVersion: "v1", name: "gone", uid: gone.metadata.uid };
  const orphan = (await write(tokens, { spec: { boundObjectRef } })).status.token;
  await write("/api/v1/namespaces/team/pods/gone?gracePeriodSeconds=0", {}, "DELETE");
  const robot = (await write(tokens, { spec: {} })).status.token;

  const now = Date.now();
  const hour = 3_600_000;
  const seconds = Math.floor(now / 1000);
  const vera = issuer.token({ sub: "vera" });
  const [header = "", claims = "", signature = ""] = vera.split(".");
  const changed = Buffer.from(
    Buffer.from(claims, "base64url").toString().replace("vera", "root"),
  ).toString("base64url");
  const none = Buffer.from('{"alg":"none"}').toString("base64url");
  const proxied = (name: string): Identity => ({
    ...pair(proxies.issue(name)),
    headers: { "x-remote-user": "jane", "x-remote-group": "devs" },
  });
  const identities: Readonly<Record<string, Identity>> = {
    admin,
    nobody: {},
    jane: bearer("janes-token"),
    vera: bearer(vera),
    robot: bearer(robot),
    "node-1": pair(clients.issue("system:node:node-1", { organizations: ["system:nodes"] })),
    scheduler: pair(clients.issue("system:kube-scheduler")),
    "proxied jane": proxied("proxy"),
    "another proxy": proxied("not-allowed"),
    "a certificate that has expired": pair(
      clients.issue("old", {
        organizations: ["system:masters"],
        valid: [now - 2 * hour, now - hour],
      }),
    ),
    "a certificate that is not valid yet": pair(
      clients.issue("new", {
        organizations: ["system:masters"],
        valid: [now + hour, now + 2 * hour],
      }),
    ),
    "a certificate of another authority": pair(
      strangers.issue("stranger", { organizations: ["system:masters"] }),
    ),
    "the account of a pod that is gone": bearer(orphan),
    "an identity token that has expired": bearer(issuer.token({ sub: "vera", exp: seconds - 5 })),
    "an identity token for somebody else": bearer(issuer.token({ sub: "vera", aud: "other" })),
    "an identity token without a signature": bearer(`${none}.${claims}.`),
    "an identity token that was changed": bearer(`${header}.${changed}.${signature}`),
    "a token that nobody knows": bearer("nobodys-token"),
  };
  // The issuer is discovered in the background.
  await eventually(async () => {
    const { status } = await ask(server, "/api/v1/namespaces/team/pods", identities.vera);
    expect(status).toBe(200);
  });
  return { server, identity: (name: string): Identity => identities[name] ?? {} };
}

const podOn = (nodeName: string, name: string, secret?: string) => ({
  metadata: { name },
  spec: {
    nodeName,
    serviceAccountName: "robot",
    containers: [
      {
        name: "main",
        image: "image",
        ...(secret && { envFrom: [{ secretRef: { name: secret } }] }),
      },
    ],
  },
});

async function fill(write: (path: string, body: object) => Promise<unknown>): Promise<void> {
  for (const name of ["node-1", "node-2"]) await write("/api/v1/nodes", { metadata: { name } });
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const roleRef = (kind: string, name: string) => ({
    apiGroup: "rbac.authorization.k8s.io",
    kind,
    name,
  });
  for (const [namespace, pod, node] of [
    ["team", "web", "node-1"],
    ["other", "db", "node-2"],
  ] as const) {
    await write("/api/v1/namespaces", { metadata: { name: namespace } });
    for (const name of ["default", "robot"])
      await write(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name } });
    await write(`/api/v1/namespaces/${namespace}/secrets`, { metadata: { name: pod } });
    await write(`/api/v1/namespaces/${namespace}/pods`, podOn(node, pod, pod));
  }
  await write(`${rbac}/namespaces/team/rolebindings`, {
    metadata: { name: "devs" },
    roleRef: roleRef("ClusterRole", "edit"),
    subjects: [{ kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: "devs" }],
  });
  await write(`${rbac}/clusterrolebindings`, {
    metadata: { name: "vera" },
    roleRef: roleRef("ClusterRole", "view"),
    subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "vera" }],
  });
  await write(`${rbac}/namespaces/team/roles`, {
    metadata: { name: "robot" },
    rules: [
      { apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch"] },
      { apiGroups: ["rbac.authorization.k8s.io"], resources: ["rolebindings"], verbs: ["create"] },
    ],
  });
  await write(`${rbac}/namespaces/team/rolebindings`, {
    metadata: { name: "robot" },
    roleRef: roleRef("Role", "robot"),
    subjects: [{ kind: "ServiceAccount", name: "robot", namespace: "team" }],
  });
}
