import { type Clock, sleep } from "../../base/clock.ts";
import { onAbort } from "../../base/on-abort.ts";
import type { LogOptions, LogPiece } from "../streams.ts";
import type { SimulatedContainer } from "./simulated-container.ts";

/**
 * Reads the log of a container. Nothing is stored: each line is computed from its number, so that a log costs
 * nothing until it is read.
 */
export async function* simulatedLogs(
  container: SimulatedContainer,
  clock: Clock,
  { tailLines, since = 0, follow, signal }: LogOptions,
): AsyncGenerator<LogPiece> {
  const line = linesOf(container);
  const count = (): number => linesUntil(container, endOf(container, clock.now()));
  let next = tailLines === undefined ? 0 : Math.max(0, count() - tailLines);
  for (;;) {
    for (const end = count(); next < end; next++) {
      const written = line(next);
      if (written.at >= since) yield written;
      if (signal.aborted) return;
    }
    if (!follow || container.state === "exited") return;
    await changed(container, clock, { at: line(next)?.at, signal });
    if (signal.aborted) return;
  }
}

/** Resolves when the next line is due, the container has ended, or the client has disconnected. */
async function changed(
  container: SimulatedContainer,
  clock: Clock,
  { at, signal }: { readonly at: number; readonly signal: AbortSignal },
): Promise<void> {
  const over = new AbortController();
  const wake = (): void => over.abort();
  container.waiting.add(wake);
  const unfollow = onAbort(signal, wake);
  const ms = at === Number.POSITIVE_INFINITY ? longest : Math.max(0, at - clock.now());
  await sleep(clock, Math.min(ms, longest), over.signal).catch(() => {});
  container.waiting.delete(wake);
  unfollow();
}

/** The longest delay of a timer. */
const longest = 24 * 3_600_000;

/** The n-th line of a container; a line that is never written is due at infinity. */
function linesOf(container: SimulatedContainer): (n: number) => LogPiece {
  const { startedAt, behaviour, config } = container;
  const first = firstLines(container);
  const { log, logEveryMs = 0 } = behaviour;
  return (n) => {
    const early = first[n];
    if (early) return piece(startedAt + early.ms, early.text);
    const number = n - first.length + 1;
    if (logEveryMs <= 0) return piece(Number.POSITIVE_INFINITY, "");
    const words = log ?? `${config.metadata.name}: line {n}`;
    const text = `${words.replaceAll("{n}", String(number))}\n`;
    return piece(startedAt + number * logEveryMs, text);
  };
}

const piece = (at: number, text: string): LogPiece => ({
  stream: "stdout",
  at,
  nanos: 0,
  bytes: encoder.encode(text),
});

const encoder = new TextEncoder();

/** Lines that are written once: the output of the command, or a note that the container is simulated. */
function firstLines({ behaviour, config }: SimulatedContainer) {
  const { program, log, logEveryMs } = behaviour;
  if (program) return program.lines;
  if (log !== undefined && logEveryMs === undefined)
    return log.split("\n").map((text) => ({ ms: 0, text: `${text}\n` }));
  if (log !== undefined) return [];
  const { name } = config.metadata;
  return [{ ms: 0, text: `simulated container ${name} of image ${config.image} started\n` }];
}

/** How many lines are written until a time. */
function linesUntil(container: SimulatedContainer, at: number): number {
  const { startedAt, behaviour } = container;
  if (startedAt === 0 || at < startedAt) return 0;
  const first = firstLines(container);
  const early = first.filter(({ ms }) => startedAt + ms <= at).length;
  const { logEveryMs = 0 } = behaviour;
  if (early < first.length || logEveryMs <= 0) return early;
  return early + Math.floor((at - startedAt) / logEveryMs);
}

const endOf = ({ state, finishedAt }: SimulatedContainer, now: number): number =>
  state === "exited" ? finishedAt : now;
