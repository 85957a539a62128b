import { quote } from "../../../schema/values/quote.ts";
import { nodeNameOf } from "../../authorization/node-user.ts";
import type { ObjectDraft } from "../../objects/object.ts";
import type { AdmissionPlugin, Attributes } from "../admission.ts";
import type { PluginSetup } from "../plugins.ts";
import { rejection } from "../rejection.ts";
import { podCertificates } from "./own-certificates.ts";
import { ownNode } from "./own-node.ts";
import { csiNodes, leases, resourceSlices, signingRequests } from "./own-objects.ts";
import { podEvictions, podStatuses, podsOfNode } from "./own-pods.ts";
import { accountTokens } from "./own-tokens.ts";
import { claimStatuses, localVolumes } from "./own-volumes.ts";

/** What rules of nodes need of the server. */
export type NodeRuleSetup = Pick<PluginSetup, "reader" | "access" | "environment">;

/** A write of a node. */
export interface NodeRequest {
  readonly node: string;
  readonly attributes: Attributes<ObjectDraft>;
  readonly setup: NodeRuleSetup;
}

/** Rejects a write by a rule: the text is the reason of a Forbidden error, undefined if it is allowed. */
export type NodeRule = (request: NodeRequest) => string | undefined | Promise<string | undefined>;

/** Nodes may write only themselves, their pods, and the objects that belong to either. */
export const nodeRestriction = (setup: NodeRuleSetup): AdmissionPlugin => ({
  name: "NodeRestriction",
  operations: ["CREATE", "UPDATE", "DELETE"],

  async admit(attributes) {
    const { user } = attributes.context;
    const node = nodeNameOf(user);
    if (node === undefined) return;
    const why =
      node === ""
        ? `could not determine node from user ${quote(user.name)}`
        : await ruleFor(attributes)?.({ node, attributes, setup });
    if (why !== undefined) throw rejection(attributes, why);
  },
});

function ruleFor({
  address: { kind },
  subresource,
}: Attributes<ObjectDraft>): NodeRule | undefined {
  const rule = rules[`${kind.group}/${kind.plural}`];
  return typeof rule === "function" ? rule : (rule?.[subresource] ?? rule?.["*"]);
}

/** The rules by group and resource; by subresource, where it matters, with `*` for all others. */
const rules: Readonly<Record<string, NodeRule | Readonly<Record<string, NodeRule>>>> = {
  "/pods": {
    "": podsOfNode,
    status: podStatuses,
    eviction: podEvictions,
    "*": ({ attributes: { subresource } }) =>
      `unexpected pod subresource ${quote(subresource)}, only 'status' and 'eviction' are allowed`,
  },
  "/nodes": ownNode,
  "/persistentvolumeclaims": { status: claimStatuses, "*": () => "may only update PVC status" },
  "/persistentvolumes": localVolumes,
  "/serviceaccounts": accountTokens,
  "coordination.k8s.io/leases": leases,
  "storage.k8s.io/csinodes": csiNodes,
  "resource.k8s.io/resourceslices": resourceSlices,
  "certificates.k8s.io/certificatesigningrequests": signingRequests,
  "certificates.k8s.io/podcertificaterequests": podCertificates,
};
