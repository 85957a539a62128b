import type { ReviewServer } from "../../apiserver/connect/webhooks/review-webhook.ts";
import { contextConnection } from "../../kubeconfig/context-connection.ts";
import { loadKubeconfig, resolvedKubeconfig } from "../../kubeconfig/load-kubeconfig.ts";
import { chosenContext } from "../../kubeconfig/validate-kubeconfig.ts";

/** The server that a kubeconfig file names, for reviews; throws if the file cannot be used. */
export async function openReviewServer(path: string): Promise<ReviewServer> {
  const config = resolvedKubeconfig(await loadKubeconfig({ path }));
  const { cluster, user } = await chosenContext(config, undefined);
  const { server, authorities, insecure, serverName, credentials } = contextConnection(
    { cluster, user },
    { isTerminal: false },
  );
  return {
    url: String(server),
    async identity() {
      const [ca, { cert, key, authorization } = {}] = await Promise.all([
        authorities?.(),
        credentials?.current(),
      ]);
      return { tls: { ca, cert, key, serverName, insecure }, authorization };
    },
  };
}
