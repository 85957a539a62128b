import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import {
  createGrpcServer,
  type GrpcHandler,
  unaryHandler,
} from "../../../platform/grpc/grpc-server.ts";
import { registrationMethods } from "./registration-service.ts";

/** A folder that is removed when the test ends. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "wherry-plugins-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Serves gRPC at a socket until the test ends; a server that is closed removes its socket. */
export async function serveSocket(
  path: string,
  handlers: readonly GrpcHandler[],
): Promise<{ close(): Promise<void> }> {
  const server = createGrpcServer({ handlers, maxMessageBytes: 4 * 1024 * 1024 });
  const sessions = new Set<{ destroy(): void }>();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= new Promise((resolve) => {
      for (const session of sessions) session.destroy();
      server.close(() => resolve());
    });
    return closed;
  };
  onTestFinished(close);
  return { close };
}

interface Introduction {
  readonly type: string;
  readonly name: string;
  readonly endpoint?: string;
  readonly versions?: readonly string[];
}

/** The methods by which a plugin registers; each outcome is added to a list: an error, or "" for success. */
export const registrationHandlers = (
  { type, name, endpoint = "", versions = ["v1"] }: Introduction,
  outcomes: string[],
): readonly GrpcHandler[] => [
  unaryHandler(registrationMethods.getInfo, async () => ({
    ...{ type, name, endpoint, supported_versions: versions },
  })),
  unaryHandler(registrationMethods.notifyRegistrationStatus, async (status) => {
    outcomes.push(status.plugin_registered ? "" : status.error);
    return {};
  }),
];
