import { basename, resolve } from "node:path";
import { boolFlag } from "../../../../cli/flag.ts";
import { fileFault } from "../../../../kubeconfig/file-fault.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { hasExecuteMode } from "../../../plugins/find-executable.ts";
import { listPlugins } from "../../../plugins/list-plugins.ts";
import { type CommandContext, kubectlCommand } from "../../../program/kubectl-command.ts";

export const pluginListCommand = kubectlCommand({
  name: "list",
  usage: "[flags]",
  short: "List all visible plugin executables on a user's PATH",
  long: `List all available plugin files on a user's PATH. To see plugins binary names without the full path use --name-only flag.

A plugin is an executable file in a folder of the PATH whose name begins with "kubectl-".`,
  examples: `# List all available plugins
kubectl plugin list

# List only binary names of available plugins without paths
kubectl plugin list --name-only`,
  flags: {
    "name-only": boolFlag({
      usage: "If true, display only the binary name of each plugin, rather than its full path",
    }),
  },
  async run(context) {
    const { flags, io, cwd } = context;
    const plugins = listPlugins(context, (text) => io.stderr.write(text));
    if (plugins.length === 0)
      throw new Error("error: unable to find any kubectl plugins in your PATH\n");
    io.stdout.write("The following compatible plugins are available:\n\n");
    const seen = new Map<string, string>();
    let count = 0;
    for (const path of plugins) {
      const name = basename(path);
      io.stdout.write(`${flags["name-only"] ? name : path}\n`);
      const warnings = [
        modeWarning(path, cwd),
        shadowWarning(path, seen),
        await overwriteWarning(context, name),
      ].filter((warning) => warning !== undefined);
      for (const warning of warnings) io.stderr.write(`  - ${warning}\n`);
      count += warnings.length;
    }
    if (count === 1) throw new Error("error: one plugin warning was found\n");
    if (count > 1) throw new Error(`error: ${count} plugin warnings were found\n`);
    return undefined;
  },
});

function modeWarning(path: string, cwd: string): string | undefined {
  try {
    return hasExecuteMode(resolve(cwd, path))
      ? undefined
      : `warning: ${path} identified as a kubectl plugin, but it is not executable`;
  } catch (error) {
    return `error: unable to identify ${path} as an executable file: ${fileFault("stat", path, error)}`;
  }
}

/** The first plugin of a name is the one that runs. */
function shadowWarning(path: string, seen: Map<string, string>): string | undefined {
  const name = basename(path);
  const first = seen.get(name);
  if (first !== undefined)
    return `warning: ${path} is overshadowed by a similarly named plugin: ${first}`;
  seen.set(name, path);
  return undefined;
}

async function overwriteWarning(
  context: Pick<CommandContext, "builtInPath">,
  name: string,
): Promise<string | undefined> {
  const command = await context.builtInPath(name.split("-").slice(1));
  return command === undefined
    ? undefined
    : `warning: ${name} overwrites existing command: ${quote(command)}`;
}
