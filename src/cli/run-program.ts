import { errorMessage } from "../base/error-message.ts";
import { quote } from "../schema/values/quote.ts";
import type { Command, CommandContext, Streams } from "./command.ts";
import { boolFlag, type Flags, type Values } from "./flag.ts";
import { helpText } from "./help.ts";
import { nearest } from "./nearest.ts";
import { type GivenValues, isFlag, parseFlag, UsageError } from "./parse-flags.ts";

const exitCodes = { ok: 0, failure: 1, usage: 2 } as const;

export interface Program {
  /** The root command; all others are below it. */
  readonly root: Command;
  /** What `--version` prints. */
  readonly version: string;
  readonly streams: Streams;
  readonly signal: AbortSignal;
}

/** Finds the command of the arguments, runs it, and returns the exit code. */
export async function runProgram(program: Program, args: readonly string[]): Promise<number> {
  const { stdout, stderr } = program.streams;
  const position: Position = { path: program.root.name, command: program.root, inherited: {} };
  try {
    const request = await parse(program, position, args);
    if (request.given.get("version") === true && position.command === program.root) {
      stdout.write(`${program.version}\n`);
      return exitCodes.ok;
    }
    const { command } = position;
    if (request.given.get("help") === true || !command.run) {
      stdout.write(
        helpText({
          ...position,
          command: withHelp(position, program),
          width: stdout.columns ?? 100,
        }),
      );
      return exitCodes.ok;
    }
    if (!position.command.passesArguments) checkArity(position, request.args);
    warnDeprecated(position, request, stderr);
    return (await command.run(contextOf(position, request, program))) ?? exitCodes.ok;
  } catch (error) {
    if (error instanceof UsageError) {
      const suggestion = error.suggestion === undefined ? "" : `${error.suggestion}\n`;
      const problems = error.problems.map((problem) => `Error: ${problem}\n`).join("");
      stderr.write(`${problems}${suggestion}See '${position.path} --help' for usage.\n`);
      return exitCodes.usage;
    }
    stderr.write(`Error: ${errorMessage(error)}\n`);
    return exitCodes.failure;
  }
}

/** The position in the tree of commands. */
interface Position {
  path: string;
  command: Command;
  inherited: Flags;
}

interface Request {
  readonly given: GivenValues;
  readonly args: readonly string[];
}

/** Follows the arguments to a command and parses its flags; updates `position`, which errors use. */
async function parse(
  program: Program,
  position: Position,
  args: readonly string[],
): Promise<Request> {
  const given: GivenValues = new Map();
  const positional: string[] = [];
  for (let rest = args; rest.length > 0; ) {
    if (position.command.passesArguments) return { given, args: rest };
    const [first = "", ...after] = rest;
    if (first === "--") return { given, args: [...positional, ...after] };
    if (isFlag(first)) {
      rest = parseFlag(rest, flagsAt(position, program), given);
      continue;
    }
    if (positional.length === 0 && position.command.commands) await descend(position, first);
    else positional.push(first);
    rest = after;
  }
  return { given, args: positional };
}

async function descend(position: Position, name: string): Promise<void> {
  const commands = position.command.commands ?? [];
  const found = commands.find((candidate) => candidate.name === name);
  if (found === undefined) {
    const names = commands.filter(({ hidden }) => !hidden).map((candidate) => candidate.name);
    const near = nearest(name, names);
    throw new UsageError(
      `unknown command ${quote(name)} for ${quote(position.path)}`,
      near === undefined ? undefined : `Did you mean ${near}?`,
    );
  }
  position.inherited = { ...position.inherited, ...position.command.persistentFlags };
  position.command = "load" in found ? await found.load() : found;
  position.path += ` ${name}`;
}

const helpFlag = boolFlag({ short: "h", usage: "Show this help" });
const versionFlag = boolFlag({ usage: "Show the version" });

/** Flags that the program adds to every command, or to its root. */
function builtInFlags(position: Position, program: Program): Flags {
  const isRoot = position.command === program.root;
  return isRoot ? { help: helpFlag, version: versionFlag } : { help: helpFlag };
}

function flagsAt(position: Position, program: Program): Flags {
  const { command, inherited } = position;
  return {
    ...builtInFlags(position, program),
    ...inherited,
    ...command.persistentFlags,
    ...command.flags,
  };
}

function withHelp(position: Position, program: Program): Command {
  const { command } = position;
  return { ...command, flags: { ...command.flags, ...builtInFlags(position, program) } };
}

function checkArity({ command, path }: Position, args: readonly string[]): void {
  const { min = 0, max = min } = command.arity ?? {};
  if (max === 0 && args.length > 0) {
    const list = args.map((arg) => quote(arg)).join(" ");
    throw new UsageError(`${quote(path)} does not take any arguments, got [${list}]`);
  }
  if (args.length < min) {
    throw new UsageError(`requires at least ${min} arg(s), only received ${args.length}`);
  }
  if (args.length > max) {
    throw new UsageError(`accepts at most ${max} arg(s), received ${args.length}`);
  }
}

function warnDeprecated(position: Position, request: Request, stderr: Streams["stderr"]): void {
  const flags: Flags = {
    ...position.inherited,
    ...position.command.persistentFlags,
    ...position.command.flags,
  };
  for (const name of request.given.keys()) {
    const reason = flags[name]?.deprecated;
    if (reason !== undefined) stderr.write(`Flag --${name} has been deprecated, ${reason}\n`);
  }
}

function contextOf(position: Position, request: Request, program: Program): CommandContext {
  const values = <F extends Flags>(flags: F): Values<F> =>
    Object.fromEntries(
      Object.entries(flags).map(([name, flag]) => [
        name,
        request.given.has(name) ? request.given.get(name) : flag.default,
      ]),
    ) as Values<F>;
  return {
    flags: values({ ...position.command.persistentFlags, ...position.command.flags }),
    inherited: values,
    given: new Set(request.given.keys()),
    args: request.args,
    streams: program.streams,
    signal: program.signal,
  };
}
