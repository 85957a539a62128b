import { type ChildProcess, spawn } from "node:child_process";
import { normalize } from "node:path";
import type { Clock } from "../base/clock.ts";
import { redactText } from "../platform/redact.ts";
import type { Credentials, Identity } from "./credentials.ts";
import { type ExecCluster, execInfo, parseExecAnswer } from "./exec-credential.ts";
import type { ExecConfig } from "./kubeconfig.ts";
import { interactiveMode } from "./validate-kubeconfig.ts";

export interface ExecOptions {
  readonly clock: Clock;
  /** The cluster information, for plugins that request it. */
  readonly cluster: () => Promise<ExecCluster>;
  /** The environment that the plugin inherits; the kubeconfig may add variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the user can be prompted. */
  readonly isTerminal: boolean;
  /** Whether standard input is read for something else, so that nobody can be prompted from now on. */
  readonly isStdinUsed?: (() => boolean) | undefined;
  /** Throws if a program may not provide credentials; without it, all may. */
  readonly checkProgram?: ((program: string) => void) | undefined;
}

/** Credentials from a plugin program, which is run when they are needed, expire or are rejected. */
export function execCredentials(config: ExecConfig, options: ExecOptions): Credentials {
  const { apiVersion = "", command = "" } = config;
  const { clock } = options;
  if (!apiVersions.has(apiVersion))
    throw new Error(`exec plugin: invalid apiVersion ${JSON.stringify(apiVersion)}`);
  const program = normalize(command);
  let latest: Identity | undefined;
  let wasStdinUsed = false;
  let expires: number | undefined;
  let running: Promise<Identity> | undefined;
  let child: ChildProcess | undefined;
  const hints = hintsFor(config, clock);

  const run = async (): Promise<Identity> => {
    try {
      options.checkProgram?.(program);
      wasStdinUsed = options.isStdinUsed?.() ?? false;
      const interactive = isInteractive(config, options.isTerminal, wasStdinUsed);
      const cluster = config.provideClusterInfo ? await options.cluster() : undefined;
      const info = execInfo(apiVersion, { cluster, interactive });
      const env = { ...options.env, ...ownEnv(config), KUBERNETES_EXEC_INFO: info };
      const printed = await output(program, {
        args: config.args ?? [],
        env,
        interactive,
        started: (process) => {
          child = process;
        },
        hint: hints,
      });
      const answer = parseExecAnswer(apiVersion, printed);
      expires = answer.expires;
      if (latest === undefined || !isSame(latest, answer.identity)) latest = answer.identity;
      return latest;
    } catch (cause) {
      throw new Error(`getting credentials: ${(cause as Error).message}`, { cause });
    } finally {
      running = undefined;
      child = undefined;
    }
  };
  // Concurrent callers share one run: the program may prompt the user.
  const refresh = (): Promise<Identity> => (running ??= run());

  return {
    async current() {
      if (running !== undefined) return running;
      // As in the original, credentials that a user may have been asked for do not count once standard input is used.
      const isSameMode = wasStdinUsed === (options.isStdinUsed?.() ?? false);
      const isGood = isSameMode && (expires === undefined || clock.now() <= expires);
      return isGood && latest ? latest : refresh();
    },
    async renew(refused) {
      if (running !== undefined) await running;
      else if (refused === latest) await refresh();
      return latest !== refused;
    },
    close: () => void child?.kill(),
  };
}

const apiVersions: ReadonlySet<string> = new Set([
  "client.authentication.k8s.io/v1",
  "client.authentication.k8s.io/v1beta1",
]);

const isSame = (a: Identity, b: Identity): boolean =>
  a.authorization === b.authorization && a.cert === b.cert && a.key === b.key;

function isInteractive(config: ExecConfig, isTerminal: boolean, isStdinUsed: boolean): boolean {
  const mode = interactiveMode(config);
  const fail = (why: string): Error =>
    new Error(`exec plugin cannot support interactive mode: ${why}`);
  if (mode === "Never") return false;
  if (mode === "IfAvailable") return isTerminal && !isStdinUsed;
  if (mode !== "Always") throw fail(`unknown interactiveMode: ${JSON.stringify(mode)}`);
  if (!isTerminal) throw fail("standard input is not a terminal");
  if (isStdinUsed)
    throw fail("standard input is unavailable: used by stdin resource manifest reader");
  return true;
}

const ownEnv = ({ env }: ExecConfig): Record<string, string> =>
  Object.fromEntries((env ?? []).map(({ name = "", value = "" }) => [name, value]));

/** How much of a plugin's stderr is shown. */
const longestComplaint = 4096;

function output(
  program: string,
  {
    args,
    env,
    interactive,
    started,
    hint,
  }: {
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly interactive: boolean;
    readonly started: (child: ChildProcess) => void;
    readonly hint: () => string;
  },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const stdin = interactive ? "inherit" : "ignore";
    // The user must see prompts, so stderr is inherited.
    const stderr = interactive ? "inherit" : "pipe";
    const child = spawn(program, args, { env, stdio: [stdin, "pipe", stderr], windowsHide: true });
    started(child);
    let printed = "";
    let complaint = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      complaint = (complaint + text).slice(-longestComplaint);
    });
    child.on("error", (cause: NodeJS.ErrnoException) => {
      const isAbsent = cause.code === "ENOENT" || cause.code === "EACCES";
      const message = isAbsent
        ? `exec: executable ${program} not found${hint()}`
        : `exec: ${cause.message}`;
      reject(new Error(message, { cause }));
    });
    child.on("close", (code) => {
      if (code === 0) {
        resolve(printed);
        return;
      }
      const output = redactText(complaint.trim());
      reject(
        new Error(
          `exec: executable ${program} failed with exit code ${code ?? -1}${output === "" ? "" : `: ${output}`}`,
        ),
      );
    });
  });
}

const longHelp = `

It looks like you are trying to use a client-go credential plugin that is not installed.

To learn more about this feature, consult the documentation available at:
      https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins`;

/** The hint to install a missing program, at most ten times an hour. */
function hintsFor({ installHint = "" }: ExecConfig, clock: Clock): () => string {
  let since = clock.now();
  let given = 0;
  const hint = installHint === "" ? "" : `\n\n${withoutEscapes(installHint)}`;
  return () => {
    if (clock.now() - since >= 3_600_000) {
      since = clock.now();
      given = 0;
    }
    return given++ < 10 ? `${longHelp}${hint}` : "";
  };
}

/** Removes escape sequences, which could change the state of the terminal. */
export function withoutEscapes(text: string): string {
  return text.replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z}\t-\r]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  });
}
