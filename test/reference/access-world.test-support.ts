import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { Agent } from "node:https";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { eventually } from "../eventually.ts";
import { ask, TestAuthority, testDir } from "../support/apiserver.test-support.ts";
import { openHttpsIssuer } from "../support/https-issuer.test-support.ts";
import { type Identity, startServed } from "./reference-server.test-support.ts";

/** Callers who are who they say. */
export const knownCallers = [
  "admin",
  "nobody",
  "jane",
  "vera",
  "robot",
  "node-1",
  "scheduler",
  "proxied jane",
];

/** Callers whose credentials are recognised and wrong: each of their requests is rejected. */
export const wrongCallers = [
  "a certificate that has expired",
  "a certificate that is not valid yet",
  "a certificate of another authority",
  "the account of a pod that is gone",
  "an identity token that has expired",
  "an identity token for somebody else",
  "an identity token without a signature",
  "an identity token that was changed",
  "an identity token whose key is named as a path",
  "a token that nobody knows",
  "a proxy whose name is not allowed",
];

/** Headers that name another caller, sent by those who may not do that. */
const smuggled = [
  ["impersonate-user", "admin"],
  ["impersonate-group", "system:masters"],
  ["x-remote-user", "admin"],
  ["x-remote-group", "system:masters"],
] as const;
export const smuggledHeaders = smuggled.map(([header]) => header);
/** Those who smuggle. */
export const smugglers = ["nobody", "jane", "node-1", "robot"];

export interface AccessWorld {
  /** The status and the message of a response. */
  decide(request: AccessRequest, caller: string): Promise<string>;
}

export interface AccessRequest {
  /** `METHOD /path` */
  readonly request: string;
  readonly body?: object;
}

/** A server with all those callers, and with objects that some of them may see. */
export async function openAccessWorld(): Promise<AccessWorld> {
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
  const server = await startServed(
    dir,
    clients,
    ...["--token-auth-file", join(dir, "tokens.csv")],
    ...["--oidc-issuer-url", issuer.url, "--oidc-client-id=web", "--oidc-ca-file", clients.file],
    ...["--oidc-username-prefix=-", "--enable-admission-plugins=NodeRestriction"],
    ...["--requestheader-client-ca-file", proxies.file, "--requestheader-allowed-names=proxy"],
    ...["--requestheader-username-headers=X-Remote-User"],
    ...["--requestheader-group-headers=X-Remote-Group"],
    ...["--requestheader-uid-headers=X-Remote-Uid"],
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
  );
  const { admin } = server;
  const pair = ({ cert, key }: { readonly cert: string; readonly key: string }): Identity => ({
    cert: readFileSync(cert),
    key: readFileSync(key),
  });
  const bearer = (token: string): Identity => ({ headers: { authorization: `Bearer ${token}` } });
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
  const encoded = (text: string) => Buffer.from(text).toString("base64url");
  const changed = encoded(Buffer.from(claims, "base64url").toString().replace("vera", "root"));
  const elsewhere = encoded(
    JSON.stringify({ alg: "RS256", kid: "../../../../etc/passwd", jku: "http://127.0.0.1:1/" }),
  );
  const proxied = (name: string): Identity => ({
    ...pair(proxies.issue(name)),
    headers: { "x-remote-user": "jane", "x-remote-group": "devs" },
  });
  const masters = { organizations: ["system:masters"] };
  const identities: Record<string, Identity> = {
    admin,
    nobody: {},
    jane: bearer("janes-token"),
    vera: bearer(vera),
    robot: bearer(robot),
    "node-1": pair(clients.issue("system:node:node-1", { organizations: ["system:nodes"] })),
    scheduler: pair(clients.issue("system:kube-scheduler")),
    "proxied jane": proxied("proxy"),
    "a proxy whose name is not allowed": proxied("not-allowed"),
    "a certificate that has expired": pair(
      clients.issue("old", { ...masters, valid: [now - 2 * hour, now - hour] }),
    ),
    "a certificate that is not valid yet": pair(
      clients.issue("new", { ...masters, valid: [now + hour, now + 2 * hour] }),
    ),
    "a certificate of another authority": pair(strangers.issue("stranger", masters)),
    "the account of a pod that is gone": bearer(orphan),
    "an identity token that has expired": bearer(issuer.token({ sub: "vera", exp: seconds - 5 })),
    "an identity token for somebody else": bearer(issuer.token({ sub: "vera", aud: "other" })),
    "an identity token without a signature": bearer(`${encoded('{"alg":"none"}')}.${claims}.`),
    "an identity token that was changed": bearer(`${header}.${changed}.${signature}`),
    "an identity token whose key is named as a path": bearer(`${elsewhere}.${claims}.${signature}`),
    "a token that nobody knows": bearer("nobodys-token"),
  };
  for (const [name, value] of smuggled)
    for (const who of smugglers) {
      const identity = identities[who] as Identity;
      const headers = { ...identity.headers, [name]: value };
      identities[`${who} with ${name}`] = { ...identity, headers };
    }
  const world = { decide: decider(server, identities) };
  // The issuer is discovered in the background.
  const pods = { request: "GET /api/v1/namespaces/team/pods" };
  await eventually(async () => {
    const decision = await world.decide(pods, "vera");
    if (decision !== "200") throw new Error(`vera is not known yet: ${decision}`);
  });
  return world;
}

