import { createServer } from "node:net";
import type { PublishedPort } from "../create/docker-details.ts";
import { DockerError } from "../http/docker-error.ts";
import type { PortRequest } from "./port-requests.ts";

/** Chooses a port of the host for each request: one that no container has and nothing listens on. */
export async function chooseHostPorts(
  requests: readonly PortRequest[],
  published: readonly { readonly protocol: string; readonly hostPort: number }[],
): Promise<Readonly<Record<string, readonly PublishedPort[]>>> {
  const taken = new Set(published.map(({ protocol, hostPort }) => `${protocol} ${hostPort}`));
  const chosen: Record<string, PublishedPort[]> = {};
  for (const request of requests) {
    const hostPort = await choose(request, taken);
    taken.add(`${request.protocol} ${hostPort}`);
    const key = `${request.port}/${request.protocol}`;
    chosen[key] = [...(chosen[key] ?? []), { hostIp: request.hostIp || "0.0.0.0", hostPort }];
  }
  return chosen;
}

async function choose(request: PortRequest, taken: ReadonlySet<string>): Promise<number> {
  const { first, last, protocol, hostIp } = request;
  const address = hostIp || "0.0.0.0";
  if (first === 0) return (await probe(0, address)) ?? fail(address, 0, "no free port");
  for (let port = first; port <= last; port++) {
    if (taken.has(`${protocol} ${port}`)) continue;
    if (protocol !== "tcp" || (await probe(port, address)) !== undefined) return port;
  }
  if (taken.has(`${protocol} ${first}`)) fail(address, first, "port is already allocated");
  return fail(address, first, "address already in use");
}

function fail(address: string, port: number, reason: string): never {
  throw new DockerError(500, `Bind for ${address}:${port} failed: ${reason}`);
}

/** Listens on a port for a moment: undefined if that is not possible, otherwise its number. */
function probe(port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      server.close(() =>
        resolve(typeof address === "object" && address !== null ? address.port : undefined),
      );
    });
  });
}
