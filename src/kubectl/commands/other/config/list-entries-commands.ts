import { entriesOf, type Section } from "../../../../kubeconfig/kubeconfig.ts";
import { type KubectlCommand, kubectlCommand } from "../../../program/kubectl-command.ts";
import { configAccess } from "./config-access.ts";

function listCommand(section: Section): KubectlCommand {
  return kubectlCommand({
    name: `get-${section}`,
    usage: "[flags]",
    short: `Display ${section} defined in the kubeconfig`,
    long: `Display ${section} defined in the kubeconfig.`,
    examples: `# List the ${section} that kubectl knows about
kubectl config get-${section}`,
    async run(context) {
      const { config } = await configAccess(context).read();
      const names = [...entriesOf(config, section).keys()];
      context.io.stdout.write(["NAME", ...names].map((name) => `${name}\n`).join(""));
      return undefined;
    },
  });
}

export const getClustersCommand = listCommand("clusters");
export const getUsersCommand = listCommand("users");
