import { aborted } from "../../../base/on-abort.ts";
import type { Manager, Runnable } from "../../../controller-runtime/manager/manager-options.ts";
import { probeAnswer } from "../../../controller-runtime/manager/probe-answer.ts";
import { textServer } from "../../../platform/text-server.ts";

export interface ManagerProbesOptions {
  readonly port: number;
  /** The listen address: `0.0.0.0` in a pod; by default loopback only. */
  readonly address?: string | undefined;
  /** Called with the port once it is open. */
  readonly onListening?: ((port: number) => void) | undefined;
}

/**
 * Serves a manager's `/healthz`, `/readyz` and `/metrics` over HTTP, from before its caches are filled until
 * it has ended: `manager.add(managerProbes(manager, { port: 8081 }))`.
 */
export function managerProbes(manager: Manager, options: ManagerProbesOptions): Runnable {
  return {
    name: "probes",
    stage: "server",
    async run(signal) {
      const { port, address, onListening } = options;
      const answer = (path: string, query: URLSearchParams) => probeAnswer(manager, path, query);
      const server = await textServer({ port, address, answer });
      onListening?.(server.port);
      await aborted(signal);
      await server.close();
    },
  };
}
