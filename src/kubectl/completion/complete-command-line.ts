import { boolFlag, type Flags } from "../../cli/flag.ts";
import { type FoundCommand, findCommand, unknownName } from "../program/find-command.ts";
import type { LazyCommand } from "../program/kubectl-command.ts";
import type { Program } from "../program/run-kubectl.ts";
import type { Translate } from "../translations/translation.ts";
import { beginning, type Candidates, directives, type TypedLine } from "./candidates.ts";
import { argumentRules, fixedArguments, flagRule } from "./completion-rules.ts";
import { flagAtWord, flagWords, namesOfFlag, parsedLine } from "./flag-words.ts";
import { pluginCandidates, pluginCommands } from "./plugin-candidates.ts";

/** Prints what may come next on a command line, in the protocol of cobra's completion scripts. */
export async function completeCommandLine(
  program: Program,
  args: readonly string[],
  { isDescribed }: { readonly isDescribed: boolean },
): Promise<number> {
  const { stdout, stderr } = program.io;
  if (args.length === 0) {
    stderr.write("error: requires at least 1 arg(s), only received 0\n");
    return 1;
  }
  const debug = (text: string): void => stderr.write(`[Debug] ${text}\n`);
  let candidates: Candidates = { words: [], directive: directives.default };
  try {
    candidates = await candidatesFor(program, args, debug);
  } catch (error) {
    debug(`[Error] ${(error as Error).message}`);
  }
  for (const word of candidates.words) {
    const [line = ""] = word.split("\n");
    stdout.write(`${(isDescribed ? line : (line.split("\t")[0] ?? "")).trim()}\n`);
  }
  stdout.write(`:${candidates.directive}\n`);
  stderr.write(`Completion ended with directive: ${directiveText(candidates.directive)}\n`);
  return 0;
}

function directiveText(directive: number): string {
  const names = [
    [directives.noSpace, "ShellCompDirectiveNoSpace"],
    [directives.noFiles, "ShellCompDirectiveNoFileComp"],
    [directives.fileExtensions, "ShellCompDirectiveFilterFileExt"],
  ] as const;
  const set = names.filter(([bit]) => (directive & bit) !== 0).map(([, name]) => name);
  return set.length === 0 ? "ShellCompDirectiveDefault" : set.join(", ");
}

async function candidatesFor(
  program: Program,
  args: readonly string[],
  debug: (text: string) => void,
): Promise<Candidates> {
  const before = args.slice(0, -1);
  const word = args.at(-1) ?? "";
  const found = await findCommand(program, before);
  const unknown = unknownName(program, found);
  if (unknown !== undefined) {
    const isPlain = !args[0]?.startsWith("-");
    if (isPlain) debug("Cleared global flags for plugin completion");
    const plugin = isPlain && (await pluginCandidates(program, before, word, debug));
    if (plugin) return plugin;
    throw new Error(`unable to find a command for arguments: [${before.join(" ")}]`);
  }
  return candidatesOf(program, found, word);
}

const help = { help: boolFlag({ short: "h", usage: "help for this command" }) };

async function candidatesOf(
  program: Program,
  found: FoundCommand,
  typed: string,
): Promise<Candidates> {
  const { command, inherited } = found;
  const own: Flags = { ...help, ...command.persistentFlags, ...command.flags };
  const flags = { ...inherited, ...own };
  const at = flagAtWord(flags, found.args, typed);
  const path = command.standsFor ?? found.path.split(" ").slice(1).join(" ");
  const { given, args, isEnded } = parsed(flags, at.args);
  if (at.unknown !== undefined && !isEnded)
    throw new Error(`Subcommand '${command.name}' does not support flag '${at.unknown}'`);
  if (given.has("help")) return { words: [], directive: directives.noFiles };
  const line: TypedLine = { program, given, args, word: isEnded ? typed : at.word };
  if (at.name !== undefined && !isEnded) return flagCandidates(line, path, { name: at.name, own });
  if (typed.startsWith("-") && !typed.includes("=") && !isEnded) return flagNames(found, own, line);
  return argumentCandidates(found, line, path);
}

