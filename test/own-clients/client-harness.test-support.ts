import { pki } from "../../src/apiserver/http/clients.test-support.ts";
import { listen } from "../../src/apiserver/http/listen.ts";
import { admin, openServer } from "../../src/apiserver/in-process.test-support.ts";
import type { ApiRequest, ApiResponse } from "../../src/apiserver/request/request.ts";
import { noLog } from "../../src/base/log.ts";
import { VirtualClock } from "../../src/base/virtual-clock.ts";
import { createClient } from "../../src/client/client.ts";
import type { ClientHarness } from "../../src/client/suite/client-suite.ts";
import type { Transport } from "../../src/client/transport.ts";
import { inProcessTransport } from "../../src/cluster/in-process/in-process-transport.ts";
import { fixedCredentials } from "../../src/kubeconfig/credentials.ts";
import {
  type HttpsTransportOptions,
  httpsTransport,
} from "../../src/kubeconfig/https-transport.ts";

export type Handle = (request: ApiRequest) => Promise<ApiResponse>;

/** Makes a transport to a server, and what ends it. */
export type Connect = (
  handle: Handle,
) => Promise<{ readonly transport: Transport; close(): Promise<void> }>;

/** A server of this process for the suite of clients, behind a transport. */
export async function clientHarness(connect: Connect): Promise<ClientHarness> {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const server = await openServer(clock);
  let answer: Parameters<ClientHarness["intercept"]>[0] = () => undefined;
  const handle: Handle = async (request) => {
    const intercepted = answer(request);
    if (!intercepted) return server.handle(request);
    const { status, headers, text } = intercepted;
    return { status, headers: { "content-type": "text/plain", ...headers }, body: text };
  };
  const { transport, close } = await connect(handle);
  return {
    clock,
    client: (options) => createClient(transport, { clock, ...options }),
    intercept(by) {
      answer = by;
    },
    async passTime(work) {
      let isDone = false;
      const done = (): void => {
        isDone = true;
      };
      work.then(done, done);
      while (!isDone) {
        // Time stands still while something is on its way over a network.
        for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
        if (!isDone) await clock.advance(1000);
      }
      return work;
    },
    async close() {
      server.close();
      await close();
    },
  };
}

/** Calls of functions. */
export const inProcess: Connect = async (handle) => ({
  transport: inProcessTransport(handle, admin),
  close: async () => {},
});

/** A network, as an administrator. */
export const over =
  (protocol: NonNullable<HttpsTransportOptions["protocols"]>[number]): Connect =>
  async (handler) => {
    const tls = { ...pki.apiserver, ca: pki.ca.cert };
    const listener = await listen({ host: "127.0.0.1", port: 0, tls, handler, log: noLog });
    const transport = httpsTransport({
      server: `https://127.0.0.1:${listener.port}`,
      authorities: async () => pki.ca.cert,
      credentials: fixedCredentials(pki.admin),
      protocols: [protocol],
    });
    return {
      transport,
      async close() {
        transport.close();
        await listener.close(0);
      },
    };
  };
