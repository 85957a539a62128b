import { expect, test } from "vitest";
import { byteStreamPair } from "../../base/byte-stream-pair.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { directClient, textFrom } from "./connection.test-support.ts";
import { remoteCommand } from "./remote-command.ts";
import type { RemoteCommand } from "./serve-command.ts";

const all = { stdin: true, stdout: true, stderr: true, tty: false };

function started(protocol: string, command: Partial<RemoteCommand> = {}) {
  const clock = new VirtualClock();
  const client = directClient();
  const run = async () => 3;
  const { takeOver } = remoteCommand(
    {
      method: "POST",
      headers: {
        connection: "Upgrade",
        upgrade: "SPDY/3.1",
        "x-stream-protocol-version": protocol,
      },
    },
    { verb: "exec", options: all, run, ...command },
    { clock, serveStreams: client.serveStreams },
  );
  const done = takeOver?.(byteStreamPair()[0]);
  const open = (streamtype: string) => client.open({ streamtype });
  return { clock, client, open, done };
}

test("SPDY commands: streams may come in any order, each once, and no others", async () => {
  const { open, done } = started("v4.channel.k8s.io");
  expect(open("resize")).toBe(undefined);
  expect(open("what")).toBe(undefined);
  const stderr = open("stderr");
  expect(open("stderr")).toBe(undefined);
  open("stdin");
  const stdout = open("stdout");
  const error = open("error");
  const texts = [stdout, stderr, error].map((one) => one && textFrom(one));
  expect(await Promise.all(texts)).toEqual([
    "",
    "",
    '{"metadata":{},"status":"Failure","message":"command terminated with non-zero exit code: command terminated with exit code 3","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"3"}]}}',
  ]);
  await done;
});

test.each([
  ["v4.channel.k8s.io", true],
  ["v3.channel.k8s.io", true],
  ["v2.channel.k8s.io", false],
  ["channel.k8s.io", false],
])("SPDY commands: a terminal is resized in %s: %s", async (protocol, hasResize) => {
  const options = { ...all, stderr: false, tty: true };
  const { open, done } = started(protocol, { options, run: async () => 0 });
  expect(open("resize") !== undefined).toBe(hasResize);
  const [, , error] = ["stdin", "stdout", "error"].map(open);
  const status = protocol.startsWith("v4") ? '{"metadata":{},"status":"Success"}' : "";
  expect(error && (await textFrom(error))).toBe(status);
  await done;
});

test("SPDY commands: before version 4 a failure is told as text", async () => {
  const { open, done } = started("v3.channel.k8s.io");
  const [error] = ["error", "stdin", "stdout", "stderr"].map(open);
  expect(error && (await textFrom(error))).toBe(
    "command terminated with non-zero exit code: command terminated with exit code 3",
  );
  await done;
});

test("SPDY commands: a client that does not open its streams is disconnected", async () => {
  const { open, done, clock, client } = started("v4.channel.k8s.io");
  open("error");
  await clock.advance(29_999);
  expect(client.isClosed).toBe(false);
  await clock.advance(1);
  await done;
  expect(client.isClosed).toBe(true);
});

test("SPDY commands: nothing runs for a client that disconnects early", async () => {
  let runs = 0;
  const run = async () => runs++;
  const { open, done, client } = started("v4.channel.k8s.io", { run });
  open("error");
  client.disconnect();
  await done;
  expect(runs).toBe(0);
});
