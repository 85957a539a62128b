import { deleteEntry } from "../../../../kubeconfig/edit-kubeconfig.ts";
import { entriesOf, type Section } from "../../../../kubeconfig/kubeconfig.ts";
import { usageError } from "../../../program/command-error.ts";
import { type KubectlCommand, kubectlCommand } from "../../../program/kubectl-command.ts";
import { configAccess } from "./config-access.ts";

function deleteCommand(section: Section, example: string): KubectlCommand {
  const word = section.slice(0, -1);
  return kubectlCommand({
    name: `delete-${word}`,
    usage: "NAME",
    short: `Delete the specified ${word} from the kubeconfig`,
    long: `Delete the specified ${word} from the kubeconfig.`,
    examples: `# Delete the ${example}
kubectl config delete-${word} minikube`,
    async run(context) {
      const { args, io, path, help } = context;
      const access = configAccess(context);
      const { config } = await access.read();
      const [name] = args;
      if (name === undefined || args.length !== 1) {
        if (section === "users") throw usageError(path, "user to delete is required");
        help("stdout");
        return 0;
      }
      const file = await access.filename();
      if (!entriesOf(config, section).has(name))
        throw new Error(`cannot delete ${word} ${name}, not in ${file}`);
      if (section === "contexts" && config["current-context"] === name)
        io.stderr.write(
          'warning: this removed your active context, use "kubectl config use-context" to select a different one\n',
        );
      await access.modify((now) => deleteEntry(now, section, name));
      io.stdout.write(`deleted ${word} ${name} from ${file}\n`);
      return undefined;
    },
  });
}

export const deleteClusterCommand = deleteCommand("clusters", "minikube cluster");
export const deleteContextCommand = deleteCommand("contexts", "context for the minikube cluster");
export const deleteUserCommand = deleteCommand("users", "minikube user");
