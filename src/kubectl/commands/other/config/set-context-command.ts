import { boolFlag, stringFlag } from "../../../../cli/flag.ts";
import { setEntry } from "../../../../kubeconfig/edit-kubeconfig.ts";
import { entriesOf } from "../../../../kubeconfig/kubeconfig.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { kubectlCommand } from "../../../program/kubectl-command.ts";
import { configAccess } from "./config-access.ts";
import { unexpectedArguments } from "./unexpected-arguments.ts";

export const setContextCommand = kubectlCommand({
  name: "set-context",
  usage:
    "[NAME | --current] [--cluster=cluster_nickname] [--user=user_nickname] [--namespace=namespace]",
  short: "Set a context entry in kubeconfig",
  long: `Set a context entry in kubeconfig.

If the context exists, only the given fields are changed.`,
  examples: `# Set the user field on the gce context entry without touching other values
kubectl config set-context gce --user=cluster-admin`,
  flags: {
    current: boolFlag({ usage: "Modify the current context" }),
    cluster: stringFlag({ usage: "cluster for the context entry in kubeconfig" }),
    user: stringFlag({ usage: "user for the context entry in kubeconfig" }),
    namespace: stringFlag({ short: "n", usage: "namespace for the context entry in kubeconfig" }),
  },
  async run(context) {
    const { flags, given, args, io } = context;
    if (args.length > 1) throw unexpectedArguments(context);
    const named = args[0] ?? "";
    if (named === "" && !flags.current)
      throw new Error("you must specify a non-empty context name or --current");
    if (named !== "" && flags.current)
      throw new Error("you cannot specify both a context name and --current");
    const access = configAccess(context);
    const { config } = await access.read();
    const name = flags.current ? (config["current-context"] ?? "") : named;
    if (name === "") throw new Error("no current context is set");
    const isKnown = entriesOf(config, "contexts").has(name);
    await access.modify((now) =>
      setEntry(now, "contexts", {
        name,
        ...(given.has("cluster") && { cluster: flags.cluster }),
        ...(given.has("user") && { user: flags.user }),
        ...(given.has("namespace") && { namespace: flags.namespace || undefined }),
      }),
    );
    io.stdout.write(`Context ${quote(name)} ${isKnown ? "modified" : "created"}.\n`);
    return undefined;
  },
});
