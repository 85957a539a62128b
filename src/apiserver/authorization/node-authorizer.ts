import { componentRoles } from "../bootstrap/roles/component-roles.ts";
import { nodeFeatureRules } from "../bootstrap/roles/optional-roles.ts";
import type { Attributes } from "./attributes.ts";
import { type Authorizer, type Decision, noOpinion, noRules } from "./authorizer.ts";
import type { NodeRelations, RelatedResource } from "./node-relations.ts";
import { nodeNameOf } from "./node-user.ts";
import { ruleAllows } from "./rule-allows.ts";

/**
 * Allows nodes the rights that all of them have, and to read the objects that their pods refer to. Writes of
 * nodes to themselves and their pods are allowed here and restricted by admission.
 */
export function nodeAuthorizer(
  relations: NodeRelations,
  features: ReadonlySet<string> = new Set(),
): Authorizer {
  const rules = [...nodeRules, ...nodeFeatureRules(features)];
  return {
    authorize(attributes) {
      const node = nodeNameOf(attributes.user);
      if (node === undefined) return noOpinion;
      if (node === "")
        return unless(`unknown node for user ${JSON.stringify(attributes.user.name)}`);
      const { isResource, group, resource } = attributes;
      const special = isResource ? specials[`${group}/${resource}`] : undefined;
      if (special) return special(attributes, { node, relations, features });
      return rules.some((rule) => ruleAllows(rule, attributes)) ? allow : noOpinion;
    },
    rulesFor: (user) =>
      nodeNameOf(user) === undefined
        ? noRules
        : {
            ...noRules,
            incomplete: true,
            errors: ["node authorizer does not support user rule resolution"],
          },
  };
}

const nodeRules =
  componentRoles.find(({ metadata }) => metadata.name === "system:node")?.rules ?? [];

const allow: Decision = { verdict: "allow", reason: "" };
const unless = (reason: string): Decision => ({ verdict: "no opinion", reason });

interface Asking {
  readonly node: string;
  readonly relations: NodeRelations;
  readonly features: ReadonlySet<string>;
}

type Special = (attributes: Attributes, asking: Asking) => Decision;

/** Whether a pod of the node refers to the object. */
function related(attributes: Attributes, { node, relations }: Asking): Decision {
  const { resource, namespace, name } = attributes;
  if (name === "") return unless("No Object name found");
  return relations.isRelated(node, resource as RelatedResource, { namespace, name })
    ? allow
    : unless(`no relationship found between node '${node}' and this object`);
}

const getting: Special = (attributes, asking) => {
  if (attributes.verb !== "get") return unless("can only get individual resources of this type");
  if (attributes.subresource !== "") return unless("cannot get subresource");
  return related(attributes, asking);
};

const reading: Special = (attributes, asking) => {
  if (!["get", "list", "watch"].includes(attributes.verb))
    return unless("can only read resources of this type");
  if (attributes.subresource !== "") return unless("cannot read subresource");
  if (attributes.namespace === "") return unless("can only read namespaced object of this type");
  return related(attributes, asking);
};

const claims: Special = (attributes, asking) => {
  if (attributes.subresource !== "status") return getting(attributes, asking);
  return ["update", "patch"].includes(attributes.verb)
    ? related(attributes, asking)
    : unless("can only get/update/patch this type");
};

const accounts: Special = (attributes, asking) => {
  const { verb, name, subresource } = attributes;
  if (verb === "get" && subresource === "") return reading(attributes, asking);
  if (verb !== "create" || name === "")
    return unless("can only create tokens for individual service accounts");
  if (subresource !== "token") return unless("can only create token subresource of serviceaccount");
  return related(attributes, asking);
};

const ownVerbs = ["get", "create", "update", "patch", "delete"];

/** Creation is checked by admission: the name is in the body, not in the request's attributes. */
const isOwn = ({ verb, name }: Attributes, node: string): boolean =>
  verb === "create" || name === node;

