import { shellTokens } from "./shell-words.ts";

/** A simulated process: it writes lines at times after its start, and may end. */
export interface Program {
  readonly lines: readonly ProgramLine[];
  /** If absent, it runs until it is stopped. */
  readonly exit?: { readonly ms: number; readonly code: number };
}

export interface ProgramLine {
  readonly ms: number;
  readonly text: string;
}

/**
 * The program of a command line, if it is one of the few known ones: `true`, `false`, `:`, `sleep N`,
 * `echo …`, `exit N`, and `sh -c` of these, joined by `;`, `&&`, `||` or newlines.
 */
export function programOf(words: readonly string[]): Program | undefined {
  const [first = "", second = "", script = "", ...more] = words;
  if (!shells.test(first)) return run([{ words, when: ";" }]);
  if (!/^-[eux]*c$/.test(second) || more.length > 0) return undefined;
  const commands = commandsIn(script);
  return commands && run(commands, second.includes("e") || /^\s*set -e/.test(script));
}

const shells = /^(?:\/bin\/|\/usr\/bin\/)?(?:sh|ash|bash)$/;

interface Command {
  readonly words: readonly string[];
  /** The operator between it and the command before. */
  readonly when: ";" | "&&" | "||";
}

function commandsIn(script: string): readonly Command[] | undefined {
  const tokens = shellTokens(script);
  if (!tokens) return undefined;
  const commands: Command[] = [];
  let words: string[] = [];
  let when: Command["when"] = ";";
  for (const token of [...tokens, { operator: ";" } as const]) {
    if ("word" in token) words.push(token.word);
    else {
      if (words.length > 0) commands.push({ words, when });
      else if (token.operator !== ";") return undefined;
      words = [];
      when = token.operator;
    }
  }
  return commands;
}

function run(commands: readonly Command[], stopsAtFailure = false): Program | undefined {
  const lines: ProgramLine[] = [];
  let ms = 0;
  let code = 0;
  let isOver = false;
  for (const { words, when } of commands) {
    const step = stepOf(words);
    if (!step) return undefined;
    const isSkipped = (when === "&&" && code !== 0) || (when === "||" && code === 0);
    if (isOver || isSkipped) continue;
    if (step.text !== undefined) lines.push({ ms, text: step.text });
    ms += step.ms ?? 0;
    code = step.exit ?? step.code ?? code;
    isOver = step.exit !== undefined || (stopsAtFailure && code !== 0);
    if (ms === Number.POSITIVE_INFINITY) return { lines };
  }
  return { lines, exit: { ms, code } };
}

interface Step {
  readonly ms?: number;
  readonly text?: string;
  /** Its exit code. */
  readonly code?: number;
  /** The code with which the whole shell exits. */
  readonly exit?: number;
}

function stepOf([path = "", ...args]: readonly string[]): Step | undefined {
  const name = path.replace(/^(?:\/usr)?\/s?bin\//, "");
  switch (name) {
    case "true":
    case ":":
      return { code: 0 };
    case "false":
      return { code: 1 };
    case "set":
      return args.every((arg) => /^[-+][eux]+$/.test(arg)) ? { code: 0 } : undefined;
    case "echo": {
      const isBare = args[0] === "-n";
      return { code: 0, text: `${args.slice(isBare ? 1 : 0).join(" ")}${isBare ? "" : "\n"}` };
    }
    case "exit":
      return args.length === 0 ? undefined : exitStep(args);
    case "sleep":
      return sleepStep(args);
  }
  return undefined;
}

function exitStep([code = "", ...more]: readonly string[]): Step | undefined {
  if (!/^\d+$/.test(code) || more.length > 0) return undefined;
  return { exit: Number(code) & 255 };
}

function sleepStep(args: readonly string[]): Step | undefined {
  let ms = 0;
  for (const arg of args) {
    if (/^inf(?:inity)?$/.test(arg)) return { code: 0, ms: Number.POSITIVE_INFINITY };
    const [, amount, unit = "s"] = /^(\d+(?:\.\d+)?)([smhd])?$/.exec(arg) ?? [];
    if (amount === undefined) return undefined;
    ms += Number(amount) * (seconds[unit] ?? 1) * 1000;
  }
  return args.length === 0 ? undefined : { code: 0, ms };
}

const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
