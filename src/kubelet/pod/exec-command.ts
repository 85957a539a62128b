import { rpcMessage } from "../../cri/rpc-message.ts";
import { RuntimeError, type RuntimeService } from "../../cri/runtime-service.ts";
import { formatDuration } from "../../schema/values/duration.ts";
import { quote } from "../../schema/values/quote.ts";

/** What became of a command in a container. */
export interface ExecOutcome {
  readonly end: "success" | "failure" | "timeout" | "error";
  /** Its output, errors last. */
  readonly output: Uint8Array;
  /** Why it did not succeed. */
  readonly message: string;
}

/** Runs a command in a container, at most for so many seconds unless that is 0. */
export async function execCommand(
  runtime: Pick<RuntimeService, "execSync">,
  containerId: string,
  { command, timeoutSeconds }: ExecOptions,
): Promise<ExecOutcome> {
  const words = command.join(" ");
  try {
    const result = await runtime.execSync(containerId, command, timeoutSeconds);
    const { stdout, stderr, exitCode } = result;
    const output = joined(stdout, stderr);
    if (exitCode === 0) return { end: "success", output, message: "" };
    const message = `command '${words}' exited with ${exitCode}: ${text(stderr)}`;
    return { end: "failure", output, message };
  } catch (error) {
    if (!(error instanceof RuntimeError) || error.code !== "DeadlineExceeded")
      return { end: "error", output: nothing, message: rpcMessage(error) };
    const after = formatDuration(BigInt(timeoutSeconds) * 1_000_000_000n);
    const message = `command timed out: ${quote(words)} timed out after ${after}`;
    return { end: "timeout", output: nothing, message };
  }
}

export interface ExecOptions {
  readonly command: readonly string[];
  readonly timeoutSeconds: number;
}

const nothing = new Uint8Array(0);
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (second.length === 0) return first;
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