const leases: Special = (attributes, { node }) => {
  if (!ownVerbs.includes(attributes.verb))
    return unless("can only get, create, update, patch, or delete a node lease");
  if (attributes.namespace !== "kube-node-lease")
    return unless('can only access leases in the "kube-node-lease" system namespace');
  return isOwn(attributes, node)
    ? allow
    : unless("can only access node lease with the same name as the requesting node");
};

const csiNodes: Special = (attributes, { node }) => {
  if (!ownVerbs.includes(attributes.verb))
    return unless("can only get, create, update, patch, or delete a CSINode");
  if (attributes.subresource !== "") return unless("cannot authorize CSINode subresources");
  return isOwn(attributes, node)
    ? allow
    : unless("can only access CSINode with the same name as the requesting node");
};

const selects = ({ fieldSelector }: Attributes, field: string, value: string): boolean =>
  (fieldSelector?.requirements ?? []).some(
    (one) => one.field === field && one.operator === "=" && one.value === value,
  );

const resourceSlices: Special = (attributes, asking) => {
  const { verb, subresource } = attributes;
  if (subresource !== "") return unless("cannot authorize ResourceSlice subresources");
  if (verb === "create") return allow;
  if (["get", "update", "patch", "delete"].includes(verb)) return related(attributes, asking);
  if (!["watch", "list", "deletecollection"].includes(verb))
    return unless(
      "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection",
    );
  return selects(attributes, "spec.nodeName", asking.node)
    ? allow
    : unless("can only list/watch/deletecollection resourceslices with nodeName field selector");
};

const podCertificates: Special = (attributes, asking) => {
  const { verb, subresource } = attributes;
  if (!asking.features.has("PodCertificateRequest")) return noOpinion;
  if (subresource !== "")
    return unless("nodes may not access the status subresource of PodCertificateRequests");
  if (verb === "create") return allow;
  if (verb === "get") return related(attributes, asking);
  if (verb !== "list" && verb !== "watch")
    return unless(`nodes may not ${verb} podcertificaterequests`);
  return selects(attributes, "spec.nodeName", asking.node)
    ? allow
    : unless("can only list/watch podcertificaterequests with nodeName field selector");
};

const nodes: Special = ({ verb, subresource, name }, { node }) => {
  if (subresource === "status") return ["update", "patch"].includes(verb) ? allow : noOpinion;
  if (subresource !== "") return noOpinion;
  if (["create", "update", "patch"].includes(verb)) return allow;
  if (!["get", "list", "watch"].includes(verb)) return noOpinion;
  if (name === node) return allow;
  return unless(
    name === ""
      ? `node '${node}' cannot read all nodes, only its own Node object`
      : `node '${node}' cannot read '${name}', only its own Node object`,
  );
};

const pods: Special = (attributes, asking) => {
  const { verb, subresource, name } = attributes;
  if (subresource === "status") return ["update", "patch"].includes(verb) ? allow : noOpinion;
  if (subresource === "eviction") return verb === "create" ? allow : noOpinion;
  if (subresource !== "") return noOpinion;
  if (verb === "get") return getting(attributes, asking);
  if (verb === "create" || verb === "delete") return allow;
  if (verb !== "list" && verb !== "watch") return noOpinion;
  if (selects(attributes, "spec.nodeName", asking.node)) return allow;
  return name === ""
    ? unless("can only list/watch pods with spec.nodeName field selector")
    : related(attributes, asking);
};

/** Checks of resources that depend on the node, by group and resource. */
const specials: Readonly<Record<string, Special>> = {
  "/secrets": reading,
  "/configmaps": reading,
  "/persistentvolumeclaims": claims,
  "/persistentvolumes": getting,
  "resource.k8s.io/resourceclaims": getting,
  "storage.k8s.io/volumeattachments": getting,
  "/serviceaccounts": accounts,
  "coordination.k8s.io/leases": leases,
  "storage.k8s.io/csinodes": csiNodes,
  "resource.k8s.io/resourceslices": resourceSlices,
  "/nodes": nodes,
  "/pods": pods,
  "certificates.k8s.io/podcertificaterequests": podCertificates,
};
