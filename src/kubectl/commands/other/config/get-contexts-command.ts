import { boolFlag, stringFlag } from "../../../../cli/flag.ts";
import { listContexts } from "../../../../kubeconfig/edit-kubeconfig.ts";
import { TabWriter } from "../../../print/tab-writer.ts";
import { ErrorList } from "../../../program/command-error.ts";
import { kubectlCommand } from "../../../program/kubectl-command.ts";
import { configAccess } from "./config-access.ts";

export const getContextsCommand = kubectlCommand({
  name: "get-contexts",
  usage: "[(-o|--output=)name)]",
  short: "Describe one or many contexts",
  long: "Display one or many contexts from the kubeconfig file.",
  examples: `# List all the contexts in your kubeconfig file
kubectl config get-contexts

# Describe one context in your kubeconfig file
kubectl config get-contexts my-context`,
  flags: {
    "no-headers": boolFlag({ usage: "Whether the table comes without headers." }),
    output: stringFlag({ short: "o", usage: "Output format. One of: (name)." }),
  },
  async run(context) {
    const { flags, args, io } = context;
    const { output } = flags;
    if (output !== "" && output !== "name")
      throw new Error(
        `--output ${output} is not available in kubectl config get-contexts; resetting to default output format`,
      );
    const { config } = await configAccess(context).read();
    const all = listContexts(config);
    const missing = args.filter((name) => !all.some((one) => one.name === name));
    const shown = args.toSorted().flatMap((name) => all.find((one) => one.name === name) ?? []);
    const out = new TabWriter(io.stdout);
    if (output === "" && !flags["no-headers"])
      out.write("CURRENT\tNAME\tCLUSTER\tAUTHINFO\tNAMESPACE\n");
    for (const { name, isCurrent, cluster, user, namespace } of args.length === 0 ? all : shown) {
      const cells = [isCurrent ? "*" : " ", name, cluster, user, namespace];
      out.write(output === "name" ? `${name}\n` : `${cells.join("\t")}\n`);
    }
    out.flush();
    const errors = missing.map((name) => new Error(`context ${name} not found`));
    if (errors.length > 0) throw new ErrorList(errors);
    return undefined;
  },
});
