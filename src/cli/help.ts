import type { Command } from "./command.ts";
import type { Flag, Flags } from "./flag.ts";

export interface HelpSubject {
  readonly command: Command;
  /** The full name of the command: `wherry apiserver`. */
  readonly path: string;
  /** The flags that the commands above declared persistent. */
  readonly inherited: Flags;
  /** The width of the output in columns. */
  readonly width: number;
}

/** What `--help` prints. */
export function helpText(subject: HelpSubject): string {
  const { command, path, inherited, width } = subject;
  const visible = (command.commands ?? []).filter(({ hidden }) => !hidden);
  const own = { ...command.flags, ...command.persistentFlags };
  const sections = [
    wrap(command.long ?? `${command.short}.`, width, ""),
    `Usage:\n${usageLines(command, path).join("\n")}`,
    command.examples && `Examples:\n${indent(command.examples)}`,
    visible.length > 0 &&
      `Commands:\n${columns(
        visible.map(({ name, short }) => [name, short]),
        width,
      )}`,
    ...flagSections(own, width),
    Object.keys(inherited).length > 0 && `Global flags:\n${flagLines(inherited, width)}`,
    visible.length > 0 && `Use "${path} COMMAND --help" for more about a command.`,
  ];
  return `${sections.filter((section) => typeof section === "string" && section !== "").join("\n\n")}\n`;
}

function usageLines({ arguments: names, commands, run }: Command, path: string): string[] {
  const lines = [];
  if (run) lines.push(`  ${path} [flags]${names === undefined ? "" : ` ${names}`}`);
  if (commands) lines.push(`  ${path} COMMAND`);
  return lines;
}

function flagSections(flags: Flags, width: number): string[] {
  const sections = new Map<string, Record<string, Flag>>();
  for (const [name, flag] of Object.entries(flags)) {
    const title = flag.section ?? "Flags";
    sections.set(title, { ...sections.get(title), [name]: flag });
  }
  return [...sections].map(([title, members]) => `${title}:\n${flagLines(members, width)}`);
}

function flagLines(flags: Flags, width: number): string {
  const rows = Object.entries(flags)
    .filter(([, { hidden, deprecated }]) => !(hidden ?? deprecated !== undefined))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, flag]): [string, string] => {
      const { value, text } = valueName(flag);
      const short = flag.short === undefined ? "    " : `-${flag.short}, `;
      const fallback = flag.shownDefault === "" ? "" : ` (default ${flag.shownDefault})`;
      return [`${short}--${name}${value === "" ? "" : ` ${value}`}`, `${text}${fallback}`];
    });
  return columns(rows, width);
}

/** The word in back quotes, or the type; and the usage without the quotes. */
function valueName(flag: Flag): { value: string; text: string } {
  const quoted = /`([^`]*)`/.exec(flag.usage);
  return { value: quoted?.[1] ?? flag.type, text: flag.usage.replaceAll("`", "") };
}

/** Two columns, the second wrapped under itself. */
function columns(rows: readonly (readonly [string, string])[], width: number): string {
  const left = Math.max(...rows.map(([first]) => first.length)) + 5;
  return rows
    .map(([first, second]) => {
      const wrapped = wrap(second, width - left, " ".repeat(left));
      return `  ${first.padEnd(left - 2)}${wrapped}`;
    })
    .join("\n");
}

/**
 * Fills paragraphs: their lines are joined, and broken between words. The first line is not indented, and indented
 * lines stay as they are.
 */
function wrap(text: string, width: number, indentation: string): string {
  const room = Math.max(width, 30);
  return text
    .replaceAll(/^(?! )(.+)\n(?=\S)/gm, "$1 ")
    .split("\n")
    .flatMap((line) => (line.startsWith(" ") ? [line] : wrapLine(line, room)))
    .join(`\n${indentation}`);
}

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = "";
  for (const word of line.split(" ")) {
    if (current !== "" && current.length + 1 + word.length > width) {
      lines.push(current);
      current = word;
    } else {
      current = current === "" ? word : `${current} ${word}`;
    }
  }
  return [...lines, current];
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? "" : `  ${line}`))
    .join("\n");
}
