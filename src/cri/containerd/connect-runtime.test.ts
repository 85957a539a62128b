import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { aborted } from "../../base/on-abort.ts";
import { unaryHandler } from "../../platform/grpc/grpc-server.ts";
import { serveGrpcSocket } from "../../platform/grpc/serve-grpc-socket.ts";
import { runtimeMethods as methods } from "../wire/messages/runtime-methods.ts";
import { connectRuntime } from "./connect-runtime.ts";

test("connectRuntime: a runtime that does not respond in time fails the call", async () => {
  const folder = mkdtempSync(join(tmpdir(), "wherry-runtime-"));
  const path = join(folder, "runtime.sock");
  const silent = unaryHandler(methods.listContainers, async (_, { signal }) => {
    await aborted(signal);
    return {};
  });
  const server = await serveGrpcSocket(path, [silent]);
  const connection = connectRuntime({ endpoint: `unix://${path}`, timeoutMs: 50 });
  onTestFinished(async () => {
    connection.close();
    await server.close();
    rmSync(folder, { recursive: true });
  });
  await expect(connection.runtime.listContainers({})).rejects.toThrow(
    "rpc error: code = DeadlineExceeded desc = context deadline exceeded",
  );
});
