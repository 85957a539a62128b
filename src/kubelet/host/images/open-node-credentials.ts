import type { NodeCredentials } from "../../pod/container/pull-secrets.ts";
import {
  type CredentialProvidersOptions,
  openCredentialProviders,
} from "./credential-providers.ts";
import { type NodeDockerConfigOptions, nodeDockerConfig } from "./node-docker-config.ts";

export interface NodeCredentialsOptions extends NodeDockerConfigOptions {
  readonly log: CredentialProvidersOptions["log"];
  /** Absent without plugins. */
  readonly providers?: Pick<CredentialProvidersOptions, "config" | "binDir"> | undefined;
}

/** Opens the credentials of a node: those of docker's configuration come before those of plugins. */
export async function openNodeCredentials(
  options: NodeCredentialsOptions,
): Promise<NodeCredentials> {
  const { providers, clock, log } = options;
  const sources = [nodeDockerConfig(options)];
  if (providers) sources.push(await openCredentialProviders({ ...providers, clock, log }));
  return {
    async forImage(image) {
      const found = await Promise.all(sources.map((source) => source.forImage(image)));
      return found.flat();
    },
  };
}
