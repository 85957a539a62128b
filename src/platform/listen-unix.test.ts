import { mkdtemp, rename, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listenUnix } from "./listen-unix.ts";

let folder: string;
let path: string;
const servers: Server[] = [];
const listening = async (): Promise<Server> => {
  const server = createServer((socket) => socket.end());
  await listenUnix(server, path);
  servers.push(server);
  return server;
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "listen-unix-"));
  path = join(folder, "s");
});
afterEach(async () => {
  for (const server of servers.splice(0))
    await new Promise((resolve) => server.close(() => resolve(undefined)));
  await rm(folder, { recursive: true });
});

test("listenUnix: only the owner may connect", async () => {
  await listening();
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("listenUnix: a socket that is in use is kept", async () => {
  await listening();
  await expect(listening()).rejects.toMatchObject({ code: "EADDRINUSE" });
});

test("listenUnix: a socket that nobody listens at is replaced", async () => {
  const first = await listening();
  // Closing removes the socket from its path, as a kill does not.
  await rename(path, `${path}.old`);
  await new Promise((resolve) => first.close(() => resolve(undefined)));
  await rename(`${path}.old`, path);
  servers.splice(0);
  await listening();
  expect((await stat(path)).isSocket()).toBe(true);
});

test("listenUnix: a file that is no socket is replaced by nobody", async () => {
  await writeFile(path, "mine");
  await expect(listening()).rejects.toMatchObject({ code: "EADDRINUSE" });
});