function parsed(flags: Flags, args: readonly string[]): ReturnType<typeof parsedLine> {
  try {
    return parsedLine(flags, args);
  } catch (error) {
    const why = (error as Error).message;
    throw new Error(`Error while parsing flags from args [${args.join(" ")}]: ${why}`);
  }
}

/** Flags whose values are files with certain endings. */
const fileEndings: Readonly<Record<string, readonly string[]>> = {
  filename: ["json", "yaml", "yml"],
};

async function flagCandidates(
  line: TypedLine,
  path: string,
  { name, own }: { readonly name: string; readonly own: Flags },
): Promise<Candidates> {
  const endings = fileEndings[name];
  if (endings) return { words: endings, directive: directives.fileExtensions };
  const rule = flagRule(path, name, Object.hasOwn(own, name));
  return rule ? rule(line) : { words: [], directive: directives.default };
}

/** Flags that must be given come alone. */
function requiredWords({ command }: FoundCommand, { given, word }: TypedLine): string[] {
  return (command.requiredFlags ?? [])
    .filter((name) => !given.has(name))
    .toSorted()
    .flatMap((name) => {
      const flag = command.flags?.[name];
      return flag ? namesOfFlag(name, flag, word) : [];
    });
}

function flagNames(found: FoundCommand, own: Flags, line: TypedLine): Candidates {
  const { command, inherited } = found;
  const { given, word } = line;
  const required = requiredWords(found, line);
  const excluded = new Set(
    (command.exclusiveFlags ?? []).filter((names) => names.some((name) => given.has(name))).flat(),
  );
  const shown = (flags: Flags): Flags =>
    Object.fromEntries(Object.entries(flags).filter(([name]) => !excluded.has(name)));
  const above = Object.fromEntries(
    Object.entries(inherited).filter(([name]) => !Object.hasOwn(own, name)),
  );
  const all = [...flagWords(shown(above), word, given), ...flagWords(shown(own), word, given)];
  return {
    words: required.length > 0 ? required : all,
    directive: directives.noFiles,
  };
}

async function argumentCandidates(
  found: FoundCommand,
  line: TypedLine,
  path: string,
): Promise<Candidates> {
  const { command } = found;
  const { given, args, word, program } = line;
  const words: string[] = [];
  let directive: number = directives.default;
  const hasOwnFlag = Object.keys(command.flags ?? {}).some((name) => given.has(name));
  const below = path === "help" ? await commandsBelow(program, args) : (command.commands ?? []);
  if ((args.length === 0 || path === "help") && !hasOwnFlag && below.length > 0) {
    const plugins = path === "" ? pluginCommands(program, below) : [];
    words.push(...commandWords([...below, ...plugins], word, await program.loadTranslation()));
    directive = directives.noFiles;
  }
  words.push(...requiredWords(found, line));
  const fixed = fixedArguments[path];
  if (fixed)
    return args.length === 0
      ? { words: [...words, ...beginning(fixed, word)], directive: directives.noFiles }
      : { words, directive };
  const rule = argumentRules[path];
  if (!rule) return { words, directive };
  const more = await rule(line);
  return { words: [...words, ...more.words], directive: more.directive };
}

/** The commands below those that `kubectl help` is asked for. */
async function commandsBelow(
  program: Program,
  args: readonly string[],
): Promise<readonly LazyCommand[]> {
  return (await findCommand(program, args)).command.commands ?? [];
}

const commandWords = (
  commands: readonly LazyCommand[],
  typed: string,
  translate: Translate,
): string[] =>
  commands
    .filter(({ name, hidden }) => !hidden && name.startsWith(typed))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, short }) => `${name}\t${translate(short)}`);
