import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { spawn as openTerminal } from "@lydell/node-pty";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith, requires } from "../requires.ts";
import type { Tour } from "./kubectl.test-support.ts";
import { openStreamingTour, running } from "./streaming-tour.test-support.ts";

const environment = (webSockets: string): Readonly<Record<string, string>> => ({
  KUBECTL_REMOTE_COMMAND_WEBSOCKETS: webSockets,
  KUBECTL_PORT_FORWARD_WEBSOCKETS: webSockets,
});

const bytes = randomBytes(5_000_000);
const digest = createHash("sha256").update(bytes).digest("hex");

for (const webSockets of ["true", "false"])
  describeWith(requires("kubectl"))(`kubectl streams, with WebSockets: ${webSockets}`, () => {
    let tour: Tour;
    let web: Server;

    beforeAll(async () => {
      tour = await openStreamingTour(environment(webSockets));
      writeFileSync(join(tour.dir, "big.bin"), bytes);
      writeFileSync(join(tour.dir, "in.txt"), "what is said\n");
      web = createServer((request, response) => {
        if (request.method === "GET") response.end(bytes);
        else request.pipe(response);
      });
      await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
    });
    afterAll(async () => {
      web.close();
      await tour.close();
    });

    test("output, errors and exit codes", async () => {
      expect(await tour.run("exec web -- sh -c 'echo out; echo err >&2; exit 5'")).toEqual({
        code: 5,
        printed: "out\nerr\ncommand terminated with exit code 5\n",
      });
      expect(await tour.run("exec web -- true")).toEqual({ code: 0, printed: "" });
      const missing = await tour.run("exec web -- /nothing");
      expect(missing.code).toBe(1);
      expect(missing.printed).toContain(
        "error executing command in container: spawn /nothing ENOENT",
      );
    });

    test("large input and output, byte for byte", async () => {
      const file = join(tour.dir, "big.bin");
      const sum = { code: 0, printed: `${digest}  -\n` };
      expect(await tour.run("exec -i web -- sha256sum < big.bin")).toEqual(sum);
      expect(await tour.run(`exec web -- cat ${file} | sha256sum`)).toEqual(sum);
      expect(await tour.run("exec -i web -- cat < big.bin | sha256sum")).toEqual(sum);
    });

    test("a command that does not read its input ends", async () => {
      const { code, printed } = await tour.run("exec -i web -- echo done < big.bin");
      // Through SPDY, kubectl may complain that it cannot send the rest.
      expect([code, printed.slice(0, 5)]).toEqual([0, "done\n"]);
    });

    test("attach prints the output of a container", async () => {
      const follower = tour.follow("attach web");
      expect(await follower.until(/line \d+\nline \d+/)).toContain("line");
      await follower.stop();
    });

    test("attach sends input, and ends with it", async () => {
      const line =
        'run said -i --rm --quiet --restart=Never --image busybox --overrides \'{"spec":{"nodeName":"node-1"}}\' --override-type strategic -- cat < in.txt';
      expect(await tour.run(line)).toEqual({ code: 0, printed: "what is said\n" });
    });

    test("cp copies in both directions", async () => {
      const inside = join(tour.dir, "inside");
      mkdirSync(inside);
      expect(await tour.run(`cp big.bin web:${inside}/copy.bin`)).toMatchObject({ code: 0 });
      expect(readFileSync(join(inside, "copy.bin")).equals(bytes)).toBe(true);
      expect(await tour.run(`cp web:${inside}/copy.bin back.bin`)).toMatchObject({ code: 0 });
      expect(readFileSync(join(tour.dir, "back.bin")).equals(bytes)).toBe(true);
    });

    test("a client that leaves ends its command", async () => {
      const follower = tour.follow("exec web -- sh -c 'echo started; exec sleep 1000'");
      await follower.until(/started/);
      expect(running.size).toBe(1);
      await follower.stop();
      await expect.poll(() => running.size).toBe(0);
    });

    test("a terminal passes on its size, its changes and what is typed", async () => {
      const terminal = openTerminal("kubectl", ["exec", "-it", "web", "--", "sizes"], {
        cols: 100,
        rows: 30,
        env: {
          ...environment(webSockets),
          PATH: process.env.PATH,
          HOME: tour.dir,
          KUBECONFIG: tour.server.kubeconfig,
        },
      });
      let printed = "";
      terminal.onData((text) => {
        printed += text;
      });
      const ended = new Promise<number>((resolve) => {
        terminal.onExit(({ exitCode }) => resolve(exitCode));
      });
      await expect.poll(() => printed).toContain("100x30\r\n");
      terminal.resize(120, 40);
      await expect.poll(() => printed).toContain("120x40\r\n");
      terminal.write("A");
      expect(await ended).toBe(65);
    });

    test("port-forward reaches a server", async () => {
      const { port } = web.address() as AddressInfo;
      const follower = tour.follow(`port-forward web :${port}`);
      const printed = await follower.until(/127\.0\.0\.1:\d+ -> \d+/);
      const [, local] = /127\.0\.0\.1:(\d+) ->/.exec(printed) ?? [];
      const address = `http://127.0.0.1:${local}/`;
      const got = await Promise.all(
        Array.from({ length: 4 }, async () => (await fetch(address)).arrayBuffer()),
      );
      for (const one of got) expect(bytes.equals(Buffer.from(one))).toBe(true);
      const sent = await fetch(address, { method: "POST", body: bytes });
      expect(bytes.equals(Buffer.from(await sent.arrayBuffer()))).toBe(true);
      await follower.stop();
    });
  });
