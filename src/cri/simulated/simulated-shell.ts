import type { StreamSession } from "../streams.ts";

type Write = (text: string) => Promise<void>;

export interface ShellSurroundings {
  readonly out: Write;
  readonly err: Write;
  /** Runs a line; resolves with its exit code, or undefined for an unknown command. */
  readonly run: (line: string) => Promise<number | undefined>;
}

/** A shell that runs typed lines, until `exit` or the end of the input. */
export async function simulatedShell(
  session: StreamSession,
  { out, err, run }: ShellSurroundings,
): Promise<number> {
  let code = 0;
  await out(prompt);
  for await (const line of typedLines(session, out)) {
    const exit = /^exit(?:\s+(?<code>\d+))?$/.exec(line);
    if (exit) return exit.groups?.code === undefined ? code : Number(exit.groups.code) & 255;
    if (line !== "") {
      const result = await run(line);
      code = result ?? 127;
      if (result === undefined) await err(`sh: ${line.split(/\s/)[0]}: not found\n`);
    }
    await out(prompt);
  }
  return code;
}

const prompt = "# ";

/** The typed lines; a terminal echoes them. */
async function* typedLines(
  { stdin, stderr, signal }: StreamSession,
  out: Write,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of stdin ?? []) {
    if (signal.aborted) return;
    const typed = decoder.decode(bytes, { stream: true });
    if (!stderr) await out(typed.replaceAll("\r", "\r\n"));
    const lines = (rest + typed.replaceAll("\r", "\n")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield line.trim();
  }
}
