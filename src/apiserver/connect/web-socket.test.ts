import { expect, test } from "vitest";
import type { ByteStream } from "../../base/network.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { WebSocket } from "./web-socket.ts";

/** A client that takes so many frames, then no more; it says nothing. */
function slow(frames: number): ByteStream & { readonly taken: Uint8Array[]; isGone: boolean } {
  const taken: Uint8Array[] = [];
  const never = new Promise<never>(() => {});
  return {
    taken,
    isGone: false,
    read: () => never,
    write(bytes) {
      if (taken.length === frames) return never;
      taken.push(bytes);
      return Promise.resolve();
    },
    end: async () => {},
    destroy() {
      this.isGone = true;
    },
  };
}

const turns = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

test("WebSocket: messages are sent one after the other, as text or bytes", async () => {
  const client = slow(9);
  const socket = new WebSocket(client, { clock: new VirtualClock(0) });
  await Promise.all([socket.send(Uint8Array.of(1), false), socket.send(Uint8Array.of(65), true)]);
  await socket.close();
  expect(client.taken.map((frame) => [...frame])).toEqual([
    [0x82, 1, 1],
    [0x81, 1, 65],
    [0x88, 2, 3, 232],
  ]);
  expect(client.isGone).toBe(true);
});

test("WebSocket: a client that does not read for too long is disconnected", async () => {
  const client = slow(0);
  const clock = new VirtualClock(0);
  const socket = new WebSocket(client, { clock, message: 60_000 });
  void socket.send(Uint8Array.of(1), false);
  await turns();
  await clock.advance(59_999);
  expect(client.isGone).toBe(false);
  await clock.advance(1);
  expect(client.isGone).toBe(true);
});

test("WebSocket: a close frame that the client does not read does not delay closing", async () => {
  const client = slow(0);
  const clock = new VirtualClock(0);
  const closing = new WebSocket(client, { clock }).close();
  await turns();
  await clock.advance(10_000);
  await closing;
  expect(client.isGone).toBe(true);
});
