import { expect, test } from "vitest";
import { byteStreamPair } from "../../base/byte-stream-pair.ts";
import { MessageSocket } from "../../base/http/message-socket.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { ChannelSocket, type ChannelSocketOptions } from "./channel-socket.ts";

const encoder = new TextEncoder();

function connected(options: Partial<ChannelSocketOptions> = {}) {
  const [near, far] = byteStreamPair();
  const client = new MessageSocket(near, Uint8Array.of(1, 2, 3, 4));
  const clock = new VirtualClock();
  const server = new ChannelSocket(new MessageSocket(far), {
    form: "binary",
    incoming: [0, 4],
    hasClose: false,
    clock,
    ...options,
  });
  return { client, server, clock };
}

const read = async (socket: ChannelSocket, channel: number): Promise<string | undefined> => {
  const bytes = await socket.channel(channel).read();
  return bytes && new TextDecoder().decode(bytes);
};

test("ChannelSocket: messages go to their channel, and unknown channels are ignored", async () => {
  const { client, server } = connected();
  for (const message of ["\0a", "\x04b", "\x09c", "", "\0", "\0d"])
    await client.send(encoder.encode(message));
  expect([await read(server, 0), await read(server, 4), await read(server, 0)]).toEqual([
    "a",
    "b",
    "d",
  ]);
  await client.close();
  expect([await read(server, 0), server.signal.aborted]).toEqual([undefined, true]);
});

test("ChannelSocket: channels beyond nine have a character in base64", async () => {
  const { client, server } = connected({ form: "base64", incoming: [12] });
  await client.send(encoder.encode("<aGk="), true);
  expect(await read(server, 12)).toBe("hi");
  const sending = server.channel(13).write(encoder.encode("hi"));
  expect(new TextDecoder().decode(await client.receive())).toBe("=aGk=");
  await sending;
});

test("ChannelSocket: only version 5 closes single channels", async () => {
  const { client, server } = connected({ hasClose: true });
  await client.send(Uint8Array.of(255, 0));
  expect(await read(server, 0)).toBe(undefined);
  await client.send(encoder.encode("\x04still open"));
  expect(await read(server, 4)).toBe("still open");
  const older = connected({ incoming: [0, 255] });
  await older.client.send(Uint8Array.of(255, 65));
  expect(await read(older.server, 255)).toBe("A");
});

test("ChannelSocket: a client waits when its channel is not read", async () => {
  const { client, server } = connected();
  let sent = 0;
  const sending = (async () => {
    for (; sent < 40; sent++) await client.send(new Uint8Array(100_001));
  })();
  await expect.poll(() => sent).toBeGreaterThan(9);
  expect(sent).toBeLessThan(15);
  for (let size = 0; size < 4_000_000; ) size += (await server.channel(0).read())?.length ?? 0;
  await sending;
});

test("ChannelSocket: a client that leaves is noticed while its input is not read", async () => {
  const { client, server, clock } = connected();
  const sending = (async () => {
    for (;;) await client.send(new Uint8Array(100_001));
  })();
  sending.catch(() => {});
  await new Promise((resolve) => void setImmediate(resolve));
  client.destroy();
  await clock.advance(9_999);
  expect(server.signal.aborted).toBe(false);
  await clock.advance(1);
  expect(server.signal.aborted).toBe(true);
});

test("ChannelSocket: a client that does not close is disconnected", async () => {
  const { client, server, clock } = connected();
  const closing = server.close();
  expect(await client.receive()).toBe(undefined);
  await clock.advance(10_000);
  await closing;
  await expect(client.send(new Uint8Array(1))).rejects.toThrow("the connection is closed");
});

test("ChannelSocket: a message that is not masked ends the connection", async () => {
  const [near, far] = byteStreamPair();
  const server = new ChannelSocket(new MessageSocket(far), {
    form: "binary",
    incoming: [0],
    hasClose: false,
    clock: new VirtualClock(),
  });
  await near.write(Uint8Array.of(0x82, 2, 0, 65)).catch(() => {});
  expect([await read(server, 0), server.signal.aborted]).toEqual([undefined, true]);
});
