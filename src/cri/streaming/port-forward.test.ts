import { expect, test } from "vitest";
import { byteStreamPair } from "../../base/byte-stream-pair.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { directClient, textFrom } from "./connection.test-support.ts";
import { portForward } from "./port-forward.ts";

function started() {
  const clock = new VirtualClock();
  const client = directClient();
  const { takeOver } = portForward(
    {
      method: "POST",
      headers: {
        connection: "Upgrade",
        upgrade: "SPDY/3.1",
        "x-stream-protocol-version": "portforward.k8s.io",
      },
    },
    {
      name: "web",
      uid: "u1",
      ports: [],
      async forward(port, { input, output }) {
        if (port === 80) throw new Error("connection refused");
        await output(new TextEncoder().encode(`${port}:`));
        for await (const bytes of input) await output(bytes);
      },
    },
    { clock, serveStreams: client.serveStreams },
  );
  const done = takeOver?.(byteStreamPair()[0]);
  return { clock, client, done };
}

test.each([
  [{ streamtype: "data" }],
  [{ streamtype: "data", port: "" }],
  [{ streamtype: "data", port: "0" }],
  [{ streamtype: "data", port: "65536" }],
  [{ streamtype: "data", port: "http" }],
  [{ port: "80" }],
  [{ streamtype: "stdin", port: "80" }],
])("portForward: a stream is refused: %j", async (headers) => {
  const { client, done } = started();
  expect(client.open(headers)).toBe(undefined);
  client.disconnect();
  await done;
});

test("portForward: pairs are found by the request's ID, in any order", async () => {
  const { client, done } = started();
  const open = (streamtype: string, requestid: string, port: string) =>
    client.open({ streamtype, requestid, port });
  const second = open("data", "2", "8002");
  const first = open("data", "1", "8001");
  const errors = [open("error", "1", "8001"), open("error", "2", "8002")];
  const texts = [first, second].map(async (stream, i) => {
    if (!stream) return undefined;
    const text = textFrom(stream);
    await stream.write(new TextEncoder().encode(`hello ${i}`));
    await stream.end();
    return text;
  });
  expect(await Promise.all(texts)).toEqual(["8001:hello 0", "8002:hello 1"]);
  expect(await Promise.all(errors.map((one) => one && textFrom(one)))).toEqual(["", ""]);
  client.disconnect();
  await done;
});

test("portForward: old clients name no request, and open the error stream first", async () => {
  const { client, done } = started();
  client.open({ streamtype: "error", port: "8001" });
  const data = client.open({ streamtype: "data", port: "8001" });
  await data?.end();
  expect(data && (await textFrom(data))).toBe("8001:");
  client.disconnect();
  await done;
});

test("portForward: a failure is told on the error stream", async () => {
  const { client, done } = started();
  const error = client.open({ streamtype: "error", port: "80", requestid: "1" });
  const data = client.open({ streamtype: "data", port: "80", requestid: "1" });
  expect(error && (await textFrom(error))).toBe(
    "error forwarding port 80 to pod web, uid u1: connection refused",
  );
  expect(data && (await textFrom(data))).toBe("");
  client.disconnect();
  await done;
});

test("portForward: a stream that comes twice is told on the error stream", async () => {
  const { client, done } = started();
  const headers = { streamtype: "error", port: "81", requestid: "1" };
  const error = client.open(headers);
  client.open(headers);
  expect(new TextDecoder().decode(await error?.read())).toBe(
    "error processing stream for request 1: error stream already assigned",
  );
  client.disconnect();
  await done;
});

test("portForward: a stream that stays alone is given up", async () => {
  const { client, clock, done } = started();
  const error = client.open({ streamtype: "error", port: "81", requestid: "1" });
  const text = error && textFrom(error);
  await clock.advance(30_000);
  expect(await text).toBe("(request=1) timed out waiting for streams");
  client.disconnect();
  await done;
});
