import { errorMessage } from "../../base/error-message.ts";
import { sha1 } from "../../base/sha1.ts";
import type { StreamSession, TerminalSize } from "../../cri/streams.ts";
import { encodeBase64 } from "../../schema/values/base64.ts";
import { ChannelSocket, type MessageForm } from "./channel-socket.ts";
import { type KubeletRequest, type KubeletResponse, textResponse } from "./kubelet-request.ts";

/** A client's exec or attach request. */
export interface RemoteCommand {
  readonly command: readonly string[];
  readonly tty: boolean;
  /** Runs it with these streams; resolves with its exit code. */
  readonly run: (session: StreamSession) => Promise<number>;
}

/** Handles exec and attach through a WebSocket, in any version of the protocol. */
export function remoteCommand(
  { headers, query }: KubeletRequest,
  { tty, run }: Pick<RemoteCommand, "tty" | "run">,
): KubeletResponse {
  const wants = (name: string): boolean => /^(?:1|true)$/.test(query.get(name) ?? "");
  const has = { stdin: wants("input"), stdout: wants("output"), stderr: wants("error") };
  if (!has.stdin && !has.stdout && !has.stderr)
    return textResponse(400, "you must specify at least 1 of stdin, stdout, stderr");
  if (headers.upgrade?.toLowerCase() !== "websocket")
    return textResponse(400, "only WebSocket is spoken here: Upgrade request required");
  const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((one) => one.trim());
  const protocol = offered.find((one) => Object.hasOwn(protocols, one));
  const key = headers["sec-websocket-key"] ?? "";
  if (protocol === undefined || key === "")
    return textResponse(403, `none of the protocols is known: ${offered.join(", ")}`);
  return {
    status: 101,
    headers: {
      upgrade: "websocket",
      connection: "Upgrade",
      "sec-websocket-accept": acceptKey(key),
      ...(protocol !== "" && { "sec-websocket-protocol": protocol }),
    },
    async takeOver(stream) {
      const { form, tellsSuccess } = protocols[protocol] ?? first;
      const socket = new ChannelSocket(stream, [channels.stdin, channels.resize], form);
      const listening = socket.listen();
      const write = (channel: number) => (bytes: Uint8Array) => socket.send(channel, bytes);
      // An empty message shows that the connection is open.
      const lowest = has.stdout ? channels.stdout : has.stderr ? channels.stderr : channels.error;
      await socket.send(lowest, new Uint8Array(0));
      const result = await resultOf(
        run({
          ...(has.stdin && { stdin: socket.incoming(channels.stdin) }),
          ...(has.stdout && { stdout: write(channels.stdout) }),
          ...(has.stderr && !tty && { stderr: write(channels.stderr) }),
          ...(tty && { resize: sizes(socket.incoming(channels.resize) ?? none()) }),
          signal: socket.signal,
        }),
      );
      const text = tellsSuccess ? JSON.stringify(result) : result.message;
      if (text !== undefined)
        await socket.send(channels.error, new TextEncoder().encode(text)).catch(() => {});
      await socket.close();
      await listening;
    },
  };
}

/** The differences of protocol versions: the first ones only report failures, as text. */
interface Protocol {
  readonly form: MessageForm;
  readonly tellsSuccess: boolean;
}

const first: Protocol = { form: "binary", tellsSuccess: false };
const protocols: Readonly<Record<string, Protocol>> = {
  "": first,
  "channel.k8s.io": first,
  "base64.channel.k8s.io": { form: "base64", tellsSuccess: false },
  "v4.channel.k8s.io": { form: "binary", tellsSuccess: true },
  "v4.base64.channel.k8s.io": { form: "base64", tellsSuccess: true },
  "v5.channel.k8s.io": { form: "binary", tellsSuccess: true },
};
const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;

/** A Status; only its message is used here. */
type ResultStatus = { readonly message?: string; readonly [field: string]: unknown };

/** The result of a command as a Status. */
async function resultOf(running: Promise<number>): Promise<ResultStatus> {
  try {
    const code = await running;
    if (code === 0) return { metadata: {}, status: "Success" };
    return {
      metadata: {},
      status: "Failure",
      message: `command terminated with non-zero exit code: command terminated with exit code ${code}`,
      reason: "NonZeroExitCode",
      details: { causes: [{ reason: "ExitCode", message: String(code) }] },
    };
  } catch (error) {
    const why = `error executing command in container: ${errorMessage(error)}`;
    return {
      metadata: {},
      status: "Failure",
      message: `Internal error occurred: ${why}`,
      reason: "InternalError",
      details: { causes: [{ message: why }] },
      code: 500,
    };
  }
}

async function* sizes(messages: AsyncIterable<Uint8Array>): AsyncGenerator<TerminalSize> {
  for await (const bytes of messages) {
    const { Width: width, Height: height } = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof width === "number" && typeof height === "number") yield { width, height };
  }
}

async function* none(): AsyncGenerator<Uint8Array> {}

/** The server's proof that it understood the handshake (RFC 6455). */
const acceptKey = (key: string): string =>
  encodeBase64(sha1(new TextEncoder().encode(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)));
