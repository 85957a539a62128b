import { renameContext } from "../../../../kubeconfig/edit-kubeconfig.ts";
import { entriesOf } from "../../../../kubeconfig/kubeconfig.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { kubectlCommand } from "../../../program/kubectl-command.ts";
import { configAccess } from "./config-access.ts";
import { unexpectedArguments } from "./unexpected-arguments.ts";

export const renameContextCommand = kubectlCommand({
  name: "rename-context",
  usage: "CONTEXT_NAME NEW_NAME",
  short: "Rename a context from the kubeconfig file",
  long: `Rename a context from the kubeconfig file.

CONTEXT_NAME is the context, and NEW_NAME the name that it gets.

If the context is the 'current-context', it stays that.`,
  examples: `# Rename the context 'old-name' to 'new-name' in your kubeconfig file
kubectl config rename-context old-name new-name`,
  async run(context) {
    const [from, to] = context.args;
    if (from === undefined || to === undefined || context.args.length !== 2)
      throw unexpectedArguments(context);
    if (to === "") throw new Error("You must specify a new non-empty context name");
    const access = configAccess(context);
    const file = await access.filename();
    await access.modify((config) => {
      const contexts = entriesOf(config, "contexts");
      if (!contexts.has(from))
        throw new Error(`cannot rename the context ${quote(from)}, it's not in ${file}`);
      if (contexts.has(to))
        throw new Error(
          `cannot rename the context ${quote(from)}, the context ${quote(to)} already exists in ${file}`,
        );
      return renameContext(config, from, to);
    });
    context.io.stdout.write(`Context ${quote(from)} renamed to ${quote(to)}.\n`);
    return undefined;
  },
});
