import type { Flags, Values } from "../../cli/flag.ts";
import { boolFlag } from "../../cli/flag.ts";
import { type GivenValues, isFlag, parseFlag, UsageError } from "../../cli/parse-flags.ts";
import { quote } from "../../schema/values/quote.ts";
import type { Factory } from "../factory/factory.ts";
import type { Translate } from "../translations/translation.ts";
import { ExitError, failureOf, usageError } from "./command-error.ts";
import { type CommandTree, type FoundCommand, findCommand, unknownName } from "./find-command.ts";
import { globalFlags } from "./global-flags.ts";
import { helpText, optionsText } from "./help-text.ts";
import type { Io } from "./io.ts";
import type { CommandContext, Environment, KubectlCommand } from "./kubectl-command.ts";
import { suggestedNames } from "./suggested-names.ts";

/** The program and its surroundings. */
export interface Program extends CommandTree {
  readonly io: Io;
  readonly env: Environment;
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Makes what commands need to reach a server. */
  openFactory(context: FactoryContext): Factory;
  /** Throws if the user's preferences do not let a program provide credentials. */
  checkPlugin?(program: string): void;
  /** Loads texts in the language of the user. */
  loadTranslation(): Promise<Translate>;
  /** Finds the command as the user's preferences have it; an exit code if a plugin has run in its place. */
  prepare?(program: Program, args: readonly string[]): Promise<PreparedCommand | number>;
}

export interface PreparedCommand {
  /** With the aliases of the user. */
  readonly program: Program;
  readonly found: FoundCommand;
}

/** What the connections of a command depend on. */
export interface FactoryContext {
  readonly flags: Values<typeof globalFlags>;
  readonly given: ReadonlySet<string>;
  /** The full name of the command. */
  readonly path: string;
  readonly io: Io;
  readonly env: Environment;
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly checkPlugin?: Program["checkPlugin"];
}

/** Runs a command line, and returns the exit code. */
export async function runKubectl(program: Program, args: readonly string[]): Promise<number> {
  const { stderr } = program.io;
  let offset = 0;
  try {
    const prepared = (await program.prepare?.(program, args)) ?? {
      program,
      found: await findCommand(program, args),
    };
    if (typeof prepared === "number") return prepared;
    offset = prepared.found.command.errorExitOffset ?? 0;
    return await runFound(prepared.program, prepared.found);
  } catch (thrown) {
    // Whatever fails after a signal fails because of it.
    const { aborted, reason } = program.signal;
    const error: unknown = aborted && !(thrown instanceof ExitError) ? reason : thrown;
    const { text, code } = failureOf(error);
    if (text !== "") stderr.write(text);
    return error instanceof ExitError ? code : code + offset;
  }
}

async function runFound(program: Program, found: FoundCommand): Promise<number> {
  const { command, path } = found;
  const { stdout, stderr } = program.io;
  // As in the original, an unknown name is reported before flags are.
  const unknown = unknownName(program, found);
  if (unknown !== undefined) throw unknownCommand(unknown, found);
  const request = parse(found, stderr.write.bind(stderr));
  const translate = await program.loadTranslation();
  const help = (to: "stdout" | "stderr" = "stdout"): void => {
    const { groups } = program;
    const width = stdout.columns ?? 80;
    program.io[to].write(helpText({ command, path, groups, width, translate }));
  };
  if (request.given.get("help") === true) {
    help();
    return 0;
  }
  if (command.deprecated !== undefined)
    stderr.write(`Command ${quote(command.name)} is deprecated, ${command.deprecated}\n`);
  if (!command.run) return runGroup(program, found, { ...request, help });
  checkArity(command, path, request.args);
  checkRequired(command, request.given);
  checkExclusive(command, request.given);
  const context = contextOf(program, found, { ...request, help });
  checkProfile(context.inherited(globalFlags).profile);
  const code = (await command.run(context)) ?? 0;
  const warnings = context.factory.warningCount;
  if (code === 0 && context.inherited(globalFlags)["warnings-as-errors"] && warnings > 0)
    throw new Error(`${warnings} warning${warnings === 1 ? "" : "s"} received`);
  return code;
}

/** Profiles are those of Go's runtime, which is not here. */
function checkProfile(name: string): void {
  const known = ["cpu", "heap", "goroutine", "threadcreate", "block", "mutex", "trace", "allocs"];
  if (known.includes(name)) throw new Error(`this kubectl cannot capture the profile '${name}'`);
  if (name !== "none") throw new Error(`unknown profile '${name}'`);
}

/** A command that only groups others was called by itself, or with an unknown name. */
async function runGroup(
  program: Program,
  { path, command }: FoundCommand,
  request: { readonly args: readonly string[]; help(to?: "stdout" | "stderr"): void },
): Promise<number> {
  const { args, help } = request;
  const isRoot = path === program.name;
  if (isRoot || args.length === 0) {
    help(isRoot ? "stdout" : (command.helpTo ?? "stderr"));
    return isRoot ? 0 : 1;
  }
  throw usageError(path, `unknown command ${quote(args.join(" "))}`);
}

