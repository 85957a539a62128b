import { stringFlag } from "../../../../cli/flag.ts";
import { resourceAmounts } from "../../shared/resource-amounts.ts";
import { createObjectCommand } from "./create-object-command.ts";
import { mapMember, newObject } from "./new-object.ts";

export const createQuotaCommand = createObjectCommand({
  command: {
    name: "quota",
    aliases: ["resourcequota"],
    usage:
      "NAME [--hard=key1=value1,key2=value2] [--scopes=Scope1,Scope2] [--dry-run=server|client|none]",
    short: "Create a quota with the specified name",
    long: "Create a resource quota with a name, hard limits and, if given, scopes.",
    examples: `# Create a quota for a few resources
kubectl create quota my-quota --hard=cpu=1,memory=1G,pods=2,services=3,secrets=5

# Create a quota for pods of the lowest quality of service
kubectl create quota best-effort --hard=pods=100 --scopes=BestEffort`,
  },
  flags: {
    hard: stringFlag({
      usage: "The hard limits: pairs resource=quantity, separated by commas.",
    }),
    scopes: stringFlag({
      usage: "Quota scopes separated by commas; an object counts if it matches all of them.",
    }),
  },
  kind: {
    group: "",
    version: "v1",
    kind: "ResourceQuota",
    plural: "resourcequotas",
    scope: "Namespaced",
  },
  failure: () => "failed to create quota: ",
  needsName: true,
  generate({ name, namespace, flags }) {
    const hard = mapMember("hard", resourceAmounts(flags.hard));
    const scopes = flags.scopes === "" ? {} : { scopes: quotaScopes(flags.scopes) };
    const spec = { ...hard, ...scopes };
    return newObject("v1 ResourceQuota", { name, namespace }, { spec, status: {} });
  },
});

function quotaScopes(text: string): readonly string[] {
  const scopes = text.split(",");
  if (scopes.includes("")) throw new Error('invalid resource quota scope ""');
  return scopes;
}
