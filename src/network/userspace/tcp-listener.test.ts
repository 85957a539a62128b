import { once } from "node:events";
import { connect, createServer } from "node:net";
import { buffer } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { SeededRandom } from "../../base/random.ts";
import { connectDirectly } from "./backend-connections.ts";
import type { Backend } from "./forwarded-ports.ts";
import { listenTcp } from "./tcp-listener.ts";

test("listenTcp: a client whose backend refuses gets to another one, with what it has sent already", async () => {
  const refusing = createServer().listen(0, "127.0.0.1");
  await once(refusing, "listening");
  const backendOf = (server: typeof refusing): Backend => ({
    ...{ address: "127.0.0.1", port: (server.address() as { port: number }).port },
  });
  const gone = backendOf(refusing);
  refusing.close();
  const serving = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
  serving.listen(0, "127.0.0.1");
  onTestFinished(() => void serving.close());
  await once(serving, "listening");
  const failures: unknown[] = [];
  const listener = await listenTcp(0, {
    backends: () => [gone, backendOf(serving)],
    ...{ random: new SeededRandom(1), connect: connectDirectly },
    failed: (error) => failures.push(error),
  });
  onTestFinished(() => listener.close());
  for (let i = 0; i < 20; i++) {
    const client = connect({ port: listener.port, host: "127.0.0.1", allowHalfOpen: true });
    client.end(`hello ${i}`);
    expect(String(await buffer(client))).toBe(`hello ${i}`);
  }
  expect(failures).toEqual([]);
});
