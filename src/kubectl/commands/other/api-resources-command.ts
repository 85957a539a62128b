import { boolFlag, stringFlag, stringsFlag } from "../../../cli/flag.ts";
import {
  type ApiResource,
  incomplete,
  preferredResources,
} from "../../../client/discovery/server-apis.ts";
import type { DynamicObject } from "../../../client/resource-kind.ts";
import { compareUtf8 } from "../../../schema/values/utf8-order.ts";
import { dataFormats, dataPrinter } from "../../print/print-flags.ts";
import { TabWriter } from "../../print/tab-writer.ts";
import { usageError } from "../../program/command-error.ts";
import { kubectlCommand } from "../../program/kubectl-command.ts";
import { freshApis } from "../shared/fresh-apis.ts";

const ownFormats = ["name", "wide"];

export const apiResourcesCommand = kubectlCommand({
  name: "api-resources",
  usage: "[flags]",
  short: "Print the supported API resources on the server",
  long: "Print the supported API resources on the server.",
  examples: `# Print the supported API resources
kubectl api-resources

# Print the supported API resources with more information
kubectl api-resources -o wide

# Print the supported API resources sorted by a column
kubectl api-resources --sort-by=name

# Print the supported namespaced resources
kubectl api-resources --namespaced=true

# Print the supported non-namespaced resources
kubectl api-resources --namespaced=false

# Print the supported API resources with a specific APIGroup
kubectl api-resources --api-group=rbac.authorization.k8s.io`,
  flags: {
    "show-managed-fields": boolFlag({
      usage: "Whether objects in JSON or YAML are printed with their managedFields.",
    }),
    output: stringFlag({
      short: "o",
      usage: `Output format. One of: (${[...dataFormats(true), ...ownFormats].join(", ")}).`,
    }),
    "no-headers": boolFlag({ usage: "Whether the table comes without headers." }),
    "api-group": stringFlag({ usage: "Limit to resources in the specified API group." }),
    namespaced: boolFlag({
      default: true,
      usage:
        "If false, non-namespaced resources will be returned, otherwise returning namespaced resources by default.",
    }),
    verbs: stringsFlag({ usage: "Limit to resources that support the specified verbs." }),
    "sort-by": stringFlag({
      usage: "The field by which the list is sorted: 'name' or 'kind'.",
    }),
    cached: boolFlag({ usage: "Use the cached list of resources if available." }),
    categories: stringsFlag({
      usage: "Limit to resources that belong to the specified categories.",
    }),
  },
  async run(context) {
    const { flags, given, args, path, io, env, factory } = context;
    if (args.length > 0) throw usageError(path, `unexpected arguments: [${args.join(" ")}]`);
    const { output } = flags;
    const printer = dataPrinter(output, {
      others: ownFormats,
      kyaml: env.KUBECTL_KYAML?.toLowerCase() !== "false",
      keepsOrder: true,
    });
    const sortBy = flags["sort-by"];
    if (!["", "name", "kind"].includes(sortBy))
      throw new Error("--sort-by accepts only name or kind");
    const apis = flags.cached ? await (await factory.discovery()).apis() : await freshApis(factory);
    const isMeant = ({ group, scope, verbs, categories }: ApiResource): boolean =>
      verbs.length > 0 &&
      (!given.has("api-group") || group === flags["api-group"]) &&
      (!given.has("namespaced") || flags.namespaced === (scope === "Namespaced")) &&
      flags.verbs.every((verb) => verbs.includes(verb)) &&
      flags.categories.every((category) => categories.includes(category));
    const key = ({ name, kind, group }: ReturnType<typeof entryOf>): string =>
      sortBy === "name" ? name : sortBy === "kind" ? kind : group;
    const resources = preferredResources(apis)
      .filter(isMeant)
      .map(entryOf)
      .sort((a, b) => compareUtf8(key(a), key(b)) || compareUtf8(a.name, b.name));
    const out = new TabWriter(io.stdout);
    if (printer) {
      const list = { kind: "APIResourceList", apiVersion: "v1", groupVersion: "" };
      const items = resources.length > 0 ? resources.map(withoutEmpty) : null;
      printer.print({ ...list, resources: items } as unknown as DynamicObject, out);
    } else if (output === "name")
      for (const { name, group } of resources) out.write(`${name}${group && `.${group}`}\n`);
    else {
      if (!flags["no-headers"]) out.write(headers(output));
      for (const resource of resources) out.write(row(resource, output));
    }
    out.flush();
    const error = incomplete(apis);
    if (error) throw error;
    return undefined;
  },
});

/** A resource as Go writes it. */
function entryOf(resource: ApiResource) {
  const { plural, singular, scope, group, version, kind, verbs, shortNames, categories } = resource;
  return {
    name: plural,
    singularName: singular,
    namespaced: scope === "Namespaced",
    group,
    version,
    kind,
    verbs,
    shortNames,
    categories,
    storageVersionHash: resource.storageVersionHash,
  };
}

type Entry = ReturnType<typeof entryOf>;

const withoutEmpty = ({ group, version, shortNames, categories, ...rest }: Entry): object => ({
  name: rest.name,
  singularName: rest.singularName,
  namespaced: rest.namespaced,
  ...(group && { group }),
  ...(version && { version }),
  kind: rest.kind,
  verbs: rest.verbs,
  ...(shortNames.length > 0 && { shortNames }),
  ...(categories.length > 0 && { categories }),
  ...(rest.storageVersionHash && { storageVersionHash: rest.storageVersionHash }),
});

function headers(output: string): string {
  const names = ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"];
  return `${(output === "wide" ? [...names, "VERBS", "CATEGORIES"] : names).join("\t")}\n`;
}

function row(entry: Entry, output: string): string {
  const { name, shortNames, group, version, namespaced, kind, verbs, categories } = entry;
  const apiVersion = group === "" ? version : `${group}/${version}`;
  const cells = [name, shortNames.join(","), apiVersion, String(namespaced), kind];
  if (output === "wide") cells.push(verbs.join(","), categories.join(","));
  return `${cells.join("\t")}\n`;
}
