import { boolFlag } from "../../../../cli/flag.ts";
import type { DynamicObject } from "../../../../client/resource-kind.ts";
import { canonicalKubeconfig } from "../../../../kubeconfig/canonical-kubeconfig.ts";
import { flattenedKubeconfig, minifiedKubeconfig } from "../../../../kubeconfig/edit-kubeconfig.ts";
import { entriesOf, type Kubeconfig, withEntries } from "../../../../kubeconfig/kubeconfig.ts";
import {
  type LoadedKubeconfig,
  resolvedKubeconfig,
} from "../../../../kubeconfig/load-kubeconfig.ts";
import { actionPrintFlags } from "../../../print/print-flags.ts";
import { usageError } from "../../../program/command-error.ts";
import { globalFlags } from "../../../program/global-flags.ts";
import { kubectlCommand } from "../../../program/kubectl-command.ts";
import { objectPrinter } from "../../shared/object-output.ts";
import { configAccess } from "./config-access.ts";
import { tristateFlag } from "./tristate-flag.ts";

export const viewCommand = kubectlCommand({
  name: "view",
  usage: "[flags]",
  short: "Display merged kubeconfig settings or a specified kubeconfig file",
  long: `Display merged kubeconfig settings or a specified kubeconfig file.

A JSON path, as in --output jsonpath={...}, selects single values.`,
  examples: `# Show merged kubeconfig settings
kubectl config view

# Show merged kubeconfig settings, raw certificate data, and exposed secrets
kubectl config view --raw

# Get the password for the e2e user
kubectl config view -o jsonpath='{.users[?(@.name == "e2e")].user.password}'`,
  flags: {
    ...actionPrintFlags("yaml"),
    merge: {
      ...tristateFlag("Merge the full hierarchy of kubeconfig files"),
      default: true,
      shownDefault: "true",
    },
    raw: boolFlag({ usage: "Display raw byte data and sensitive data" }),
    flatten: boolFlag({
      usage: "Put the content of files into the output, so that it needs no other files",
    }),
    minify: boolFlag({ usage: "Leave out everything that the current context does not use" }),
  },
  async run(context) {
    const { flags, args, path } = context;
    if (args.length > 0) throw usageError(path, `unexpected arguments: [${args.join(" ")}]`);
    const access = configAccess(context);
    const print = objectPrinter(context, { keepsOrder: true });
    if (!flags.merge && !access.isExplicit)
      throw new Error("if merge==false a precise file must be specified");
    let loaded = flags.merge ? await access.read() : await access.readExplicit();
    if (flags.minify) {
      const { context: chosen } = context.inherited({ context: globalFlags.context });
      const current = chosen || loaded.config["current-context"] || "";
      const config = minifiedKubeconfig({ ...loaded.config, "current-context": current });
      loaded = { ...loaded, config };
    }
    const shown = flags.flatten ? await flattened(loaded) : loaded.config;
    const config = flags.flatten || flags.raw ? shown : redacted(shown);
    print(withNulls(config) as unknown as DynamicObject);
    return undefined;
  },
});

/** Embeds files; other paths stay as they are written. */
async function flattened(loaded: LoadedKubeconfig): Promise<Kubeconfig> {
  const whole = await flattenedKubeconfig(resolvedKubeconfig(loaded));
  const written = entriesOf(loaded.config, "users");
  const users = new Map(
    [...entriesOf(whole, "users")].map(([name, user]) => {
      const { tokenFile, exec } = written.get(name) ?? {};
      return [name, { ...user, tokenFile, exec }];
    }),
  );
  return canonicalKubeconfig(withEntries(whole, "users", users));
}

const omitted = "DATA+OMITTED";
const hidden = "REDACTED";

function redacted(config: Kubeconfig): Kubeconfig {
  const users = new Map(
    [...entriesOf(config, "users")].map(([name, user]) => [
      name,
      {
        ...user,
        ...(user["client-certificate-data"] && { "client-certificate-data": omitted }),
        ...(user["client-key-data"] && { "client-key-data": omitted }),
        ...(user.token && { token: hidden }),
        ...(user.password && { password: hidden }),
      },
    ]),
  );
  const clusters = new Map(
    [...entriesOf(config, "clusters")].map(([name, cluster]) => [
      name,
      {
        ...cluster,
        ...(cluster["certificate-authority-data"] && { "certificate-authority-data": omitted }),
      },
    ]),
  );
  return withEntries(withEntries(config, "users", users), "clusters", clusters);
}

/** Lists without entries are null in Go. */
const withNulls = (config: Kubeconfig): object => ({
  ...config,
  clusters: config.clusters?.length ? config.clusters : null,
  users: config.users?.length ? config.users : null,
  contexts: config.contexts?.length ? config.contexts : null,
});
