import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { Attach, Exec, KubeConfig, PortForward, type V1Status } from "@kubernetes/client-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Tour } from "../kubectl/kubectl.test-support.ts";
import { openStreamingTour } from "../kubectl/streaming-tour.test-support.ts";
import { describeWith, requires } from "../requires.ts";

describeWith(requires("kubectl"))("the JavaScript client streams", () => {
  let tour: Tour;
  let web: Server;
  const config = new KubeConfig();
  beforeAll(async () => {
    tour = await openStreamingTour();
    config.loadFromFile(tour.server.kubeconfig);
    web = createServer((_, response) => response.end("hello from the pod"));
    await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
  });
  afterAll(async () => {
    web.close();
    await tour.close();
  });

  async function exec(command: string[], input?: string) {
    const stdout = new PassThrough();
    const stderr = new PassThrough();
    const printed = Promise.all([text(stdout), text(stderr)]);
    const stdin = input === undefined ? null : Readable.from([Buffer.from(input)]);
    const status = await new Promise<V1Status>((resolve, reject) => {
      new Exec(config)
        .exec("default", "web", "web", command, stdout, stderr, stdin, false, resolve)
        .catch(reject);
    });
    return { status, printed: await printed };
  }

  test("exec", async () => {
    expect(await exec(["sh", "-c", "echo out; echo err >&2; exit 5"])).toEqual({
      status: expect.objectContaining({
        status: "Failure",
        reason: "NonZeroExitCode",
        details: { causes: [{ reason: "ExitCode", message: "5" }] },
      }),
      printed: ["out\n", "err\n"],
    });
    expect(await exec(["wc", "-c"], "0123456789".repeat(10_000))).toEqual({
      status: { metadata: {}, status: "Success" },
      printed: ["100000\n", ""],
    });
  });

  test("attach", async () => {
    const socket = await new Attach(config).attach(
      "default",
      "web",
      "web",
      new PassThrough(),
      null,
      null,
      false,
    );
    expect(socket.protocol).toBe("v5.channel.k8s.io");
    socket.close();
  });

  test("port-forward", async () => {
    const { port } = web.address() as AddressInfo;
    const output = new PassThrough();
    const socket = await new PortForward(config).portForward(
      "default",
      "web",
      [port],
      output,
      null,
      Readable.from([Buffer.from("GET / HTTP/1.1\r\nHost: web\r\nConnection: close\r\n\r\n")]).pipe(
        new PassThrough(),
        { end: false },
      ),
    );
    let received = "";
    output.on("data", (chunk) => {
      received += chunk;
    });
    await expect.poll(() => received).toContain("hello from the pod");
    if (typeof socket !== "function") socket.close();
  });
});
