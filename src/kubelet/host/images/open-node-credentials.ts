import type { NodeCredentials } from "../../pod/container/pull-secrets.ts";
import {
  type CredentialProvidersOptions,
  openCredentialProviders,
} from "./credential-providers.ts";
import { type NodeDockerConfigOptions, nodeDockerConfig } from "./node-docker-config.ts";

export interface NodeCredentialsOptions
  extends NodeDockerConfigOptions,
    Pick<CredentialProvidersOptions, "log" | "accounts" | "features"> {
  /** Absent without plugins. */
  readonly providers?: Pick<CredentialProvidersOptions, "config" | "binDir"> | undefined;
}

/** Opens the credentials of a node: those of docker's configuration come before those of plugins. */
export async function openNodeCredentials(
  options: NodeCredentialsOptions,
): Promise<NodeCredentials> {
  const { providers } = options;
  const sources = [nodeDockerConfig(options)];
  if (providers) sources.push(await openCredentialProviders({ ...options, ...providers }));
  return {
    async forImage(image, pod) {
      const found = await Promise.all(sources.map((source) => source.forImage(image, pod)));
      return found.flat();
    },
  };
}
