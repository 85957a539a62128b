import type { DialStreams } from "../base/stream-connection.ts";
import type { Client } from "../client/client.ts";
import type { Transport } from "../client/transport.ts";
import type { GivenConnection } from "./factory/open-factory.ts";
import type { Io, Output } from "./program/io.ts";
import { splitCommandLine } from "./program/split-command-line.ts";

/** Runs command lines of kubectl: `await kubectl(client)("get pods -o name")`. */
export type Kubectl = (
  line: string | readonly string[],
  options?: KubectlOptions,
) => Promise<KubectlResult>;

export interface KubectlOptions {
  /** What `-f -` reads. Default: nothing. */
  readonly stdin?: string | Uint8Array | undefined;
  /** The environment of the command. Default: empty, so that no file of the user changes anything. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The folder to which relative paths refer. Default: that of the process. */
  readonly cwd?: string | undefined;
  /** Ends a command that does not end by itself, such as a watch. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each piece of the output as it is written. */
  readonly onOutput?: ((text: string) => void) | undefined;
}

export interface KubectlResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

export interface KubectlConnection {
  /** The URL of the server, for messages. Default: `https://localhost`. */
  readonly server?: string | undefined;
  /** Opens the connections of exec, attach, cp and port-forward. Default: these commands fail. */
  readonly dialStreams?: DialStreams | undefined;
}

/**
 * Returns kubectl for a client: it has its user and namespace, and reads no kubeconfig. A command line is split at
 * spaces outside quotes, or given as a list of arguments, without the name `kubectl`.
 */
export function kubectl(client: Client, options: KubectlConnection = {}): Kubectl {
  const connection: GivenConnection = {
    transport: transportOf(client),
    namespace: client.namespace,
    clock: client.clock,
    server: options.server ?? "https://localhost",
    dialStreams: options.dialStreams,
  };
  return async (line, { stdin, env = {}, cwd = process.cwd(), signal, onOutput } = {}) => {
    const stdout = collectedOutput(onOutput);
    const stderr = collectedOutput();
    const io: Io = { stdin: givenInput(stdin), stdout, stderr };
    const args = typeof line === "string" ? splitCommandLine(line) : line;
    const { runKubectlCommand } = await import("./kubectl-program.ts");
    const exitCode = await runKubectlCommand(args, {
      io,
      env,
      cwd,
      signal: signal ?? new AbortController().signal,
      connection,
    });
    return { stdout: stdout.text(), stderr: stderr.text(), exitCode };
  };
}

/** The client as a transport: it adds the user, and repeats requests that the server wants repeated. */
function transportOf(client: Client): Transport {
  return ({ query, ...request }) => {
    const parameters: Record<string, string[]> = {};
    for (const [name, value] of new URLSearchParams(query))
      parameters[name] = [...(parameters[name] ?? []), value];
    return client.raw({ ...request, query: parameters });
  };
}

function collectedOutput(onOutput?: (text: string) => void): Output & { text(): string } {
  const chunks: Uint8Array[] = [];
  return {
    write(text) {
      const bytes = typeof text === "string" ? Buffer.from(text) : text;
      chunks.push(bytes);
      onOutput?.(Buffer.from(bytes).toString("utf8"));
    },
    text: () => Buffer.concat(chunks).toString("utf8"),
  };
}

function givenInput(content: string | Uint8Array = ""): Io["stdin"] {
  return {
    isTerminal: false,
    async *[Symbol.asyncIterator]() {
      yield typeof content === "string" ? Buffer.from(content) : content;
    },
  };
}
