import { findConnection } from "../../kubeconfig/connect.ts";
import { followKubeconfig } from "../../kubeconfig/follow-kubeconfig.ts";
import type { HttpsTransportOptions } from "../../kubeconfig/https-transport.ts";
import { versionInfo } from "../version.ts";

export interface ComponentConnectionFlags {
  /** The path of a kubeconfig; empty for the in-cluster configuration. */
  readonly kubeconfig: string;
  /** The server's URL, which overrides the kubeconfig. */
  readonly master: string;
}

/** How a component connects to its API server. The environment variable KUBECONFIG is ignored. */
export async function componentConnection(
  { kubeconfig, master }: ComponentConnectionFlags,
  self: { readonly component: string; readonly version: string },
): Promise<HttpsTransportOptions> {
  const userAgent = userAgentOf(self);
  // The server is near and sends many objects: compression would cost more than it saves.
  const how = { userAgent, compression: false };
  if (kubeconfig === "" && master !== "") return { server: urlOf(master), ...how };
  if (kubeconfig !== "") {
    const transport = await followKubeconfig({ path: kubeconfig });
    return { ...transport, ...how, ...(master !== "" && { server: urlOf(master) }) };
  }
  const { transport } = await findConnection({ inCluster: true }).catch((cause: unknown) => {
    throw new Error(
      `${(cause as Error).message}: outside of a cluster, give --kubeconfig with the API server and its credentials`,
    );
  });
  return { ...transport, ...how };
}

/** The same server, for callers that send credentials with each request. */
export const anonymousConnection = ({
  credentials,
  impersonate,
  ...connection
}: HttpsTransportOptions): HttpsTransportOptions => connection;

/** The user agent of a component, such as `kube-scheduler/v1.36.0 (linux/amd64) kubernetes/wherry`. */
export const userAgentOf = ({
  component,
  version,
}: {
  readonly component: string;
  readonly version: string;
}): string => `${component}/${version} (${versionInfo.platform}) kubernetes/wherry`;

const urlOf = (master: string): string => (master.includes("://") ? master : `http://${master}`);
