import { type GivenValues, parseFlag } from "../../cli/parse-flags.ts";
import { realClock } from "../../platform/real-clock.ts";
import { klog } from "../commands/shared/klog.ts";
import { ExitError } from "../program/command-error.ts";
import {
  commandFlags,
  type FoundCommand,
  findCommand,
  unknownName,
} from "../program/find-command.ts";
import type { PreparedCommand, Program } from "../program/run-kubectl.ts";
import { hasKuberc, isAbsent, kubercFile } from "./kuberc-file.ts";
import type { Alias, CommandOption, Preference } from "./preference.ts";

/** A command line, found with the aliases and the defaults of the user's preferences. */
export interface PreferredCommand extends PreparedCommand {
  /** The arguments after aliases were resolved. */
  readonly args: readonly string[];
}

/** Finds the command of the arguments as the user's preferences have it. */
export async function applyPreference(
  program: Program,
  args: readonly string[],
): Promise<PreferredCommand> {
  const plain = async () => ({ program, args, found: await findCommand(program, args) });
  if (args.length === 0 || !hasKuberc(program.env)) return plain();
  try {
    const preference = await preferenceOf(program, args);
    if (!preference) return await plain();
    const { validatePreference } = await import("./validate-preference.ts");
    validatePreference(preference);
    const { checkCredentialPlugin } = await import("./check-credential-plugin.ts");
    const heeding: Program = {
      ...program,
      checkPlugin: (name) => checkCredentialPlugin(preference, name, program),
    };
    return await preferred(heeding, args, preference);
  } catch (cause) {
    const why = (cause as Error).message;
    throw new ExitError(1, `error occurred while applying preferences ${why}`);
  }
}

async function preferenceOf(
  program: Program,
  args: readonly string[],
): Promise<Preference | undefined> {
  const { env, cwd, io } = program;
  const flag = kubercFlag(args);
  try {
    const file = kubercFile(flag, env);
    if (!file || isAbsent(file, cwd)) return undefined;
    const { loadPreference } = await import("./load-preference.ts");
    const isLogged = verbosityOf(args) >= 5;
    return loadPreference(file, {
      cwd,
      warn: (text) => io.stderr.write(text),
      log: (text, place) =>
        isLogged && klog({ io, factory: { clock: realClock } }, "I", text, place),
    });
  } catch (cause) {
    throw new Error(`kuberc error ${(cause as Error).message}`, { cause });
  }
}

/** The value of `-v`, which preferences are loaded too early for parsing to give. */
function verbosityOf(args: readonly string[]): number {
  const end = args.indexOf("--");
  for (const [i, arg] of (end < 0 ? args : args.slice(0, end)).entries()) {
    if (arg === "--v" || arg === "-v") return Number(args[i + 1] ?? 0);
    const [, value] = /-v=([^=]+)/.exec(arg) ?? [];
    if (value !== undefined) return Number(value);
  }
  return 0;
}

/** The value of `--kuberc`, which is read before all other flags. */
function kubercFlag(args: readonly string[]): string {
  const missing = "kuberc file is not found";
  for (const [i, arg] of args.entries()) {
    if (arg === "--") break;
    if (arg === "--kuberc") {
      const value = args[i + 1];
      if (value === undefined) throw new Error(missing);
      return value;
    }
    if (arg.includes("--kuberc=")) {
      const value = arg.split("=")[1] ?? "";
      if (value === "") throw new Error(missing);
      return value;
    }
  }
  return "";
}

async function preferred(
  program: Program,
  args: readonly string[],
  preference: Preference,
): Promise<PreferredCommand> {
  const found = await findCommand(program, args);
  if (unknownName(program, found) === undefined)
    return { program, args, found: await withDefaults({ program, args, found }, preference) };
  const aliased = await withAlias(program, args, preference.aliases ?? []);
  if (!aliased) return { program, args, found };
  const { name } = aliased.found.command;
  const names = new Set((preference.aliases ?? []).map((alias) => alias.name));
  return { ...aliased, found: await withDefaults(aliased, preference, names.has(name)) };
}

