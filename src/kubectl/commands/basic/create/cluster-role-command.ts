import { pairFlag, stringsFlag } from "../../../../cli/flag.ts";
import { createObjectCommand } from "./create-object-command.ts";
import { mapMember, newObject } from "./new-object.ts";
import {
  checkResources,
  type RuleParts,
  resourceRules,
  ruleFlags,
  ruleParts,
  warnOfVerbs,
} from "./role-rules.ts";

const type = "rbac.authorization.k8s.io/v1 ClusterRole";

export const createClusterRoleCommand = createObjectCommand({
  command: {
    name: "clusterrole",
    usage:
      "NAME --verb=verb --resource=resource.group [--resource-name=resourcename] [--dry-run=server|client|none]",
    short: "Create a cluster role",
    long: "Create a cluster role.",
    examples: `# Create a cluster role that may read pods
kubectl create clusterrole pod-reader --verb=get,list,watch --resource=pods

# Name the objects it may read
kubectl create clusterrole pod-reader --verb=get --resource=pods --resource-name=readablepod --resource-name=anotherpod

# Name the group of the resource
kubectl create clusterrole foo --verb=get,list,watch --resource=rs.apps

# Include a subresource
kubectl create clusterrole foo --verb=get,list,watch --resource=pods,pods/status

# Create a cluster role for URLs
kubectl create clusterrole "foo" --verb=get --non-resource-url=/logs/*

# Create a cluster role that collects the rules of others by their labels
kubectl create clusterrole monitoring --aggregation-rule="rbac.example.com/aggregate-to-monitoring=true"`,
  },
  flags: {
    ...ruleFlags,
    "non-resource-url": stringsFlag({
      usage: "A URL to which the rule applies, or its beginning.",
    }),
    "aggregation-rule": {
      ...pairFlag({ usage: "The labels of cluster roles whose rules are collected." }),
      read: labelPairs,
    },
  },
  kind: {
    group: "rbac.authorization.k8s.io",
    version: "v1",
    kind: "ClusterRole",
    plural: "clusterroles",
    scope: "Cluster",
  },
  needsName: true,
  async generate({ name, flags }, { factory, io }) {
    const parts = ruleParts(flags);
    const urls = [...new Set(flags["non-resource-url"])];
    if (flags["aggregation-rule"].size > 0) {
      const { verbs, resources, resourceNames } = parts;
      if (urls.length + verbs.length + resources.length + resourceNames.length > 0)
        throw new Error(
          "aggregation rule must be specified without nonResourceURLs, verbs, resources or resourceNames",
        );
      const labels = mapMember("matchLabels", Object.fromEntries(flags["aggregation-rule"]));
      const aggregationRule = { clusterRoleSelectors: [labels] };
      return newObject(type, { name }, { rules: null, aggregationRule });
    }
    if (parts.verbs.length === 0) throw new Error("at least one verb must be specified");
    if (parts.resources.length + urls.length === 0)
      throw new Error("one of resource or nonResourceURL must be specified");
    const mapper = await factory.mapper();
    if (parts.resources.length > 0) {
      warnOfVerbs(parts, io);
      await checkResources(parts, mapper);
    }
    checkUrls(parts, urls);
    const rules = await resourceRules(parts, mapper);
    const ofUrls = urls.length > 0 ? [{ verbs: parts.verbs, nonResourceURLs: urls }] : [];
    return newObject(type, { name }, { rules: [...rules, ...ofUrls] });
  },
});

/** Pairs separated by commas; empty ones are skipped. */
function labelPairs(
  text: string,
  before: ReadonlyMap<string, string> | undefined,
): ReadonlyMap<string, string> {
  const pairs = text.split(",").filter((pair) => pair !== "");
  return pairs.reduce((map, pair) => onePair.read(pair, map), before ?? new Map<string, string>());
}

const onePair = pairFlag({ usage: "" });

const urlVerbs = ["*", "get", "post", "put", "delete", "patch", "head", "options"];

function checkUrls({ verbs }: RuleParts, urls: readonly string[]): void {
  if (urls.length === 0) return;
  for (const verb of verbs)
    if (!urlVerbs.includes(verb)) throw new Error(`invalid verb: '${verb}' for nonResourceURL`);
  for (const url of urls) {
    if (url === "*") continue;
    if (!url.startsWith("/")) throw new Error("nonResourceURL should start with /");
    if (url.slice(0, -1).includes("*"))
      throw new Error("nonResourceURL only supports wildcard matches when '*' is at the end");
  }
}
