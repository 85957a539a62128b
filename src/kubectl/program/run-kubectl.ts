import type { Flags, Values } from "../../cli/flag.ts";
import { boolFlag } from "../../cli/flag.ts";
import { type GivenValues, isFlag, parseFlag, UsageError } from "../../cli/parse-flags.ts";
import { quote } from "../../schema/values/quote.ts";
import type { Factory } from "../factory/factory.ts";
import { ExitError, failureOf, usageError } from "./command-error.ts";
import { globalFlags } from "./global-flags.ts";
import { type CommandGroup, helpText, optionsText } from "./help-text.ts";
import type { Io } from "./io.ts";
import type {
  CommandContext,
  Environment,
  KubectlCommand,
  LazyCommand,
} from "./kubectl-command.ts";
import { suggestedNames } from "./suggested-names.ts";

/** The program and its surroundings. */
export interface Program {
  /** `kubectl`, or what users type for it. */
  readonly name: string;
  readonly groups: readonly CommandGroup[];
  /** Commands that help lists under no heading: `options`. */
  readonly unlisted: readonly LazyCommand[];
  readonly long: string;
  readonly io: Io;
  readonly env: Environment;
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Makes what commands need to reach a server. */
  openFactory(context: FactoryContext): Factory;
  /** Runs a program for an unknown command; undefined if there is none. */
  runPlugin?(args: readonly string[]): Promise<number | undefined>;
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
}

/** Runs a command line, and returns the exit code. */
export async function runKubectl(program: Program, args: readonly string[]): Promise<number> {
  const { stderr } = program.io;
  let offset = 0;
  try {
    const found = await findCommand(program, args);
    offset = found.command.errorExitOffset ?? 0;
    return await runFound(program, found);
  } catch (thrown) {
    // Whatever fails after a signal fails because of it.
    const { aborted, reason } = program.signal;
    const error: unknown = aborted && !(thrown instanceof ExitError) ? reason : thrown;
    const { text, code } = failureOf(error);
    if (text !== "") stderr.write(text);
    return error instanceof ExitError ? code : code + offset;
  }
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
async function findCommand(program: Program, args: readonly string[]): Promise<FoundCommand> {
  let found: FoundCommand = {
    command: rootCommand(program),
    path: program.name,
    calledAs: program.name,
    inherited: globalFlags,
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

function rootCommand({ name, groups, unlisted, long }: Program): KubectlCommand {
  return {
    name,
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
    return flag !== undefined && flag.implied === undefined;
  }
  if (arg.length !== 2) return false;
  const flag = Object.values(flags).find(({ short }) => short === arg[1]);
  return flag !== undefined && flag.implied === undefined;
}

function subcommand({ commands = [] }: KubectlCommand, name: string): LazyCommand | undefined {
  return commands.find((one) => one.name === name || one.aliases?.includes(name));
}

async function runFound(program: Program, found: FoundCommand): Promise<number> {
  const { command, path } = found;
  const { stdout, stderr } = program.io;
  const request = parse(found, stderr.write.bind(stderr));
  const help = (to: "stdout" | "stderr" = "stdout"): void => {
    const { groups } = program;
    program.io[to].write(helpText({ command, path, groups, width: stdout.columns ?? 80 }));
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
  const code = (await command.run(context)) ?? 0;
  const warnings = context.factory.warningCount;
  if (code === 0 && context.inherited(globalFlags)["warnings-as-errors"] && warnings > 0)
    throw new Error(`${warnings} warning${warnings === 1 ? "" : "s"} received`);
  return code;
}

/** A command that only groups others was called by itself, or with an unknown name. */
async function runGroup(
  program: Program,
  { path, command }: FoundCommand,
  request: { readonly args: readonly string[]; help(to?: "stdout" | "stderr"): void },
): Promise<number> {
  const { args, help } = request;
  const [name] = args;
  const isRoot = path === program.name;
  if (name === undefined) {
    help(isRoot ? "stdout" : (command.helpTo ?? "stderr"));
    return isRoot ? 0 : 1;
  }
  if (!isRoot) throw usageError(path, `unknown command ${quote(args.join(" "))}`);
  const code = await program.runPlugin?.(args);
  if (code !== undefined) return code;
  const names = suggestedNames(name, command.commands ?? []);
  const lines = names.map((one) => `\t${one}\n`).join("");
  const hint = lines === "" ? "" : `\n\nDid you mean this?\n${lines}`;
  throw new Error(`unknown command ${quote(name)} for ${quote(path)}${hint}`);
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
    runOther: (args) => runKubectl(program, args),
  };
}

/** Prints the options of all commands. */
export function printOptions({ io }: Pick<CommandContext, "io">): void {
  io.stdout.write(optionsText(globalFlags, io.stdout.columns ?? 80));
}
