import { expect, test } from "vitest";
import { authenticate, authorize, type User } from "./identity.ts";
import { toApiRequest } from "./in-process.test-support.ts";
import type { Peer } from "./request.ts";
import { parsePath } from "./request-info.ts";

const jane: User = { name: "jane", groups: ["devs", "system:authenticated"] };
const nobody: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };
const root: User = { name: "root", groups: ["system:masters"] };

const certificate: Peer = { commonName: "jane", organizations: ["devs"] };
const requests: [what: string, peer: Peer | undefined, token: string | null, user: unknown][] = [
  ["a certificate names its user", certificate, null, jane],
  ["a certificate counts, whatever token comes with it", certificate, "Bearer nope", jane],
  ["who shows nothing is anonymous", undefined, null, nobody],
  ["an empty token is nothing", undefined, "Bearer ", nobody],
  ["a token that nobody issued is refused", undefined, "bearer nope", "Unauthorized"],
];
test.each(requests)("authenticate: %s", (_, peer, authorization, user) => {
  const request = toApiRequest({ path: "/", headers: { authorization } });
  expect(outcome(() => authenticate({ ...request, peer }))).toEqual(user);
});

const decisions: [user: User, verb: string, path: string, refusal: string | undefined][] = [
  [root, "delete", "/api/v1/nodes/n", undefined],
  [root, "get", "/anything", undefined],
  [nobody, "get", "/version", undefined],
  [nobody, "get", "/readyz", undefined],
  [nobody, "post", "/version", 'forbidden: User "system:anonymous" cannot post path "/version"'],
  [
    nobody,
    "get",
    "/readyz/etcd",
    'forbidden: User "system:anonymous" cannot get path "/readyz/etcd"',
  ],
  [nobody, "get", "/api", 'forbidden: User "system:anonymous" cannot get path "/api"'],
  [jane, "get", "/api", undefined],
  [jane, "get", "/openapi/v3/apis/apps/v1", undefined],
  [jane, "get", "/apiculture", 'forbidden: User "jane" cannot get path "/apiculture"'],
  [
    jane,
    "list",
    "/api/v1/pods",
    'pods is forbidden: User "jane" cannot list resource "pods" in API group "" at the cluster scope',
  ],
  [
    jane,
    "update",
    "/apis/apps/v1/namespaces/default/deployments/shop/status",
    'deployments.apps "shop" is forbidden: User "jane" cannot update resource "deployments/status" in API group "apps" in the namespace "default"',
  ],
  [
    jane,
    "get",
    "/api/v1/namespaces/team",
    'namespaces "team" is forbidden: User "jane" cannot get resource "namespaces" in API group "" in the namespace "team"',
  ],
];
test.each(decisions)("authorize: $0.name may $1 $2, or is told $3", (user, verb, path, refusal) => {
  const target = parsePath(path);
  const what = target?.type === "resource" ? { resource: target.resource } : { path };
  expect(outcome(() => authorize(user, verb, what))).toEqual(refusal);
});

function outcome(decide: () => unknown): unknown {
  try {
    return decide();
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}
