import type { ContainerConfig, PodSandboxConfig } from "../runtime-types.ts";
import { type DurationRange, parseDurationRange, parseMilliseconds } from "./duration-range.ts";
import { type Program, programOf } from "./program.ts";
import { parseUsageCurve, type UsageCurve } from "./usage-curve.ts";
import { parseWindows, type Window } from "./windows.ts";

/** How a simulated container behaves; by default, like a healthy container. */
export interface Behaviour {
  readonly startDelay?: DurationRange | undefined;
  readonly createError?: string | undefined;
  readonly startError?: string | undefined;
  readonly exitCode?: number | undefined;
  readonly exitAfter?: DurationRange | undefined;
  /** How many times it ends by itself; after that it runs until it is stopped. */
  readonly exitTimes?: number | undefined;
  readonly oomAfter?: DurationRange | undefined;
  readonly terminationMessage?: string | undefined;
  readonly stopDelay?: DurationRange | undefined;
  readonly stopExitCode: number;
  readonly ignoresSigterm: boolean;
  /** When probes fail, relative to the container's start. */
  readonly readinessFails: readonly Window[];
  readonly livenessFails: readonly Window[];
  readonly startupFails: readonly Window[];
  readonly postStartFails: boolean;
  readonly preStopFails: boolean;
  /** In cores and bytes. */
  readonly cpu?: UsageCurve | undefined;
  readonly memory?: UsageCurve | undefined;
  /** A log line, in which `{n}` is its number from 1 on. */
  readonly log?: string | undefined;
  readonly logEveryMs?: number | undefined;
  readonly exec: Readonly<Record<string, ExecAnswer>>;
  readonly program?: Program | undefined;
}

/** The result of a command that a client runs in a container. */
export interface ExecAnswer {
  readonly stdout?: string | undefined;
  readonly stderr?: string | undefined;
  readonly exitCode?: number | undefined;
  /** How long it takes, such as `2s`. */
  readonly after?: string | undefined;
}

/** The prefix of all annotations that are read here. */
const behaviourPrefix = "wherry.dev/";

/**
 * The value of an annotation for a container: `CONTAINER.wherry.dev/KEY` is for one, `wherry.dev/KEY`
 * for all of a pod's.
 */
export function annotated(
  { annotations }: Pick<PodSandboxConfig, "annotations">,
  key: string,
  container?: string,
): string | undefined {
  const own =
    container === undefined ? undefined : annotations[`${container}.${behaviourPrefix}${key}`];
  return own ?? annotations[`${behaviourPrefix}${key}`];
}

/** The behaviour of a container, from its pod's annotations or else its command. */
export function behaviourOf(
  sandbox: Pick<PodSandboxConfig, "annotations">,
  {
    metadata,
    command,
    args,
    kind,
  }: Pick<ContainerConfig, "metadata" | "command" | "args" | "kind">,
): Behaviour {
  const program = programOf([...command, ...args]) ?? defaultProgram(kind);
  if (!mentions(sandbox)) return program ? { ...usual, program } : usual;
  const text = (key: string): string | undefined => annotated(sandbox, key, metadata.name);
  const read = <T>(key: string, parse: (text: string) => T | undefined): T | undefined => {
    const value = text(key);
    return value === undefined ? undefined : parse(value);
  };
  const readyAfter = read("ready-after", parseMilliseconds) ?? 0;
  const windows = (key: string): readonly Window[] => read(key, parseWindows) ?? [];
  const exitCode = read("exit-code", wholeNumber);
  const exitAfter = read("exit-after", parseDurationRange);
  const exits = exitCode !== undefined || exitAfter !== undefined;
  return {
    startDelay: read("start-delay", parseDurationRange),
    createError: text("create-error"),
    startError: text("start-error"),
    exitCode,
    exitAfter,
    exitTimes: read("exit-times", wholeNumber),
    oomAfter: read("oom-after", parseDurationRange),
    terminationMessage: text("termination-message"),
    stopDelay: read("stop-delay", parseDurationRange),
    stopExitCode: read("stop-exit-code", wholeNumber) ?? 0,
    ignoresSigterm: text("ignores-sigterm") === "true",
    readinessFails: [
      ...(readyAfter > 0 ? [[0, readyAfter] as const] : []),
      ...windows("readiness-fails"),
    ],
    livenessFails: windows("liveness-fails"),
    startupFails: windows("startup-fails"),
    postStartFails: text("post-start-fails") === "true",
    preStopFails: text("pre-stop-fails") === "true",
    cpu: read("cpu", parseUsageCurve),
    memory: read("memory", parseUsageCurve),
    log: text("log"),
    logEveryMs: read("log-every", parseMilliseconds),
    exec: read("exec", execAnswers) ?? {},
    // Annotations about its end override its command.
    program: exits ? undefined : program,
  };
}

/** A container without annotations. */
const usual: Behaviour = {
  stopExitCode: 0,
  ignoresSigterm: false,
  readinessFails: [],
  livenessFails: [],
  startupFails: [],
  postStartFails: false,
  preStopFails: false,
  exec: {},
};

/** An init container must end for its pod to start: one with unknown behaviour ends at once. */
const defaultProgram = (kind: ContainerConfig["kind"]): Program | undefined =>
  kind === "init" ? { lines: [], exit: { ms: 0, code: 0 } } : undefined;

function mentions({ annotations }: Pick<PodSandboxConfig, "annotations">): boolean {
  for (const key in annotations) if (key.includes(behaviourPrefix)) return true;
  return false;
}

const wholeNumber = (text: string): number | undefined =>
  /^\d+$/.test(text.trim()) ? Number(text) : undefined;

function execAnswers(text: string): Readonly<Record<string, ExecAnswer>> | undefined {
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read !== "object" || read === null) return undefined;
    return Object.fromEntries(
      Object.entries(read).map(([command, answer]) => [
        command,
        typeof answer === "string" ? { stdout: answer } : (answer as ExecAnswer),
      ]),
    );
  } catch {
    return undefined;
  }
}
