import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { VirtualClock } from "../../../base/virtual-clock.ts";
import { type Attributes, resourceAttributes } from "../../authorization/attributes.ts";
import { type Authorizer, noRules } from "../../authorization/authorizer.ts";
import { openServer, send, toApiRequest } from "../../in-process.test-support.ts";
import type { ApiServer } from "../../server.ts";
import { impersonation } from "./impersonation.ts";

const rbac = "rbac.authorization.k8s.io";
const authentication = "authentication.k8s.io";

const rule = (
  verbs: string[],
  apiGroup: string,
  resources: string[],
  resourceNames?: string[],
) => ({
  verbs,
  apiGroups: [apiGroup],
  resources,
  ...(resourceNames && { resourceNames }),
});
const whoami = (mode: string) =>
  rule([`impersonate-on:${mode}:create`], authentication, ["selfsubjectreviews"]);

/** The rules of each user. */
const rights: Readonly<Record<string, readonly object[]>> = {
  nobody: [],
  legacy: [
    rule(["impersonate"], "", ["users"], ["jane"]),
    rule(["impersonate"], "", ["groups"], ["devs", "system:masters"]),
    rule(["impersonate"], "", ["serviceaccounts"], ["robot"]),
    rule(["impersonate"], authentication, ["uids"], ["7"]),
    rule(["impersonate"], authentication, ["userextras/scopes"], ["a", "b"]),
  ],
  modern: [
    whoami("user-info"),
    rule(["impersonate:user-info"], authentication, ["users"], ["jane"]),
    rule(["impersonate:user-info"], authentication, ["groups"], ["devs"]),
    rule(["impersonate:user-info"], authentication, ["uids"]),
    rule(["impersonate:user-info"], authentication, ["userextras/acme.io/scope"], ["a"]),
  ],
  many: [
    whoami("user-info"),
    rule(["impersonate:user-info"], authentication, ["users"]),
    rule(["impersonate:user-info"], authentication, ["groups"], ["*"]),
    rule(["impersonate:user-info"], authentication, ["userextras/*"], ["*"]),
  ],
  half: [rule(["impersonate:user-info"], authentication, ["users"])],
  accounts: [
    whoami("serviceaccount"),
    rule(["impersonate:serviceaccount"], authentication, ["serviceaccounts"], ["robot"]),
  ],
  nodes: [
    whoami("arbitrary-node"),
    rule(["impersonate:arbitrary-node"], authentication, ["nodes"], ["n1"]),
  ],
  "system:serviceaccount:default:agent": [
    whoami("associated-node"),
    rule(["impersonate:associated-node"], authentication, ["nodes"], ["*"]),
  ],
};

type Headers = readonly (readonly [name: string, value: string])[];

