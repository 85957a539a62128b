import { webhookHandler } from "../cluster/extension/webhook-server.ts";
import type { InProcessServers } from "../cluster/in-process/in-process-servers.ts";
import type { ListenForWebhooks } from "../controller-runtime/webhooks/webhook-server.ts";

/** Serves webhooks to an API server of the same process: without sockets and certificates. */
export function serveWebhooks(servers: Pick<InProcessServers, "serve">): ListenForWebhooks {
  return async (respond) => {
    const host = `webhooks-${++served}.test`;
    const end = servers.serve(host, webhookHandler(respond));
    return {
      address: { url: `https://${host}` },
      ca: undefined,
      isShared: false,
      close: async () => end(),
    };
  };
}

/** Hosts are never used twice, not even by forks. */
let served = 0;
