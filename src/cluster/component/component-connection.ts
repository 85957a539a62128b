import { findConnection } from "../../kubeconfig/connect.ts";
import type { HttpsTransportOptions } from "../../kubeconfig/https-transport.ts";
import { versionInfo } from "../version.ts";

export interface ComponentConnectionFlags {
  /** The path of a kubeconfig; empty: as a pod reaches its cluster. */
  readonly kubeconfig: string;
  /** The server's URL, where it is not that of the kubeconfig. */
  readonly master: string;
}

/** How a component reaches its API server. What a person has in KUBECONFIG is left alone. */
export async function componentConnection(
  { kubeconfig, master }: ComponentConnectionFlags,
  self: { readonly component: string; readonly version: string },
): Promise<HttpsTransportOptions> {
  const userAgent = userAgentOf(self);
  // Objects are many and near: compressing them costs more than it saves.
  const how = { userAgent, compression: false };
  if (kubeconfig === "" && master !== "") return { server: urlOf(master), ...how };
  const { transport } = await findConnection(
    kubeconfig === "" ? { inCluster: true } : { path: kubeconfig, inCluster: false },
  ).catch((cause: unknown) => {
    if (kubeconfig !== "") throw cause;
    throw new Error(
      `${(cause as Error).message}: outside of a cluster, give --kubeconfig, the file that says where the API server is`,
    );
  });
  return { ...transport, ...how, ...(master !== "" && { server: urlOf(master) }) };
}

/** The same server, for callers that send their credential with each call. */
export const anonymousConnection = ({
  credentials,
  impersonate,
  ...connection
}: HttpsTransportOptions): HttpsTransportOptions => connection;

/** What a component calls itself, as `kube-scheduler/v1.36.0 (linux/amd64) kubernetes/wherry`. */
export const userAgentOf = ({
  component,
  version,
}: {
  readonly component: string;
  readonly version: string;
}): string => `${component}/${version} (${versionInfo.platform}) kubernetes/wherry`;

const urlOf = (master: string): string => (master.includes("://") ? master : `http://${master}`);
