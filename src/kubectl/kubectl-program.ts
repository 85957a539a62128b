import { commandGroups, unlistedCommands } from "./commands/command-tree.ts";
import { type GivenParts, openFactory } from "./factory/open-factory.ts";
import { applyPreference } from "./kuberc/apply-preference.ts";
import { hasKuberc } from "./kuberc/kuberc-file.ts";
import { runPlugin } from "./plugins/run-plugin.ts";
import { globalFlags } from "./program/global-flags.ts";
import type { CommandGroup } from "./program/help-text.ts";
import type { Io } from "./program/io.ts";
import type { Environment } from "./program/kubectl-command.ts";
import { type PreparedCommand, type Program, runKubectl } from "./program/run-kubectl.ts";
import { loadTranslation } from "./translations/translation.ts";

/** The surroundings of a command line. */
export interface KubectlSurroundings extends GivenParts {
  readonly io: Io;
  readonly env: Environment;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** Runs a command line of kubectl, and returns the exit code. */
export function runKubectlCommand(
  args: readonly string[],
  { connection, clock, ...surroundings }: KubectlSurroundings,
): Promise<number> {
  const { kuberc, ...otherFlags } = globalFlags;
  const withKuberc = hasKuberc(surroundings.env);
  const program: Program = {
    ...surroundings,
    name: "kubectl",
    usage: "[flags]",
    flags: withKuberc ? { ...otherFlags, kuberc } : otherFlags,
    groups: withKuberc ? commandGroups : commandGroups.map(withoutKuberc),
    prepare,
    unlisted: unlistedCommands,
    long: "kubectl controls the Kubernetes cluster manager.\n\n Find more information at: https://kubernetes.io/docs/reference/kubectl/",
    loadTranslation: () => loadTranslation(surroundings.env),
    openFactory: (context) => openFactory(context, { connection, clock }),
  };
  return runKubectl(program, args);
}

const withoutKuberc = (group: CommandGroup): CommandGroup => ({
  ...group,
  commands: group.commands.filter(({ name }) => name !== "kuberc"),
});

/** Heeds the user's preferences, and runs plugins. */
async function prepare(
  program: Program,
  args: readonly string[],
): Promise<PreparedCommand | number> {
  const [first = ""] = args;
  const preferred = await applyPreference(program, args);
  if (first === "__complete" || first === "__completeNoDesc") {
    const { completeCommandLine } = await import("./completion/complete-command-line.ts");
    const { prepare: _, ...plain } = preferred.program;
    const typed = preferred.args.slice(1);
    return completeCommandLine(plain, typed, { isDescribed: first === "__complete" });
  }
  const code = await runPlugin(preferred.program, preferred.args, preferred.found);
  return code ?? preferred;
}