/** Each caller has connections of its own, which are kept. */
function decider(
  server: { readonly port: number },
  identities: Readonly<Record<string, Identity>>,
): AccessWorld["decide"] {
  const agents = new Map<string, Agent>();
  onTestFinished(() => {
    for (const agent of agents.values()) agent.destroy();
  });
  return async ({ request, body }, caller) => {
    const identity = identities[caller];
    if (!identity) throw new Error(`there is no ${caller}`);
    const agent = agents.get(caller) ?? new Agent({ keepAlive: true });
    agents.set(caller, agent);
    const [method = "", path = ""] = request.split(" ");
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const { headers, ...pair } = identity;
    const options = { method, agent, ...pair, headers: { ...headers, "content-type": type } };
    const { status = 0, text } = await ask(server, path, options, body ? JSON.stringify(body) : "");
    return status < 300 ? String(status) : `${status} ${messageOf(text)}`;
  };
}

function messageOf(text: string): string {
  try {
    return String(JSON.parse(text).message);
  } catch {
    return text;
  }
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
  const apiGroup = "rbac.authorization.k8s.io";
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
  // Aggregated roles are empty without controllers.
  const reads = ["get", "list", "watch"];
  const writes = ["create", "delete", "deletecollection", "patch", "update"];
  await write(`${rbac}/clusterroles`, {
    metadata: { name: "developer" },
    rules: [
      {
        apiGroups: [""],
        resources: ["pods", "pods/eviction", "secrets", "services", "serviceaccounts"],
        verbs: [...reads, ...writes],
      },
      { apiGroups: [""], resources: ["serviceaccounts/token"], verbs: ["create"] },
      { apiGroups: [""], resources: ["services/proxy"], verbs: ["get"] },
      {
        apiGroups: ["authorization.k8s.io"],
        resources: ["localsubjectaccessreviews"],
        verbs: ["create"],
      },
    ],
  });
  await write(`${rbac}/clusterroles`, {
    metadata: { name: "viewer" },
    rules: [
      { apiGroups: [""], resources: ["pods", "services", "namespaces"], verbs: reads },
      { nonResourceURLs: ["/metrics", "/debug/*"], verbs: ["get"] },
    ],
  });
  await write(`${rbac}/namespaces/team/rolebindings`, {
    metadata: { name: "devs" },
    roleRef: { apiGroup, kind: "ClusterRole", name: "developer" },
    subjects: [{ kind: "Group", apiGroup, name: "devs" }],
  });
  await write(`${rbac}/clusterrolebindings`, {
    metadata: { name: "vera" },
    roleRef: { apiGroup, kind: "ClusterRole", name: "viewer" },
    subjects: [{ kind: "User", apiGroup, name: "vera" }],
  });
  await write(`${rbac}/namespaces/team/roles`, {
    metadata: { name: "robot" },
    rules: [
      { apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch"] },
      { apiGroups: [apiGroup], resources: ["roles", "rolebindings"], verbs: ["create", "update"] },
    ],
  });
  await write(`${rbac}/namespaces/team/rolebindings`, {
    metadata: { name: "robot" },
    roleRef: { apiGroup, kind: "Role", name: "robot" },
    subjects: [{ kind: "ServiceAccount", name: "robot", namespace: "team" }],
  });
}
