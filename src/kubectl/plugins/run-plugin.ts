import { resolve } from "node:path";
import { isFlag } from "../../cli/parse-flags.ts";
import { runProgram } from "../commands/shared/run-program.ts";
import { ExitError } from "../program/command-error.ts";
import { type FoundCommand, unknownName } from "../program/find-command.ts";
import type { Program } from "../program/run-kubectl.ts";
import { findExecutable } from "./find-executable.ts";

/** Commands below which plugins may add others. */
const extensible = ["create"];

/** Names after which no plugin is searched. */
const reserved = ["help", "__complete", "__completeNoDesc"];

/** Runs the plugin that a command line means, and returns its exit code; undefined if there is none. */
export async function runPlugin(
  program: Program,
  args: readonly string[],
  found: FoundCommand,
): Promise<number | undefined> {
  if (unknownName(program, found) !== undefined) {
    const name = args.find((arg) => !arg.startsWith("-")) ?? "";
    return reserved.includes(name) ? undefined : runLongest(program, args, 1);
  }
  const [first] = found.args;
  const isBelow = extensible.includes(found.command.name) && first !== undefined && !isFlag(first);
  if (!isBelow || found.command.commands?.some(({ name }) => name === first)) return undefined;
  return runLongest(program, args, args.length - found.args.length + 1);
}

/** Runs the plugin with the longest name, of at least so many words. */
async function runLongest(
  program: Program,
  args: readonly string[],
  minWords: number,
): Promise<number | undefined> {
  const end = args.findIndex((arg) => arg.startsWith("-"));
  const words = (end < 0 ? args : args.slice(0, end)).map((word) => word.replaceAll("-", "_"));
  if (words.length === 0)
    throw new ExitError(1, `Error: flags cannot be placed before plugin name: ${args[0]}`);
  for (let count = words.length; count >= minWords; count--) {
    const path = findExecutable(["kubectl", ...words.slice(0, count)].join("-"), program);
    if (path === undefined) continue;
    const surroundings = { ...program, passesInput: true };
    return (await runProgram(surroundings, resolve(program.cwd, path), args.slice(count))) ?? 1;
  }
  return undefined;
}