describe("impersonation", () => {
  let server: ApiServer;
  beforeAll(async () => {
    server = await openServer(new VirtualClock(Date.UTC(2026, 0, 1)));
    for (const [name, rules] of Object.entries(rights)) {
      const metadata = { name };
      const roleRef = { apiGroup: rbac, kind: "ClusterRole", name };
      const subjects = [{ kind: "User", apiGroup: rbac, name }];
      await make("clusterroles", { metadata, rules });
      await make("clusterrolebindings", { metadata, roleRef, subjects });
    }
  });
  afterAll(() => server.close());

  async function make(plural: string, body: object): Promise<void> {
    const path = `/apis/${rbac}/v1/${plural}`;
    const { status, text } = await send(server, { method: "POST", path, body });
    if (status !== 201) throw new Error(text);
  }

  /** The impersonated user, or the error. */
  async function outcome(name: string, headers: Headers): Promise<unknown> {
    const request = toApiRequest({
      method: "POST",
      path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      body: {},
      headers: Object.fromEntries(headers),
    });
    const organizations = name.startsWith("root") ? ["system:masters"] : [];
    const { body } = await server.handle({
      ...request,
      rawHeaders: headers.flat(),
      peer: { commonName: name, organizations },
    });
    const text = typeof body === "string" ? body : new TextDecoder().decode(body as Uint8Array);
    const { status, message } = JSON.parse(text) as {
      status: { userInfo?: object };
      message?: string;
    };
    return message ?? status.userInfo;
  }

  const jane: Headers = [["impersonate-user", "jane"]];
  const known = "system:authenticated";
  const on = (mode: string, name: string) =>
    `selfsubjectreviews.${authentication} is forbidden: User "${name}" cannot impersonate-on:${mode}:create resource "selfsubjectreviews" in API group "${authentication}" at the cluster scope`;
  const cannot = (
    name: string,
    verb: string,
    what: string,
    { of = authentication, about = "" } = {},
  ) =>
    `${what.split("/")[0]}${of === "" ? "" : `.${of}`} "${about}" is forbidden: User "${name}" cannot ${verb} resource "${what}" in API group "${of}" at the cluster scope`;

  const cases: [what: string, name: string, headers: Headers, expected: unknown][] = [
    [
      "an administrator can impersonate any user",
      "root",
      jane,
      { username: "jane", groups: [known] },
    ],
    [
      "all headers together",
      "root",
      [
        ...jane,
        ["impersonate-group", "a, b"],
        ["Impersonate-Group", "c"],
        ["impersonate-uid", "7"],
        ["impersonate-extra-Scopes", "x"],
        ["impersonate-extra-scopes", "y"],
        ["impersonate-extra-acme.io%2fproject", "p"],
        ["impersonate-extra-50%", "q"],
      ],
      {
        username: "jane",
        uid: "7",
        groups: ["a, b", "c", known],
        extra: { scopes: ["x", "y"], "acme.io/project": ["p"], "50%": ["q"] },
      },
    ],
    [
      "names in UTF-8, which Node decodes as Latin-1",
      "root",
      [["impersonate-user", Buffer.from("Zoë").toString("latin1")]],
      { username: "Zoë", groups: [known] },
    ],
    [
      "a given group system:authenticated is not repeated",
      "root",
      [...jane, ["impersonate-group", known]],
      { username: "jane", groups: [known] },
    ],
    [
      "the group system:unauthenticated can be given",
      "root",
      [...jane, ["impersonate-group", "system:unauthenticated"]],
      `selfsubjectreviews.${authentication} is forbidden: User "jane" cannot create resource "selfsubjectreviews" in API group "${authentication}" at the cluster scope`,
    ],
    [
      "a service account gets its groups",
      "root",
      [["impersonate-user", "system:serviceaccount:n:robot"]],
      {
        username: "system:serviceaccount:n:robot",
        groups: ["system:serviceaccounts", "system:serviceaccounts:n", known],
      },
    ],
    [
      "given groups replace those of a service account",
      "root",
      [
        ["impersonate-user", "system:serviceaccount:n:robot"],
        ["impersonate-group", "g"],
      ],
      { username: "system:serviceaccount:n:robot", groups: ["g", known] },
    ],
    [
      "an invalid service account name is a user name",
      "root",
      [["impersonate-user", "system:serviceaccount:N:robot"]],
      { username: "system:serviceaccount:N:robot", groups: [known] },
    ],
    // Who may be anybody in every mode is so in the narrowest one, unless another worked last.
    [
      "a node gets its group",
      "root-2",
      [["impersonate-user", "system:node:n1"]],
      { username: "system:node:n1", groups: ["system:nodes", known] },
    ],
    [
      "a node gets no group in the legacy mode",
      "root",
      [["impersonate-user", "system:node:n1"]],
      { username: "system:node:n1", groups: [known] },
    ],
    [
      "an empty user name is ignored",
      "root",
      [["impersonate-user", ""]],
      expect.objectContaining({ username: "root" }),
    ],
    [
      "groups without a user",
      "root",
      [["impersonate-group", "x"]],
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"x"}, Extra:map[string][]string(nil)} without impersonating a user name',
    ],
    [
      "uid, groups and extra without a user",
      "root",
      [
        ["impersonate-uid", "7"],
        ["impersonate-extra-b", "1"],
        ["impersonate-extra-a", "2"],
        ["impersonate-extra-a", "3"],
      ],
      'requested &user.DefaultInfo{Name:"", UID:"7", Groups:[]string(nil), Extra:map[string][]string{"a":[]string{"2", "3"}, "b":[]string{"1"}}} without impersonating a user name',
    ],
    [
      "without any rule, the error names the narrowest mode",
      "nobody",
      jane,
      on("user-info", "nobody"),
    ],
    [
      "without any rule, for service accounts",
      "nobody",
      [["impersonate-user", "system:serviceaccount:n:robot"]],
      on("serviceaccount", "nobody"),
    ],
    [
      "without any rule, for nodes",
      "nobody",
      [["impersonate-user", "system:node:n1"]],
      on("arbitrary-node", "nobody"),
    ],
    [
      "service accounts with groups need the legacy mode",
      "nobody",
      [
        ["impersonate-user", "system:serviceaccount:n:robot"],
        ["impersonate-group", "g"],
      ],
      'serviceaccounts "robot" is forbidden: User "nobody" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "n"',
    ],
    ["the legacy mode", "legacy", jane, { username: "jane", groups: [known] }],
    // From here on, what the mode says that worked last comes first.
    [
      "the legacy mode: another user",
      "legacy",
      [["impersonate-user", "joe"]],
      cannot("legacy", "impersonate", "users", { of: "", about: "joe" }),
    ],
    [
      "the legacy mode: groups",
      "legacy",
      [...jane, ["impersonate-group", "devs"]],
      { username: "jane", groups: ["devs", known] },
    ],
    [
      "the legacy mode: another group",
      "legacy",
      [...jane, ["impersonate-group", "devs"], ["impersonate-group", "ops"]],
      cannot("legacy", "impersonate", "groups", { of: "", about: "ops" }),
    ],
    [
      "the legacy mode: also system:masters",
      "legacy",
      [...jane, ["impersonate-group", "system:masters"]],
      { username: "jane", groups: ["system:masters", known] },
    ],
    [
      "the legacy mode: uid and extra",
      "legacy",
      [...jane, ["impersonate-uid", "7"], ["impersonate-extra-scopes", "a"]],
      { username: "jane", uid: "7", groups: [known], extra: { scopes: ["a"] } },
    ],
    [
      "the legacy mode: another uid",
      "legacy",
      [...jane, ["impersonate-uid", "8"]],
      cannot("legacy", "impersonate", "uids", { about: "8" }),
    ],
    [
      "the legacy mode: another value",
      "legacy",
      [...jane, ["impersonate-extra-scopes", "c"]],
      cannot("legacy", "impersonate", "userextras/scopes", { about: "c" }),
    ],
    [
      "the legacy mode: a service account",
      "legacy",
      [["impersonate-user", "system:serviceaccount:n:robot"]],
      expect.objectContaining({ username: "system:serviceaccount:n:robot" }),
    ],
    [
      "the constrained mode for users",
      "modern",
      [
        ...jane,
        ["impersonate-group", "devs"],
        ["impersonate-uid", "9"],
        ["impersonate-extra-acme.io%2fscope", "a"],
      ],
      { username: "jane", uid: "9", groups: ["devs", known], extra: { "acme.io/scope": ["a"] } },
    ],
    [
      "the constrained mode: another user",
      "modern",
      [["impersonate-user", "joe"]],
      cannot("modern", "impersonate:user-info", "users", { about: "joe" }),
    ],
    [
      "the constrained mode: never system:masters",
      "modern",
      [...jane, ["impersonate-group", "system:masters"]],
      `${cannot("modern", "impersonate:user-info", "groups", { about: "system:masters" })}: impersonating the system:masters group is not allowed`,
    ],
    [
      "the constrained mode: no empty group",
      "modern",
      [...jane, ["impersonate-group", ""]],
      `groups.${authentication} is forbidden: User "modern" cannot impersonate:user-info resource "groups" in API group "${authentication}" at the cluster scope: impersonating the empty string group is not allowed`,
    ],
    [
      "the constrained mode: keys need a domain",
      "modern",
      [...jane, ["impersonate-extra-scopes", "a"]],
      `userextras.${authentication} is forbidden: User "modern" cannot impersonate:user-info resource "userextras" in API group "${authentication}" at the cluster scope: impersonating an invalid key in extra is not allowed: extra.key: Invalid value: "scopes": must be a domain-prefixed path (such as "acme.io/foo")`,
    ],
    [
      "the constrained mode: keys must be in lower case",
      "modern",
      [...jane, ["impersonate-extra-acme.io%2f%41", "a"]],
      expect.stringContaining(
        'impersonating a non-lowercase key in extra is not allowed: "acme.io/A"',
      ),
    ],
    [
      "the constrained mode: values must not be empty",
      "modern",
      [...jane, ["impersonate-extra-acme.io%2fscope", ""]],
      expect.stringContaining("impersonating the empty string value in extra is not allowed"),
    ],
    [
      "the constrained mode: a rule for all groups allows more than three groups",
      "many",
      [...jane, ...["a", "b", "c", "d"].map((value) => ["impersonate-group", value] as const)],
      { username: "jane", groups: ["a", "b", "c", "d", known] },
    ],
    [
      "the constrained mode: a rule for all groups does not allow three",
      "many",
      [...jane, ...["a", "b", "c"].map((value) => ["impersonate-group", value] as const)],
      cannot("many", "impersonate:user-info", "groups", { about: "a" }),
    ],
    [
      "the constrained mode: a rule for all values allows more than three values",
      "many",
      [
        ...jane,
        ...["a", "b", "c", "d"].map((value) => ["impersonate-extra-acme.io%2fx", value] as const),
      ],
      { username: "jane", groups: [known], extra: { "acme.io/x": ["a", "b", "c", "d"] } },
    ],
    ["a user without a rule for the request", "half", jane, on("user-info", "half")],
    [
      "the mode for service accounts",
      "accounts",
      [["impersonate-user", "system:serviceaccount:n:robot"]],
      {
        username: "system:serviceaccount:n:robot",
        groups: ["system:serviceaccounts", "system:serviceaccounts:n", known],
      },
    ],
    [
      "the mode for service accounts does not apply to users",
      "accounts",
      jane,
      on("user-info", "accounts"),
    ],
    [
      "the mode for nodes",
      "nodes",
      [["impersonate-user", "system:node:n1"]],
      { username: "system:node:n1", groups: ["system:nodes", known] },
    ],
    [
      "the mode for nodes: another node",
      "nodes",
      [["impersonate-user", "system:node:n2"]],
      cannot("nodes", "impersonate:arbitrary-node", "nodes", { about: "n2" }),
    ],
    [
      "a service account whose node is unknown",
      "system:serviceaccount:default:agent",
      [["impersonate-user", "system:node:n1"]],
      on("arbitrary-node", "system:serviceaccount:default:agent"),
    ],
  ];
  test.each(cases)("%s", async (_, name, headers, expected) => {
    expect(await outcome(name, headers)).toEqual(expected);
  });
});