/** The error of a name that no command has, with those that may be meant. */
function unknownCommand(
  name: string,
  { path, command }: Pick<FoundCommand, "path" | "command">,
): Error {
  const names = suggestedNames(name, command.commands ?? []);
  const lines = names.map((one) => `\t${one}\n`).join("");
  const hint = lines === "" ? "" : `\n\nDid you mean this?\n${lines}`;
  return new Error(`unknown command ${quote(name)} for ${quote(path)}${hint}`);
}

interface Request {
  readonly given: GivenValues;
  readonly args: readonly string[];
  readonly dashAt: number | undefined;
}

const helpFlag = { help: boolFlag({ short: "h", usage: "help for this command" }) };

/** Parses the flags of a command; warns of deprecated ones. */
function parse(found: FoundCommand, warn: (text: string) => void): Request {
  const { command, inherited, path } = found;
  const flags: Flags = {
    ...helpFlag,
    ...inherited,
    ...command.persistentFlags,
    ...command.flags,
  };
  const given: GivenValues = new Map();
  const args: string[] = [];
  let rest = found.args;
  try {
    while (rest.length > 0) {
      const [first = "", ...after] = rest;
      if (first === "--") return { given, args: [...args, ...after], dashAt: args.length };
      if (isFlag(first)) {
        const before = new Set(given.keys());
        rest = parseFlag(rest, flags, given);
        for (const name of given.keys())
          if (!before.has(name) && flags[name]?.deprecated !== undefined)
            warn(`Flag --${name} has been deprecated, ${flags[name].deprecated}\n`);
      } else {
        args.push(first);
        rest = after;
      }
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    // Commands with exit codes of their own word errors of flags as those of arguments.
    if (command.errorExitOffset !== undefined) throw usageError(path, error.message);
    throw new Error(`${error.message}\nSee '${path} --help' for usage.`, { cause: error });
  }
  return { given, args, dashAt: undefined };
}

function checkArity({ arity }: KubectlCommand, path: string, args: readonly string[]): void {
  if (arity === undefined) return;
  const { min = 0, max = Number.POSITIVE_INFINITY } = arity;
  if (max === 0 && args.length > 0)
    throw new Error(`unknown command ${quote(args[0] ?? "")} for ${quote(path)}`);
  if (min === max && args.length !== min)
    throw new Error(`accepts ${min} arg(s), received ${args.length}`);
  if (args.length < min)
    throw new Error(`requires at least ${min} arg(s), only received ${args.length}`);
  if (args.length > max) throw new Error(`accepts at most ${max} arg(s), received ${args.length}`);
}

function checkRequired({ requiredFlags = [] }: KubectlCommand, given: GivenValues): void {
  const missing = requiredFlags.filter((name) => !given.has(name)).sort();
  if (missing.length > 0)
    throw new Error(`required flag(s) ${missing.map(quote).join(", ")} not set`);
}

function checkExclusive({ exclusiveFlags = [] }: KubectlCommand, given: GivenValues): void {
  for (const names of exclusiveFlags) {
    const used = names.filter((name) => given.has(name)).sort();
    if (used.length > 1)
      throw new Error(
        `if any flags in the group [${names.join(" ")}] are set none of the others can be; [${used.join(" ")}] were all set`,
      );
  }
}

function contextOf(
  program: Program,
  { command, path, calledAs, inherited }: FoundCommand,
  request: Request & { help(to?: "stdout" | "stderr"): void },
): CommandContext {
  const { io, env, cwd, signal } = program;
  const given = new Set(request.given.keys());
  const own = command.flags ?? {};
  const values = <F extends Flags>(flags: F): Values<F> =>
    Object.fromEntries(
      Object.entries(flags).map(([name, flag]) => [
        name,
        request.given.has(name) ? request.given.get(name) : flag.default,
      ]),
    ) as Values<F>;
  // A flag of the command hides one of the same name above it: `create rolebinding --user`.
  const above = <F extends Flags>(flags: F): Values<F> =>
    Object.fromEntries(
      Object.entries(values(flags)).map(([name, value]) => [
        name,
        Object.hasOwn(own, name) && own[name] !== flags[name] ? flags[name]?.default : value,
      ]),
    ) as Values<F>;
  const factory = program.openFactory({
    flags: above(globalFlags),
    given,
    path,
    io,
    env,
    cwd,
    signal,
    checkPlugin: program.checkPlugin,
  });
  return {
    flags: values({ ...inherited, ...command.persistentFlags, ...command.flags }),
    inherited: above,
    given,
    args: request.args,
    dashAt: request.dashAt,
    path,
    calledAs,
    io,
    factory,
    env,
    cwd,
    signal,
    help: request.help,
    async builtInPath(words) {
      const builtIn = await findCommand(program, words);
      return unknownName(program, builtIn) === undefined ? builtIn.path : undefined;
    },
    runOther: (args) => {
      const { prepare: _, ...plain } = program;
      return runKubectl(plain, args);
    },
  };
}

/** Prints the options of all commands. */
export function printOptions({ io }: Pick<CommandContext, "io">): void {
  io.stdout.write(optionsText(globalFlags, io.stdout.columns ?? 80));
}
