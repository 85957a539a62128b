import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import type { FlowSchema } from "../../api/flowcontrol/v1/flow-schema.ts";
import {
  type Attributes,
  pathAttributes,
  resourceAttributes,
} from "../authorization/attributes.ts";
import { flowControlDefaults } from "../bootstrap/flow-control-plan.ts";
import {
  flowDistinguisher,
  matchFlowSchema,
  orderFlowSchemas,
  schemasOfUser,
} from "./match-flow-schema.ts";

const defaults = flowControlDefaults()
  .map(({ object }) => object)
  .filter(({ kind }) => kind === "FlowSchema") as unknown as FlowSchema[];

const user = (name: string, ...groups: string[]) => ({
  name,
  groups: ["system:authenticated", ...groups],
});
const get = { verb: "get", version: "v1" };
const asks = (caller: ReturnType<typeof user>, about: Partial<Attributes>) =>
  resourceAttributes(caller, about.verb ?? "get", { ...get, ...about });
const account = (name: string) => user(`system:serviceaccount:${name}`, "system:serviceaccounts");
const node = user("system:node:n", "system:nodes");

each<[what: string, request: Attributes, schema: string, flow: string]>([
  ["an administrator", asks(user("admin", "system:masters"), { resource: "pods" }), "exempt", ""],
  ["a probe", pathAttributes(user("x"), "get", "/readyz"), "probes", ""],
  ["a check of a probe", pathAttributes(user("x"), "get", "/livez/ping"), "probes", ""],
  ["another path", pathAttributes(user("x"), "get", "/version"), "global-default", "x"],
  [
    "a node's own status",
    asks(node, { resource: "nodes", subresource: "status", name: "n" }),
    "system-node-high",
    "system:node:n",
  ],
  [
    "a node's pods",
    asks(node, { resource: "pods", namespace: "a" }),
    "system-nodes",
    "system:node:n",
  ],
  [
    "a controller's lease",
    asks(user("system:kube-controller-manager"), {
      verb: "update",
      group: "coordination.k8s.io",
      resource: "leases",
      namespace: "kube-system",
    }),
    "system-leader-election",
    "system:kube-controller-manager",
  ],
  [
    "a controller's other requests",
    asks(user("system:kube-controller-manager"), { resource: "pods", namespace: "a" }),
    "kube-controller-manager",
    "a",
  ],
  [
    "an account of the system",
    asks(account("kube-system:job-controller"), {
      resource: "jobs",
      group: "batch",
      namespace: "a",
    }),
    "kube-system-service-accounts",
    "a",
  ],
  [
    "another account",
    asks(account("default:app"), { resource: "pods", namespace: "a" }),
    "service-accounts",
    "system:serviceaccount:default:app",
  ],
  ["a user", asks(user("jane"), { resource: "pods", namespace: "a" }), "global-default", "jane"],
])("matchFlowSchema: %s", (_, request, schema, flow) => {
  const found = matchFlowSchema(
    schemasOfUser(
      orderFlowSchemas(defaults, () => true),
      request.user,
    ),
    request,
  );
  expect([found.metadata.name, flowDistinguisher(found, request)]).toEqual([schema, flow]);
});

test("orderFlowSchemas: those without a level are left out, the mandatory ones are always there", () => {
  const names = (hasLevel: (name: string) => boolean) =>
    orderFlowSchemas(defaults, hasLevel).map(({ metadata }) => metadata.name);
  expect(names((name) => name === "system")).toEqual(["exempt", "system-nodes", "catch-all"]);
  expect(names(() => true).slice(0, 2)).toEqual(["exempt", "probes"]);
  expect(names(() => true).at(-1)).toBe("catch-all");
});