test("impersonation: a service account may impersonate the node of its pod", async () => {
  const seen: Attributes[] = [];
  const authorizer: Authorizer = {
    authorize(attributes) {
      seen.push(attributes);
      return { verdict: "allow", reason: "" };
    },
    rulesFor: () => noRules,
  };
  const user = {
    name: "system:serviceaccount:kube-system:agent",
    groups: [],
    extra: { "authentication.kubernetes.io/node-name": ["n1"], other: ["x"] },
  };
  const asked = resourceAttributes(user, "list", { resource: "pods", name: "" });
  const impersonated = await impersonation(authorizer)(
    { name: "system:node:n1", groups: [] },
    asked,
  );
  expect(impersonated).toEqual({
    user: { name: "system:node:n1", groups: ["system:nodes", "system:authenticated"] },
    constraint: "impersonate:associated-node",
  });
  const extra = {
    "authentication.kubernetes.io/associated-node-keys": [
      "authentication.kubernetes.io/node-name",
      "other",
    ],
  };
  expect(
    seen.map(({ verb, resource, name, user: { extra: shown } }) => [verb, resource, name, shown]),
  ).toEqual([
    ["impersonate-on:associated-node:list", "pods", "", extra],
    ["impersonate:associated-node", "nodes", "*", extra],
  ]);
});