/** The command line with an alias in it resolved; undefined if there is none. */
async function withAlias(
  program: Program,
  args: readonly string[],
  aliases: readonly Alias[],
): Promise<PreferredCommand | undefined> {
  const at = args.findIndex((arg) => !arg.startsWith("-") && !arg.startsWith("__complete"));
  const alias = aliases.find(({ name }) => name === args[at]);
  if (!alias || at < 0) return undefined;
  const { name = "", command = "", options, prependArgs, appendArgs } = alias;
  const words = command.split(/\s+/).filter((word) => word !== "");
  const target = await findCommand(program, words);
  if (unknownName(program, target) !== undefined)
    throw new Error(
      `command "${command}" not found to set alias "${name}": [${target.args.join(" ")}]`,
    );
  const standsFor = target.path.split(" ").slice(1).join(" ");
  const { aliases: _, ...named } = { ...target.command, name, standsFor };
  const extended: Program = {
    ...program,
    unlisted: [...program.unlisted, { name, short: named.short, load: async () => named }],
  };
  const found = await findCommand(extended, [name]);
  const flags = optionArgs(found, args, options ?? [], {
    unknown: (flag) => `invalid alias flag ${flag} in alias ${program.name}`,
    invalid: (flag, value) =>
      `could not apply value ${value} to flag ${flag} in alias ${program.name}`,
  });
  const changed = [
    ...args.slice(0, at + 1),
    ...flags,
    ...(prependArgs ?? []),
    ...args.slice(at + 1),
    ...(appendArgs ?? []),
  ];
  return { program: extended, args: changed, found: await findCommand(extended, changed) };
}

/** The command with the flags of its defaults before those of the command line. */
async function withDefaults(
  { program, args, found }: PreferredCommand,
  { defaults }: Preference,
  isAlias = false,
): Promise<FoundCommand> {
  let changed = found;
  for (const { command = "", options } of defaults ?? []) {
    const words = command.split(/\s+/).filter((word) => word !== "");
    const target = await findCommand(program, words);
    if (unknownName(program, target) !== undefined) {
      program.io.stderr.write(`Warning: command "${command}" not found to set kuberc override\n`);
      continue;
    }
    const { name } = found.command;
    if (target.command.name !== name) continue;
    if (isAlias) throw new Error(`alias ${name} can not be overridden`);
    const flags = optionArgs(found, args, options ?? [], {
      unknown: (flag) => `invalid flag ${flag} for command ${command}`,
      invalid: (flag, value) =>
        `could not apply override value ${value} to flag ${flag} in command ${command}`,
    });
    changed = { ...changed, args: [...flags, ...changed.args] };
  }
  return changed;
}

/** The options as arguments, but for those that the command line has. */
function optionArgs(
  found: FoundCommand,
  args: readonly string[],
  options: readonly CommandOption[],
  texts: {
    unknown(flag: string): string;
    invalid(flag: string, value: string): string;
  },
): readonly string[] {
  const flags = commandFlags(found);
  return options.flatMap(({ name = "", default: value = "" }) => {
    const flag = flags[name];
    if (!flag) throw new Error(texts.unknown(name));
    if (isGiven(name, flag.short, args)) return [];
    const arg = `--${name}=${value}`;
    const given: GivenValues = new Map();
    try {
      parseFlag([arg], flags, given);
    } catch (cause) {
      const why = (cause as Error).message.replace(/"-\w, --/, '"--');
      throw new Error(`${texts.invalid(name, value)} err: ${why}`, { cause });
    }
    return [arg];
  });
}

/** Whether the arguments have a flag, as far as can be seen without parsing them. */
function isGiven(name: string, short: string | undefined, args: readonly string[]): boolean {
  return args.some((arg) => {
    if (arg === `--${name}` || arg.startsWith(`--${name}=`)) return true;
    if (short === undefined) return false;
    return arg.startsWith(`-${short}`) || (/^-[a-zA-Z]+$/.test(arg) && arg.includes(short));
  });
}
