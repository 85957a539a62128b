import { createServer, type Server, type Socket } from "node:net";
import { hostPort } from "../../../../base/network.ts";
import type { Output } from "../../../program/io.ts";
import type { ForwardedPort, ListenAddress } from "./forwarded-port.ts";

export interface LocalListeners {
  close(): void;
}

interface ListenOptions {
  readonly addresses: readonly ListenAddress[];
  readonly ports: readonly ForwardedPort[];
  readonly stdout: Output;
  readonly stderr: Output;
  /** Takes a connection to one of the ports. */
  serve(socket: Socket, port: ForwardedPort): void;
}

/** Listens at all ports and addresses, and says so; throws if no port can be listened at. */
export async function listenLocally(options: ListenOptions): Promise<LocalListeners> {
  const { ports, stderr } = options;
  const servers: Server[] = [];
  const asTried: ForwardedPort[] = [];
  let works = false;
  for (const port of ports) {
    const tried = await listenAt(port, options, servers);
    asTried.push(tried.port);
    if (tried.failure === undefined) works = true;
    else stderr.write(`Unable to listen on port ${tried.port.local}: ${tried.failure}\n`);
  }
  const close = (): void => {
    for (const server of servers) server.close();
  };
  if (works) return { close };
  close();
  const list = asTried.map(({ local, remote }) => `{${local} ${remote}}`).join(" ");
  throw new Error(`unable to listen on any of the requested ports: [${list}]`);
}

interface Tried {
  /** A free port that was chosen for the first address is used for the others, too. */
  readonly port: ForwardedPort;
  readonly failure?: string;
}

async function listenAt(
  wanted: ForwardedPort,
  { addresses, stdout, serve }: ListenOptions,
  servers: Server[],
): Promise<Tried> {
  let port = wanted;
  const failures: string[] = [];
  let hasWorked = false;
  let hasFailed = false;
  for (const address of addresses) {
    try {
      const server = await openServer(address, port.local, (socket) => serve(socket, port));
      servers.push(server);
      const { port: local } = server.address() as { readonly port: number };
      port = { ...port, local };
      stdout.write(`Forwarding from ${hostPort(address.address, local)} -> ${port.remote}\n`);
      if (address.isOptional) hasWorked = true;
    } catch (error) {
      failures.push(`unable to create listener: Error ${(error as Error).message}`);
      if (!address.isOptional) hasFailed = true;
    }
  }
  const needed = addresses.some(({ isOptional }) => isOptional) && !hasWorked;
  if (!hasFailed && !needed) return { port };
  const failure = `Listeners failed to create with the following errors: [${failures.join(" ")}]`;
  return { port, failure };
}

function openServer(
  { address, protocol }: ListenAddress,
  port: number,
  serve: (socket: Socket) => void,
): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, serve);
    server.once("error", (error: NodeJS.ErrnoException) => {
      const why = bindFaults[error.code ?? ""] ?? error.message;
      const at = hostPort(address, port);
      reject(new Error(`listen ${protocol} ${at}: bind: ${why}`, { cause: error }));
    });
    server.listen({ host: address, port, ipv6Only: protocol === "tcp6" }, () => resolve(server));
  });
}

const bindFaults: Readonly<Record<string, string>> = {
  EADDRINUSE: "address already in use",
  EACCES: "permission denied",
  EADDRNOTAVAIL: "cannot assign requested address",
  EAFNOSUPPORT: "address family not supported by protocol",
};
