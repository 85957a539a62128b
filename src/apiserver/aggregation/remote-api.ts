import type { APIService } from "../../api/apiregistration/v1/api-service.ts";
import type { ServicePort } from "../connect/cluster-service.ts";

/** A version of a group that another server serves. */
export interface RemoteApi {
  /** The name of its APIService. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly service: ServicePort;
  /** The authorities of the server's certificate: PEM in base64, empty for those that the machine trusts. */
  readonly caBundle: string;
  readonly isInsecure: boolean;
  /** Whether its last check passed. */
  readonly isAvailable: boolean;
}

/** The remote API that an APIService registers; undefined if this server serves it. */
export function remoteApi({ metadata, spec, status }: APIService): RemoteApi | undefined {
  const { service, group = "", version = "", caBundle = "", insecureSkipTLSVerify = false } = spec;
  if (!service) return undefined;
  const { namespace = "", name = "", port = defaultPort } = service;
  return {
    name: metadata.name ?? "",
    group,
    version,
    service: { namespace, name, port },
    caBundle,
    isInsecure: insecureSkipTLSVerify,
    isAvailable: (status?.conditions ?? []).some(
      (condition) => condition.type === "Available" && condition.status === "True",
    ),
  };
}

const defaultPort = 443;

/** The path below which a remote API is served. */
export const rootPath = ({ group, version }: Pick<RemoteApi, "group" | "version">): string =>
  group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
