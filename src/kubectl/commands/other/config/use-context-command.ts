import { useContext } from "../../../../kubeconfig/edit-kubeconfig.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { kubectlCommand } from "../../../program/kubectl-command.ts";
import { configAccess } from "./config-access.ts";
import { unexpectedArguments } from "./unexpected-arguments.ts";

export const useContextCommand = kubectlCommand({
  name: "use-context",
  aliases: ["use"],
  usage: "CONTEXT_NAME",
  short: "Set the current-context in a kubeconfig file",
  long: "Set the current-context in a kubeconfig file.",
  examples: `# Use the context for the minikube cluster
kubectl config use-context minikube`,
  async run(context) {
    const [name] = context.args;
    if (name === undefined || context.args.length !== 1) throw unexpectedArguments(context);
    await configAccess(context).modify((config) => useContext(config, name));
    context.io.stdout.write(`Switched to context ${quote(name)}.\n`);
    return undefined;
  },
});
