import { createObjectCommand } from "./create-object-command.ts";
import { newObject } from "./new-object.ts";
import { checkResources, resourceRules, ruleFlags, ruleParts, warnOfVerbs } from "./role-rules.ts";

export const createRoleCommand = createObjectCommand({
  command: {
    name: "role",
    usage:
      "NAME --verb=verb --resource=resource.group/subresource [--resource-name=resourcename] [--dry-run=server|client|none]",
    short: "Create a role with single rule",
    long: "Create a role with one rule.",
    examples: `# Create a role that may read pods
kubectl create role pod-reader --verb=get --verb=list --verb=watch --resource=pods

# Name the objects it may read
kubectl create role pod-reader --verb=get --resource=pods --resource-name=readablepod --resource-name=anotherpod

# Name the group of the resource
kubectl create role foo --verb=get,list,watch --resource=rs.apps

# Include a subresource
kubectl create role foo --verb=get,list,watch --resource=pods,pods/status`,
  },
  flags: ruleFlags,
  kind: {
    group: "rbac.authorization.k8s.io",
    version: "v1",
    kind: "Role",
    plural: "roles",
    scope: "Namespaced",
  },
  needsName: true,
  async generate({ name, namespace, flags }, { factory, io }) {
    const parts = ruleParts(flags);
    if (parts.verbs.length === 0) throw new Error("at least one verb must be specified");
    warnOfVerbs(parts, io);
    if (parts.resources.length === 0) throw new Error("at least one resource must be specified");
    const mapper = await factory.mapper();
    await checkResources(parts, mapper);
    const rules = await resourceRules(parts, mapper);
    return newObject("rbac.authorization.k8s.io/v1 Role", { name, namespace }, { rules });
  },
});
