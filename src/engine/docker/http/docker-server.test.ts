import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { noLog } from "../../../base/log.ts";
import { badRequest } from "./docker-error.ts";
import { type DockerRoute, route } from "./docker-route.ts";
import { type DockerServer, listenDocker } from "./docker-server.ts";

const routes: readonly DockerRoute[] = [
  route("GET /bad", () => {
    throw badRequest("no");
  }),
  route("POST /echo", async ({ json }) => ({ status: 201, json: await json() })),
  route("GET /stream", () => ({
    status: 200,
    stream: async (output) => {
      await output.write("a");
      await output.write("b");
    },
  })),
  route("POST /output", () => ({ status: 200, hijack: ({ write }) => write("out") })),
  route("POST /hijack", async ({ json }) => {
    const body = await json();
    return {
      status: 101,
      headers: { "Content-Type": "application/vnd.docker.raw-stream" },
      hijack: async ({ input, write }) => {
        await write(`${JSON.stringify(body)}:`);
        for await (const bytes of input) await write(bytes);
        await write("end");
      },
    };
  }),
];

describe("listenDocker", () => {
  let folder = "";
  let socketPath = "";
  let server: DockerServer;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "wherry-docker-"));
    socketPath = join(folder, "docker.sock");
    server = await listen();
  });
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  const listen = (path = socketPath, group?: number): Promise<DockerServer> =>
    listenDocker({ listen: { path }, group, routes, headers: { "X-All": "1" }, log: noLog });

  const call = (
    method: string,
    path: string,
    body?: { readonly text: string; readonly type: string },
  ): Promise<{ readonly status: number | undefined; readonly text: string }> =>
    new Promise((resolve, reject) => {
      const headers = body ? { "content-type": body.type } : {};
      const sent = request({ socketPath, method, path, headers }, (response) => {
        let text = "";
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () => resolve({ status: response.statusCode, text }));
      });
      sent.on("error", reject);
      sent.end(body?.text);
    });

  test("only the owner may connect, and a group that is given", async () => {
    expect((await stat(socketPath)).mode & 0o777).toBe(0o600);
    const path = join(folder, "group.sock");
    const group = process.getuid?.() === 0 ? 4321 : process.getgid?.();
    const other = await listen(path, group);
    const { mode, uid, gid } = await stat(path);
    expect([mode & 0o777, uid, gid]).toEqual([0o660, process.getuid?.(), group]);
    await other.close();
  });

  test("a file that is not a socket is not replaced", async () => {
    const path = join(folder, "file");
    await writeFile(path, "mine");
    await expect(listen(path)).rejects.toThrow("is in use by another process");
    expect(await readFile(path, "utf8")).toBe("mine");
  });

  test("errors are JSON", async () => {
    expect(await call("GET", "/v1.40/bad")).toEqual({ status: 400, text: '{"message":"no"}\n' });
    expect(await call("GET", "/x")).toEqual({
      status: 404,
      text: '{"message":"page not found"}\n',
    });
  });

  test("bodies must be JSON of a bounded size", async () => {
    const json = { text: '{"a":1}', type: "application/json" };
    expect(await call("POST", "/echo", json)).toEqual({ status: 201, text: '{"a":1}\n' });
    expect((await call("POST", "/echo", { ...json, type: "text/plain" })).text).toContain(
      "unsupported Content-Type header (text/plain): must be 'application/json'",
    );
    expect((await call("POST", "/echo", { ...json, text: "{" })).text).toContain("invalid JSON: ");
    expect((await call("POST", "/echo", { ...json, text: " ".repeat(5_000_000) })).status).toBe(
      413,
    );
  });

  test("streams have no length", async () => {
    expect(await call("GET", "/stream")).toEqual({ status: 200, text: "ab" });
  });

  test("a hijacked connection has a body, input until it ends, and output after that", async () => {
    const socket = connect({ path: socketPath, allowHalfOpen: true });
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    const head = "POST /hijack HTTP/1.1\r\nHost: d\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n";
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}in`);
    socket.end("put");
    await new Promise((resolve) => socket.once("end", resolve));
    expect(text.replaceAll("\r\n", "|")).toBe(
      'HTTP/1.1 101 UPGRADED|X-All: 1|Content-Type: application/vnd.docker.raw-stream|Connection: Upgrade|Upgrade: tcp||{"a":1}:inputend',
    );
  });

  test("a connection is taken over without an upgrade, too", async () => {
    const socket = connect({ path: socketPath });
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.write("POST /output HTTP/1.1\r\nHost: d\r\nContent-Length: 0\r\n\r\n");
    await new Promise((resolve) => socket.once("end", resolve));
    expect(text).toBe("HTTP/1.1 200 OK\r\nX-All: 1\r\n\r\nout");
  });

  test("an error of an upgrade request is a plain response", async () => {
    const socket = connect({ path: socketPath });
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.write("GET /bad HTTP/1.1\r\nHost: d\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n");
    await new Promise((resolve) => socket.once("end", resolve));
    expect(text).toContain("HTTP/1.1 400 Bad Request\r\n");
    expect(text).toContain('{"message":"no"}');
  });

  test("a served socket is not taken over", async () => {
    await expect(listen()).rejects.toThrow("is in use by another process");
  });
});
