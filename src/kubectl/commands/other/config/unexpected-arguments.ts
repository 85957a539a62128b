import type { CommandContext } from "../../../program/kubectl-command.ts";

/** Prints the help of a command that got the wrong number of arguments, and returns the error. */
export function unexpectedArguments({ help, args }: Pick<CommandContext, "help" | "args">): Error {
  help("stdout");
  return new Error(`Unexpected args: [${args.join(" ")}]`);
}
