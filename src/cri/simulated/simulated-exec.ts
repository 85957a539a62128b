import { type Clock, sleep } from "../../base/clock.ts";
import { RuntimeError } from "../runtime-service.ts";
import type { ExecResult, StreamSession } from "../streams.ts";
import type { ExecAnswer } from "./behaviour.ts";
import { parseMilliseconds } from "./duration-range.ts";
import { programOf } from "./program.ts";
import type { SimulatedContainer } from "./simulated-container.ts";
import { simulatedLogs } from "./simulated-logs.ts";
import { simulatedShell } from "./simulated-shell.ts";

/** Runs a command for a probe or a hook: an unknown command does nothing and succeeds. */
export async function execSimulatedSync(
  container: SimulatedContainer,
  command: readonly string[],
  { clock, timeoutSeconds }: { readonly clock: Clock; readonly timeoutSeconds: number },
): Promise<ExecResult> {
  const { stdout = "", stderr = "", exitCode = 0, ms } = answerTo(container, command) ?? { ms: 0 };
  const most = timeoutSeconds > 0 ? timeoutSeconds * 1000 : Number.POSITIVE_INFINITY;
  if (ms > 0) await sleep(clock, Math.min(ms, most));
  if (ms > most) {
    const what = `command "${command.join(" ")}" timed out`;
    throw new RuntimeError("DeadlineExceeded", what);
  }
  const encoder = new TextEncoder();
  return { stdout: encoder.encode(stdout), stderr: encoder.encode(stderr), exitCode };
}

export interface ExecSurroundings {
  readonly clock: Clock;
  readonly session: StreamSession;
}

/** Runs a command for an attached client; resolves with its exit code. */
export async function execSimulated(
  container: SimulatedContainer,
  command: readonly string[],
  { clock, session }: ExecSurroundings,
): Promise<number> {
  const out = writer(session.stdout);
  const err = writer(session.stderr ?? session.stdout);
  const answer = answerTo(container, command);
  if (answer) return writeAnswer(answer, { clock, session });
  const [name = ""] = command;
  if (name === "cat" && command.length === 1) {
    for await (const bytes of session.stdin ?? []) await session.stdout?.(bytes);
    return 0;
  }
  if (shellName.test(name) && command.length === 1)
    return simulatedShell(session, { out, err, run: shellLine(container, { clock, session }) });
  throw new RuntimeError(
    "Unknown",
    `OCI runtime exec failed: exec failed: unable to start container process: exec: ${JSON.stringify(name)}: executable file not found in $PATH: unknown`,
  );
}

/**
 * Sends the output of a container to a client, until the container ends or the client disconnects. A shell,
 * or `cat`, reads the input of the client and ends with it. The exit code of the container is not returned.
 */
export async function attachSimulated(
  container: SimulatedContainer,
  { clock, session, end }: ExecSurroundings & { readonly end: (exitCode: number) => void },
): Promise<number> {
  const { stdin, signal } = session;
  const { config } = container;
  const command = interactiveCommand(config);
  if (stdin && command) {
    let isOver: boolean = false;
    const given = async function* (): AsyncGenerator<Uint8Array> {
      yield* stdin;
      isOver = true;
    };
    const code = await execSimulated(container, command, {
      clock,
      session: { ...session, stdin: given() },
    });
    // The next client may send more input, unless stdinOnce is set.
    if (!isOver || config.stdinOnce) end(code);
    return 0;
  }
  const options = { tailLines: 0, follow: true, signal };
  for await (const { bytes } of simulatedLogs(container, clock, options))
    await session.stdout?.(bytes);
  return 0;
}

/** The interactive command of a container, if it has one; with a terminal the default is a shell. */
function interactiveCommand({
  stdin,
  tty,
  command,
  args,
}: SimulatedContainer["config"]): readonly string[] | undefined {
  if (!stdin) return undefined;
  const words = [...command, ...args];
  const [name = ""] = words;
  if (words.length === 1 && (name === "cat" || shellName.test(name))) return words;
  return words.length === 0 && tty ? ["sh"] : undefined;
}

/** Runs a typed line; undefined if the command is unknown. */
const shellLine =
  (container: SimulatedContainer, around: ExecSurroundings) =>
  async (line: string): Promise<number | undefined> => {
    const answer =
      answerTo(container, line.split(/\s+/)) ?? answerTo(container, ["sh", "-c", line]);
    return answer && writeAnswer(answer, around);
  };

interface Answer extends Omit<ExecAnswer, "after"> {
  readonly ms: number;
}

/** The output and exit code of a command, from the pod's annotations or of a known command. */
function answerTo(container: SimulatedContainer, command: readonly string[]): Answer | undefined {
  const { exec } = container.behaviour;
  const line = command.join(" ");
  const given = Object.hasOwn(exec, line) ? exec[line] : exec["*"];
  if (given) return { ...given, ms: parseMilliseconds(given.after ?? "0") ?? 0 };
  const output = facts(container, line);
  if (output !== undefined) return { stdout: output, exitCode: 0, ms: 0 };
  const program = programOf(command);
  if (!program) return undefined;
  const stdout = program.lines.map(({ text }) => text).join("");
  const { ms, code } = program.exit ?? { ms: Number.POSITIVE_INFINITY, code: 0 };
  return { stdout, exitCode: code, ms };
}

/** Commands that print facts about the container. */
function facts({ config, sandbox }: SimulatedContainer, line: string): string | undefined {
  switch (line) {
    case "hostname":
      return `${sandbox.config.hostname}\n`;
    case "env":
    case "printenv":
      return config.env.map(({ name, value }) => `${name}=${value}\n`).join("");
    case "whoami":
      return "root\n";
    case "pwd":
      return `${config.workingDir || "/"}\n`;
  }
  return undefined;
}

async function writeAnswer(answer: Answer, { clock, session }: ExecSurroundings): Promise<number> {
  const { stdout = "", stderr = "", exitCode = 0, ms } = answer;
  await writer(session.stdout)(stdout);
  await writer(session.stderr ?? session.stdout)(stderr);
  if (ms > 0) {
    const most = Math.min(ms, 24 * 3_600_000);
    await sleep(clock, most, session.signal).catch(() => {});
  }
  return exitCode;
}

const shellName = /^(?:\/bin\/|\/usr\/bin\/)?(?:sh|ash|bash)$/;

const writer =
  (write: StreamSession["stdout"]) =>
  async (text: string): Promise<void> => {
    if (text !== "") await write?.(new TextEncoder().encode(text));
  };
