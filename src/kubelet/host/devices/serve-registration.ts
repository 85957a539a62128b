import { lstat, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isExtendedResource } from "../../../api/core/v1/resource-name.ts";
import { unaryHandler } from "../../../platform/grpc/grpc-server.ts";
import { serveGrpcSocket } from "../../../platform/grpc/serve-grpc-socket.ts";
import { quote } from "../../../schema/values/quote.ts";
import { deviceApiVersion, registerMethod } from "./device-service.ts";

export interface RegistrationOptions {
  /** The folder of the sockets of device plugins. */
  readonly folder: string;
  readonly register: (resource: string, socket: string) => Promise<void>;
}

/**
 * Serves the registration of device plugins. Sockets of before are removed: plugins watch the folder, and register
 * again when that of the kubelet is created anew.
 */
export async function serveRegistration({
  folder,
  register,
}: RegistrationOptions): Promise<{ close(): Promise<void> }> {
  await mkdir(folder, { recursive: true, mode: 0o750 });
  await removeSockets(folder);
  return serveGrpcSocket(join(folder, "kubelet.sock"), [
    unaryHandler(registerMethod, async ({ version, resource_name: resource, endpoint }) => {
      if (version !== deviceApiVersion)
        throw new Error(
          `requested API version ${quote(version)} is not supported by kubelet. Supported version is [${quote(deviceApiVersion)}]`,
        );
      const problem = resourceProblem(resource);
      if (problem !== undefined) throw new Error(problem);
      await register(resource, join(folder, endpoint));
      return {};
    }),
  ]);
}

/** Why a plugin cannot provide a resource; undefined if it can. */
export const resourceProblem = (resource: string): string | undefined =>
  isExtendedResource(resource) ? undefined : `the ResourceName ${quote(resource)} is invalid`;

async function removeSockets(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if ((await lstat(path)).isSocket()) await rm(path, { force: true });
  }
}
