import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { openServer, send, type TestRequest } from "../in-process.test-support.ts";
import type { ApiServer } from "../server.ts";

const group = "rbac.authorization.k8s.io";
const api = `/apis/${group}/v1`;
const inTeam = `${api}/namespaces/default`;

const rule = (verbs: string[], resources: string[], more: object = {}) => ({
  verbs,
  apiGroups: [""],
  resources,
  ...more,
});
const manage = (verbs: string[], resources: string[], more: object = {}) => ({
  ...rule(verbs, resources, more),
  apiGroups: [group],
});
const writeAll = ["create", "update", "patch", "get"];
const all = ["roles", "rolebindings", "clusterroles", "clusterrolebindings"];
const pods = rule(["get", "list"], ["pods"]);
const everything = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

const role = (name: string, ...rules: object[]) => ({ metadata: { name }, rules });
const binding = (name: string, kind: string, to: string) => ({
  metadata: { name },
  roleRef: { apiGroup: group, kind, name: to },
  subjects: [{ kind: "User", apiGroup: group, name: "friend" }],
});

/** What each of these people may do in the cluster, beside writing roles. */
const rights: Readonly<Record<string, readonly object[]>> = {
  joe: [pods, rule(["get"], ["secrets"], { resourceNames: ["mine"] })],
  eve: [
    manage(["escalate"], ["roles"]),
    manage(["escalate"], ["clusterroles"], { resourceNames: ["big"] }),
  ],
  bea: [
    manage(["bind"], ["clusterroles"], { resourceNames: ["big"] }),
    manage(["bind"], ["roles"]),
  ],
  max: everything,
};

