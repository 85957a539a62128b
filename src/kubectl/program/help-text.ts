import type { Flag, Flags } from "../../cli/flag.ts";
import type { Translate } from "../translations/translation.ts";
import type { KubectlCommand, LazyCommand } from "./kubectl-command.ts";

export interface HelpSubject {
  readonly command: KubectlCommand;
  /** The full name of the command: `kubectl create secret`. */
  readonly path: string;
  /** The commands of the root by heading. */
  readonly groups: readonly CommandGroup[];
  /** The width of the terminal in columns. */
  readonly width: number;
  readonly translate: Translate;
}

export interface CommandGroup {
  readonly heading: string;
  /** Whether help lists the commands by name. */
  readonly isSorted?: boolean;
  readonly commands: readonly LazyCommand[];
}

/** What `--help` prints, in kubectl's layout. */
export function helpText({ command, path, groups, width, translate }: HelpSubject): string {
  const isRoot = !path.includes(" ");
  const lists = isRoot
    ? groups
    : [{ heading: "Available Commands:", commands: visible(command.commands ?? []) }];
  const flags = flagUsages(command.flags ?? {}, width);
  const isGroup = (command.commands ?? []).length > 0;
  const sections = [
    translate((command.long ?? command.short).trim()),
    command.aliases?.length && `Aliases:\n${[command.name, ...command.aliases].join(", ")}`,
    command.examples && `Examples:\n${indented(command.examples)}`,
    isGroup &&
      lists.map((group) => groupText(group, { padding: paddingOf(lists), translate })).join("\n\n"),
    flags !== "" && `Options:\n${flags}`,
    `Usage:\n  ${usageLine(command, path)}`,
    [
      isGroup && `Use "${path} <command> --help" for more information about a given command.`,
      `Use "${rootOf(path)} options" for a list of global command-line options (applies to all commands).`,
    ]
      .filter(Boolean)
      .join("\n"),
  ];
  return `${sections.filter((section) => section !== undefined && section !== false && section !== "" && section !== 0).join("\n\n")}\n`;
}

/** What `kubectl options` prints. */
export function optionsText(flags: Flags, width: number): string {
  return `The following options can be passed to any command:\n\n${flagUsages(flags, width)}\n`;
}

const rootOf = (path: string): string => path.split(" ")[0] ?? path;

function usageLine({ usage }: KubectlCommand, path: string): string {
  const line = usage === undefined ? path : `${path} ${usage}`;
  return line.includes("[options]") ? line : `${line} [options]`;
}

const visible = (commands: readonly LazyCommand[]): LazyCommand[] =>
  commands.filter(({ hidden }) => !hidden).toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** The width of the names in lists of commands, as cobra has it. */
const paddingOf = (groups: readonly CommandGroup[]): number =>
  Math.max(11, ...groups.flatMap(({ commands }) => commands.map(({ name }) => name.length)));

function groupText(
  { heading, commands, isSorted }: CommandGroup,
  { padding, translate }: { readonly padding: number; readonly translate: Translate },
): string {
  return [
    heading,
    ...(isSorted ? visible(commands) : commands).map(
      ({ name, short }) => `  ${name.padEnd(padding)}   ${translate(short)}`,
    ),
  ].join("\n");
}

function flagUsages(flags: Flags, width: number): string {
  return Object.entries(flags)
    .filter(([, { hidden, deprecated }]) => !(hidden ?? deprecated !== undefined))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, flag]) => flagUsage(name, flag, width))
    .join("\n\n");
}

function flagUsage(name: string, flag: Flag, width: number): string {
  const short = flag.short === undefined ? "    " : `    -${flag.short}, `;
  const value = flag.type === "string" ? `'${defaultText(flag)}'` : defaultText(flag);
  const usage = wrapped(flag.usage.replaceAll("`", "").replaceAll("\n", " "), width - 10);
  return `${short}--${name}=${value}:\n${usage.map((line) => `\t${line}`).join("\n")}`;
}

/** The default in pflag's notation, zero values included. */
function defaultText({ default: value, type, shownDefault }: Flag): string {
  if (type === "string") return typeof value === "string" ? value : "";
  if (shownDefault !== "") return shownDefault;
  if (Array.isArray(value) || value instanceof Map) return "[]";
  if (type === "duration") return "0s";
  return typeof value === "boolean" || typeof value === "number" ? String(value) : "";
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let current = "";
  for (const word of text.split(" "))
    if (current !== "" && current.length + 1 + word.length > width) {
      lines.push(current);
      current = word;
    } else current = current === "" ? word : `${current} ${word}`;
  return [...lines, current];
}

const indented = (text: string): string =>
  text
    .trim()
    .split("\n")
    .map((line) => (line === "" ? "" : `  ${line}`))
    .join("\n");
