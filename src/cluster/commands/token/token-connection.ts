import type { CommandContext } from "../../../cli/command.ts";
import { stringFlag } from "../../../cli/flag.ts";
import { type Client, createClient } from "../../../client/client.ts";
import { findConnection } from "../../../kubeconfig/connect.ts";
import { type HttpsTransportOptions, httpsTransport } from "../../../kubeconfig/https-transport.ts";
import { realClock } from "../../../platform/real-clock.ts";

/** The flags that choose the cluster. */
export const tokenFlags = {
  kubeconfig: stringFlag({
    usage: "the kubeconfig `FILE` of an administrator (default: the one that kubectl uses)",
  }),
  context: stringFlag({ usage: "the context to use (default: the current one)" }),
};

/** A cluster, and how it was reached. */
export interface TokenConnection {
  readonly client: Client;
  readonly connection: HttpsTransportOptions;
}

/** Does work with a client of the chosen cluster. */
export async function withCluster(
  { inherited }: Pick<CommandContext, "inherited">,
  work: (cluster: TokenConnection) => Promise<number>,
): Promise<number> {
  const { kubeconfig, context } = inherited(tokenFlags);
  const { transport: connection } = await findConnection({
    path: kubeconfig || undefined,
    context: context || undefined,
    inCluster: false,
  });
  const transport = httpsTransport(connection);
  try {
    return await work({ client: createClient(transport, { clock: realClock }), connection });
  } finally {
    transport.close();
  }
}
