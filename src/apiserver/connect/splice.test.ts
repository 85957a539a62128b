import { expect, test } from "vitest";
import type { ByteStream } from "../../base/network.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { splice } from "./splice.ts";

interface Side extends ByteStream {
  /** Lets the side say something, or end. */
  say(text: string | undefined): void;
  readonly heard: string[];
  readonly isEnded: boolean;
  readonly isGone: boolean;
}

function side(): Side {
  const said: (Uint8Array | undefined)[] = [];
  const heard: string[] = [];
  let wake = (): void => {};
  let [isEnded, isGone] = [false, false];
  return {
    heard,
    get isEnded() {
      return isEnded;
    },
    get isGone() {
      return isGone;
    },
    say(text) {
      said.push(text === undefined ? undefined : new TextEncoder().encode(text));
      wake();
    },
    async read() {
      while (said.length === 0) {
        if (isGone) throw new Error("gone");
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return said.shift();
    },
    write: async (bytes) => void heard.push(new TextDecoder().decode(bytes)),
    async end() {
      isEnded = true;
    },
    destroy() {
      isGone = true;
      wake();
    },
  };
}

const turns = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

test("splice: a client that has ended still receives the rest", async () => {
  const [client, server] = [side(), side()];
  const done = splice(client, server, { clock: new VirtualClock(0) });
  client.say("question");
  client.say(undefined);
  await turns();
  expect([server.heard, server.isEnded, client.isGone]).toEqual([["question"], true, false]);
  server.say("answer");
  server.say(undefined);
  await done;
  expect([client.heard, client.isEnded, client.isGone]).toEqual([["answer"], true, true]);
});

test("splice: a client that nothing more comes for has to end soon", async () => {
  const [client, server] = [side(), side()];
  const clock = new VirtualClock(0);
  const done = splice(client, server, { clock });
  server.say(undefined);
  await turns();
  await clock.advance(9_999);
  expect(client.isGone).toBe(false);
  await clock.advance(1);
  await done;
  expect([client.isGone, server.isGone]).toEqual([true, true]);
});

test("splice: when one side fails, the other is closed", async () => {
  const [client, server] = [side(), side()];
  const done = splice(client, server, { clock: new VirtualClock(0) });
  await turns();
  server.destroy();
  await done;
  expect(client.isGone).toBe(true);
});

test("splice: copies no more bytes in a second than it may, each way", async () => {
  const clock = new VirtualClock(0);
  const [client, server] = [side(), side()];
  const done = splice(client, server, { clock, bytesPerSecond: 10 });
  for (const text of ["12345", "67890", "abc"]) server.say(text);
  client.say("x");
  await clock.advance(0);
  expect([client.heard, server.heard]).toEqual([["12345"], ["x"]]);
  await clock.advance(499);
  expect(client.heard).toEqual(["12345"]);
  await clock.advance(1);
  expect(client.heard).toEqual(["12345", "67890"]);
  await clock.advance(500);
  expect(client.heard).toEqual(["12345", "67890", "abc"]);
  server.say(undefined);
  client.say(undefined);
  await clock.advance(1000);
  await done;
});
