import { createServer, type Server } from "node:http";
import type { Log } from "../../base/log.ts";

/** What load balancers learn of a service at its health check port. */
export interface HealthCheck {
  readonly port: number;
  /** The number of ready endpoints on this node. */
  readonly localReady: number;
}

export interface HealthCheckPortsOptions {
  /** Whether the rules of this node follow the API. */
  readonly isHealthy: () => boolean;
  /** The addresses to listen at; all if empty. */
  readonly addresses: () => readonly string[];
  /** Called when a port cannot be opened. */
  readonly failed: (service: string, port: number, error: unknown) => void;
  readonly log: Log;
}

/** Serves the health check ports of services with external traffic policy Local. */
export class HealthCheckPorts {
  readonly #options: HealthCheckPortsOptions;
  readonly #open = new Map<string, OpenCheck>();

  constructor(options: HealthCheckPortsOptions) {
    this.#options = options;
  }

  /** Makes the check of a service what it should be. */
  async set(service: string, check: HealthCheck | undefined): Promise<void> {
    const before = this.#open.get(service);
    if (before && before.check.port === check?.port) {
      before.check = check;
      return;
    }
    if (before) await close(before);
    this.#open.delete(service);
    if (!check) return;
    const opened: OpenCheck = { check, servers: [] };
    const { addresses, failed } = this.#options;
    const own = addresses();
    try {
      for (const address of own.length > 0 ? own : [undefined])
        opened.servers.push(await this.#listen(service, opened, address));
      this.#open.set(service, opened);
    } catch (error) {
      await close(opened);
      failed(service, check.port, error);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map(close));
    this.#open.clear();
  }

  #listen(service: string, opened: OpenCheck, address: string | undefined): Promise<Server> {
    const server = createServer((_, response) => {
      const { localReady } = opened.check;
      const isHealthy = this.#options.isHealthy();
      response.writeHead(localReady > 0 && isHealthy ? 200 : 503, {
        "Content-Type": "application/json",
        "X-Content-Type-Options": "nosniff",
        "X-Load-Balancing-Endpoint-Weight": String(localReady),
      });
      response.end(healthCheckText(service, localReady, isHealthy));
    });
    return new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen(
        { port: opened.check.port, ...(address !== undefined && { host: address }) },
        () => {
          server
            .off("error", reject)
            .on("error", (error) =>
              this.#options.log.error("serving a health check port failed", error, { service }),
            );
          resolve(server.unref());
        },
      );
    });
  }
}

interface OpenCheck {
  check: HealthCheck;
  readonly servers: Server[];
}

const close = async ({ servers }: OpenCheck): Promise<void> => {
  await Promise.all(
    servers.map(
      (server) =>
        new Promise<void>((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        }),
    ),
  );
};

function healthCheckText(service: string, localReady: number, isHealthy: boolean): string {
  const [namespace = "", name = ""] = service.split("/");
  return [
    "{",
    '\t"service": {',
    `\t\t"namespace": ${JSON.stringify(namespace)},`,
    `\t\t"name": ${JSON.stringify(name)}`,
    "\t},",
    `\t"localEndpoints": ${localReady},`,
    `\t"serviceProxyHealthy": ${isHealthy}`,
    "}",
  ].join("\n");
}
