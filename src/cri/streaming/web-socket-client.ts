import type { Clock } from "../../base/clock.ts";
import type { DialMessages } from "../../base/http/message-socket.ts";
import { onAbort } from "../../base/on-abort.ts";
import { repeat } from "../../base/repeat.ts";
import { ChannelSocket } from "./channel-socket.ts";
import { commandChannels as channels } from "./command-channels.ts";
import { type ClientCommand, runClient } from "./remote-command-client.ts";

/** Runs a command through a WebSocket, in version 5 of the protocol; resolves with the text of its status. */
export async function runThroughWebSocket(
  address: string,
  command: ClientCommand,
  { dial, clock }: { readonly dial: DialMessages; readonly clock: Clock },
): Promise<string> {
  const { signal, stdin, stdout, stderr, tty } = command;
  const { socket } = await dial(address, { protocols: ["v5.channel.k8s.io"], signal });
  const { stdout: out, stderr: err, error } = channels;
  const incoming = [out, err, error];
  const connection = new ChannelSocket(socket, { form: "binary", incoming, hasClose: true, clock });
  const unfollow = onAbort(signal, () => socket.destroy());
  // Proxies on the way close connections that are silent for long.
  const pings = repeat(clock, pingMs, () => void socket.ping().catch(() => {}));
  try {
    const status = await runClient(
      {
        error: connection.channel(error),
        stdin: stdin && connection.channel(channels.stdin),
        stdout: stdout && connection.channel(out),
        stderr: stderr && !tty ? connection.channel(err) : undefined,
        resize: tty ? connection.channel(channels.resize) : undefined,
      },
      command,
    );
    const { failure } = connection;
    if (status !== "" || !failure) return status;
    throw new Error(`error reading from error stream: next reader: ${failure.message}`);
  } finally {
    pings.cancel();
    unfollow();
    await connection.close();
    signal.throwIfAborted();
  }
}

const pingMs = 5000;
