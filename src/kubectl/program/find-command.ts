import type { Flags } from "../../cli/flag.ts";
import { isFlag } from "../../cli/parse-flags.ts";
import type { CommandGroup } from "./help-text.ts";
import type { KubectlCommand, LazyCommand } from "./kubectl-command.ts";

/** The commands of a program, and the flags that all of them have. */
export interface CommandTree {
  /** `kubectl`, or what users type for it. */
  readonly name: string;
  readonly groups: readonly CommandGroup[];
  /** Commands that help lists under no heading: `options`. */
  readonly unlisted: readonly LazyCommand[];
  readonly usage: string;
  readonly long: string;
  readonly flags: Flags;
}

/** A command, and the arguments without the names that led to it. */
export interface FoundCommand {
  readonly command: KubectlCommand;
  readonly path: string;
  readonly calledAs: string;
  /** The flags that the commands above it declared persistent. */
  readonly inherited: Flags;
  readonly args: readonly string[];
}

/** Follows the names among the arguments to a command; flags may stand before names. */
export async function findCommand(
  program: CommandTree,
  args: readonly string[],
): Promise<FoundCommand> {
  let found: FoundCommand = {
    command: rootCommand(program),
    path: program.name,
    calledAs: program.name,
    inherited: program.flags,
    args,
  };
  for (;;) {
    const at = firstName(found);
    const name = at === undefined ? undefined : found.args[at];
    const next = name === undefined ? undefined : subcommand(found.command, name);
    if (next === undefined || at === undefined) return found;
    found = {
      command: await next.load(),
      path: `${found.path} ${next.name}`,
      calledAs: `${found.calledAs} ${name}`,
      inherited: { ...found.inherited, ...found.command.persistentFlags },
      args: found.args.toSpliced(at, 1),
    };
  }
}

function rootCommand({ name, usage, groups, unlisted, long }: CommandTree): KubectlCommand {
  return {
    name,
    usage,
    short: "",
    long,
    commands: [...groups.flatMap(({ commands }) => commands), ...unlisted],
  };
}

/** The place of the first argument that is neither a flag nor the value of one. */
function firstName({ args, command, inherited }: FoundCommand): number | undefined {
  const flags = { ...inherited, ...command.persistentFlags, ...command.flags };
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") return undefined;
    if (!isFlag(arg)) return at;
    if (takesNextArgument(arg, flags)) at++;
  }
  return undefined;
}

function takesNextArgument(arg: string, flags: Flags): boolean {
  if (arg.includes("=")) return false;
  if (arg.startsWith("--")) {
    const flag = flags[arg.slice(2).replaceAll("_", "-")];
    // As in the original, unknown flags take the next argument.
    return flag?.implied === undefined;
  }
  if (arg.length !== 2) return false;
  const flag = Object.values(flags).find(({ short }) => short === arg[1]);
  return flag?.implied === undefined;
}

/** The name of a command that does not exist; undefined if the arguments name one, or none. */
export function unknownName(tree: CommandTree, found: FoundCommand): string | undefined {
  if (found.path !== tree.name) return undefined;
  const at = firstName(found);
  return at === undefined ? undefined : found.args[at];
}

/** All flags of a command. */
export const commandFlags = ({ command, inherited }: FoundCommand): Flags => ({
  ...inherited,
  ...command.persistentFlags,
  ...command.flags,
});

function subcommand({ commands = [] }: KubectlCommand, name: string): LazyCommand | undefined {
  return commands.find((one) => one.name === name || one.aliases?.includes(name));
}