describe("whoever writes roles", () => {
  let server: ApiServer;
  const as = (name: string, request: Omit<TestRequest, "peer">) =>
    send(server, { ...request, peer: { commonName: name, organizations: ["staff"] } });
  const make = async (path: string, body: object) => {
    const { status, text } = await send(server, { method: "POST", path, body });
    if (status !== 201) throw new Error(text);
  };

  beforeAll(async () => {
    server = await openServer(new VirtualClock(Date.UTC(2026, 0, 1)));
    for (const [name, rules] of Object.entries(rights)) {
      await make(`${api}/clusterroles`, role(name, manage(writeAll, all), ...rules));
      const to = {
        ...binding(name, "ClusterRole", name),
        subjects: [{ kind: "User", apiGroup: group, name }],
      };
      await make(`${api}/clusterrolebindings`, to);
    }
    await make(
      `${api}/clusterroles`,
      role("big", rule(["*"], ["secrets", "nodes"]), everything[1] as object),
    );
    await make(`${api}/clusterroles`, role("small", pods));
    await make(`${inTeam}/roles`, role("big", rule(["delete"], ["pods"])));
    await make(`${inTeam}/roles`, role("small", pods));
    await make(`${inTeam}/rolebindings`, binding("existing", "Role", "big"));
  });
  afterAll(() => server.close());

  const who = (name: string) => `user "${name}" (groups=["staff" "system:authenticated"])`;
  const lacking = (name: string, ...lines: string[]) =>
    `${who(name)} is attempting to grant RBAC permissions not currently held:\n${lines.join("\n")}`;
  const bigRule = lacking(
    "joe",
    '{APIGroups:[""], Resources:["nodes"], Verbs:["*"]}',
    '{APIGroups:[""], Resources:["secrets"], Verbs:["*"]}',
    '{NonResourceURLs:["*"], Verbs:["*"]}',
  );

  const creations: [name: string, path: string, body: object, refusal?: string][] = [
    ["joe", `${inTeam}/roles`, role("own", pods)],
    ["joe", `${inTeam}/roles`, role("none")],
    [
      "joe",
      `${inTeam}/roles`,
      role("mine", rule(["get"], ["secrets"], { resourceNames: ["mine"] })),
    ],
    [
      "joe",
      `${inTeam}/roles`,
      role("more", pods, rule(["get", "watch", "list"], ["pods", "secrets"])),
      `roles.${group} "more" is forbidden: ${lacking(
        "joe",
        '{APIGroups:[""], Resources:["pods"], Verbs:["watch"]}',
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "watch" "list"]}',
      )}`,
    ],
    [
      "joe",
      `${inTeam}/roles`,
      role("names", rule(["get", "list"], ["secrets"], { resourceNames: ["mine", "yours"] })),
      `roles.${group} "names" is forbidden: ${lacking(
        "joe",
        '{APIGroups:[""], Resources:["secrets"], ResourceNames:["mine"], Verbs:["list"]}',
        '{APIGroups:[""], Resources:["secrets"], ResourceNames:["yours"], Verbs:["get" "list"]}',
      )}`,
    ],
    [
      "joe",
      `${api}/clusterroles`,
      role("paths", { verbs: ["get", "post"], nonResourceURLs: ["/metrics", "/healthz"] }),
      `clusterroles.${group} "paths" is forbidden: ${lacking(
        "joe",
        '{NonResourceURLs:["/healthz"], Verbs:["post"]}',
        '{NonResourceURLs:["/metrics"], Verbs:["get"]}',
        '{NonResourceURLs:["/metrics"], Verbs:["post"]}',
      )}`,
    ],
    // Before its rules are looked at: this one is not valid.
    [
      "joe",
      `${inTeam}/roles`,
      {
        ...role("invalid", rule(["watch"], ["pods"])),
        metadata: { name: "..", labels: { "-": "" } },
      },
      `roles.${group} ".." is forbidden: ${lacking("joe", '{APIGroups:[""], Resources:["pods"], Verbs:["watch"]}')}`,
    ],
    [
      "joe",
      `${api}/clusterroles`,
      { ...role("sum"), aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] } },
      `clusterroles.${group} "sum" is forbidden: must have cluster-admin privileges to use the aggregationRule`,
    ],
    [
      "max",
      `${api}/clusterroles`,
      { ...role("sum"), aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] } },
    ],
    ["max", `${inTeam}/roles`, role("anything", ...everything.slice(0, 1))],
    ["eve", `${inTeam}/roles`, role("escalated", rule(["*"], ["*"]))],
    // A request to create has no name in its path that a rule could name.
    [
      "eve",
      `${api}/clusterroles`,
      role("bigger", pods),
      `clusterroles.${group} "bigger" is forbidden: ${lacking("eve", '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}')}`,
    ],
    ["joe", `${inTeam}/rolebindings`, binding("small", "Role", "small")],
    ["joe", `${inTeam}/rolebindings`, binding("small-cluster", "ClusterRole", "small")],
    ["joe", `${api}/clusterrolebindings`, binding("small", "ClusterRole", "small")],
    [
      "joe",
      `${inTeam}/rolebindings`,
      binding("big", "Role", "big"),
      `rolebindings.${group} "big" is forbidden: ${lacking("joe", '{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}')}`,
    ],
    [
      "joe",
      `${api}/clusterrolebindings`,
      binding("big", "ClusterRole", "big"),
      `clusterrolebindings.${group} "big" is forbidden: ${bigRule}`,
    ],
    [
      "joe",
      `${inTeam}/rolebindings`,
      binding("b", "Role", "gone"),
      `rolebindings.${group} "gone" not found`,
    ],
    [
      "joe",
      `${inTeam}/rolebindings`,
      binding("b", "ClusterRole", "gone"),
      `rolebindings.${group} "gone" not found`,
    ],
    [
      "joe",
      `${api}/clusterrolebindings`,
      binding("b", "ClusterRole", "gone"),
      `clusterrolebindings.${group} "gone" not found`,
    ],
    [
      "joe",
      `${api}/clusterrolebindings`,
      binding("b", "Role", "small"),
      "Namespace parameter required.",
    ],
    [
      "joe",
      `${inTeam}/rolebindings`,
      binding("b", "Cook", "small"),
      'unsupported role reference kind: "Cook"',
    ],
    ["bea", `${inTeam}/rolebindings`, binding("bea-1", "ClusterRole", "big")],
    ["bea", `${api}/clusterrolebindings`, binding("bea-1", "ClusterRole", "big")],
    ["bea", `${inTeam}/rolebindings`, binding("bea-2", "Role", "gone")],
    [
      "bea",
      `${inTeam}/rolebindings`,
      binding("bea-3", "ClusterRole", "small"),
      `rolebindings.${group} "bea-3" is forbidden: ${lacking("bea", '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}')}`,
    ],
  ];
  for (const [name, path, body, refusal] of creations) {
    const what = `${path.slice(api.length + 1)} ${JSON.stringify(body).slice(0, 60)}`;
    test(`escalation: ${name} ${refusal === undefined ? "may" : "may not"} create ${what}`, async () => {
      const { text } = await as(name, { method: "POST", path, body });
      expect((JSON.parse(text) as { message?: string }).message).toEqual(refusal);
    });
  }

  const updates: [
    what: string,
    name: string,
    path: string,
    method: string,
    body: object,
    status: number,
  ][] = [
    [
      "to add what one has",
      "joe",
      `${inTeam}/roles/small`,
      "PUT",
      role("small", pods, rule(["get"], ["pods"])),
      200,
    ],
    [
      "to add what one has not",
      "joe",
      `${inTeam}/roles/small`,
      "PUT",
      role("small", rule(["watch"], ["pods"])),
      403,
    ],
    [
      "to keep what one has not",
      "joe",
      `${inTeam}/roles/big`,
      "PATCH",
      { metadata: { labels: { a: "b" } } },
      403,
    ],
    [
      "to hold it for its owner",
      "joe",
      `${inTeam}/roles/big`,
      "PATCH",
      { metadata: { finalizers: ["a.b/c"] } },
      200,
    ],
    ["to take all rules away", "joe", `${inTeam}/roles/big`, "PATCH", { rules: [] }, 200],
    [
      "to escalate by name",
      "eve",
      `${api}/clusterroles/big`,
      "PUT",
      role("big", rule(["*"], ["*"])),
      200,
    ],
    [
      "to escalate another",
      "eve",
      `${api}/clusterroles/small`,
      "PUT",
      role("small", rule(["*"], ["*"])),
      403,
    ],
    [
      "to escalate one by name that is not there",
      "eve",
      `${inTeam}/roles/new`,
      "PUT",
      role("new", rule(["*"], ["*"])),
      201,
    ],
    [
      "to create one with more",
      "joe",
      `${inTeam}/roles/newer`,
      "PUT",
      role("newer", rule(["*"], ["*"])),
      403,
    ],
    [
      "to bind others to a role that one has not",
      "joe",
      `${api}/clusterrolebindings/max`,
      "PATCH",
      { subjects: [] },
      403,
    ],
    [
      "to bind others to a role that one may bind",
      "bea",
      `${inTeam}/rolebindings/existing`,
      "PATCH",
      { subjects: [] },
      200,
    ],
    [
      "to keep an aggregation",
      "joe",
      `${api}/clusterroles/view`,
      "PATCH",
      { rules: [], metadata: { labels: { a: "b" } } },
      403,
    ],
  ];
  for (const [what, name, path, method, body, status] of updates)
    test(`escalation: an update ${what} is answered with ${status}`, async () => {
      const headers = method === "PATCH" ? { "content-type": "application/merge-patch+json" } : {};
      const answer = await as(name, { method, path, body, headers });
      expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
    });

  test("escalation: roles of one's own that do not exist are named", async () => {
    const to = {
      ...binding("lost", "ClusterRole", "lost"),
      subjects: [{ kind: "User", apiGroup: group, name: "joe" }],
    };
    await make(`${api}/clusterrolebindings`, to);
    const body = role("r", rule(["watch"], ["pods"]));
    const { text } = await as("joe", { method: "POST", path: `${inTeam}/roles`, body });
    expect((JSON.parse(text) as { message: string }).message).toEqual(
      `roles.${group} "r" is forbidden: ${lacking("joe", '{APIGroups:[""], Resources:["pods"], Verbs:["watch"]}')}; resolution errors: [roles.${group} "lost" not found]`,
    );
  });
});
