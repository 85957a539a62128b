import { quote } from "../../../schema/values/quote.ts";
import { usageError } from "../../program/command-error.ts";
import { kubectlCommand } from "../../program/kubectl-command.ts";

/** The scripts that ask `kubectl __complete` what may come next, by shell. */
const scripts: Readonly<Record<string, () => Promise<string>>> = {
  bash: async () => (await import("./completion/bash-script.ts")).bashScript,
  zsh: async () => (await import("./completion/zsh-script.ts")).zshScript,
  fish: async () => (await import("./completion/fish-script.ts")).fishScript,
  powershell: async () => (await import("./completion/powershell-script.ts")).powershellScript,
};

export const completionCommand = kubectlCommand({
  name: "completion",
  usage: "SHELL",
  short: "Output shell completion code for the specified shell (bash, zsh, fish, or powershell)",
  long: `Output shell completion code for the specified shell (bash, zsh, fish, or powershell). The shell must evaluate the code to complete the commands of kubectl.

In bash, the package bash-completion adds descriptions and handles colons; without it, words are completed, too.`,
  examples: `# Load the kubectl completion code for bash into the current shell
source <(kubectl completion bash)

# Load the kubectl completion code for zsh into the current shell
source <(kubectl completion zsh)

# Set the kubectl completion code for zsh to autoload on startup
kubectl completion zsh > "${"$"}{fpath[1]}/_kubectl"

# Load the kubectl completion code for fish into the current shell
kubectl completion fish | source

# Load the kubectl completion code for powershell into the current shell
kubectl completion powershell | Out-String | Invoke-Expression`,
  async run({ args, path, io }) {
    const [shell] = args;
    if (shell === undefined) throw usageError(path, "Shell not specified.");
    if (args.length > 1)
      throw usageError(path, "Too many arguments. Expected only the shell type.");
    const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
    if (!script) throw usageError(path, `Unsupported shell type ${quote(shell)}.`);
    io.stdout.write(await script());
    return undefined;
  },
});
