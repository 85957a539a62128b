import { expect, test } from "vitest";
import { byteStreamPair } from "../../base/byte-stream-pair.ts";
import type { ByteStream } from "../../base/network.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { remoteCommand } from "./remote-command.ts";

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** A client's frame, masked with zeros. */
const frameOf = (text: string): Uint8Array => {
  const bytes = encoder.encode(text);
  return Uint8Array.of(0x82, 0x80 | bytes.length, 0, 0, 0, 0, ...bytes);
};

/** All messages received until the connection ends. */
async function messagesFrom(stream: ByteStream): Promise<string[]> {
  const messages: string[] = [];
  for (let bytes = await stream.read(); bytes; bytes = await stream.read())
    if (bytes[0] !== 0x88)
      messages.push(decoder.decode(bytes.subarray((bytes[1] ?? 0) < 126 ? 2 : 4)));
  return messages;
}

/** The messages that a client gets from a command that echoes its input and exits with a code. */
async function answered(protocol: string | undefined, code: number, said: string) {
  const response = remoteCommand(
    {
      method: "GET",
      headers: {
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-key": "a",
        "sec-websocket-version": "13",
        ...(protocol !== undefined && { "sec-websocket-protocol": protocol }),
      },
    },
    {
      verb: "exec",
      options: { stdin: true, stdout: true, stderr: false, tty: false },
      async run({ stdin, stdout }) {
        for await (const bytes of stdin ?? []) {
          await stdout?.(bytes);
          return code;
        }
        return 99;
      },
    },
    {
      clock: new VirtualClock(0),
      serveStreams: () => {
        throw new Error("there is no SPDY here");
      },
    },
  );
  if (!response.takeOver) return [response.status];
  const [client, server] = byteStreamPair();
  const done = response.takeOver(server);
  const messages = messagesFrom(client);
  await client.write(frameOf(said));
  const all = await messages;
  await client.end();
  await done;
  return [response.headers["sec-websocket-protocol"], ...all];
}

const success = '{"metadata":{},"status":"Success"}';

test.each<[string | undefined, string, unknown[]]>([
  ["v5.channel.k8s.io", "\0hi", ["v5.channel.k8s.io", "\x01", "\x01hi", `\x03${success}`]],
  ["v4.channel.k8s.io", "\0hi", ["v4.channel.k8s.io", "\x01", "\x01hi", `\x03${success}`]],
  [
    "v4.base64.channel.k8s.io",
    "0aGk=",
    ["v4.base64.channel.k8s.io", "1", "1aGk=", `3${btoa(success)}`],
  ],
  ["channel.k8s.io", "\0hi", ["channel.k8s.io", "\x01", "\x01hi"]],
  ["base64.channel.k8s.io", "0aGk=", ["base64.channel.k8s.io", "1", "1aGk="]],
  [undefined, "\0hi", [undefined, "\x01", "\x01hi"]],
  ["v9.channel.k8s.io, channel.k8s.io", "\0hi", ["channel.k8s.io", "\x01", "\x01hi"]],
  ["v9.channel.k8s.io", "", [403]],
])("runs a command with %s", async (protocol, said, expected) => {
  expect(await answered(protocol, 0, said)).toEqual(expected);
});

test("the first version reports a failure as text", async () => {
  expect((await answered("channel.k8s.io", 3, "\0hi")).at(-1)).toBe(
    "\x03command terminated with non-zero exit code: command terminated with exit code 3",
  );
});
