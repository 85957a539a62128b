import { lstat, rm } from "node:fs/promises";
import { connect, type Server } from "node:net";

/**
 * Listens at a path that only its owner may connect to. A socket there that nobody listens at any more, such as
 * after a kill, is replaced.
 */
export async function listenUnix(server: Server, path: string): Promise<void> {
  const fault = await tried(server, path);
  if (!fault) return;
  const isSocket = fault.code === "EADDRINUSE" && (await lstat(path)).isSocket();
  if (!isSocket || (await isAnswered(path))) throw fault;
  await rm(path, { force: true });
  const again = await tried(server, path);
  if (again) throw again;
}

function tried(server: Server, path: string): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const failed = (error: Error): void => resolve(error);
    server.once("error", failed);
    // The socket is created within the call.
    const before = process.umask(0o177);
    try {
      server.listen(path, () => {
        server.off("error", failed);
        resolve(undefined);
      });
    } finally {
      process.umask(before);
    }
  });
}

/** Whether somebody listens at a path. */
const isAnswered = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", ({ code }: NodeJS.ErrnoException) =>
      resolve(code !== "ECONNREFUSED" && code !== "ENOENT"),
    );
  });
