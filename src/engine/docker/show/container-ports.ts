import type { DockerDetails } from "../create/docker-details.ts";
import { parsePort } from "../network/port-requests.ts";

export interface ListedPort {
  readonly IP?: string;
  readonly PrivatePort: number;
  readonly PublicPort?: number;
  readonly Type: string;
}

/** The ports of a running container as `docker ps` lists them: published ones, then those that are only exposed. */
export function listedPorts(details: DockerDetails): readonly ListedPort[] {
  const published = publishedPorts(details);
  const exposed = Object.keys(details.config.ExposedPorts ?? {});
  return [...new Set([...Object.keys(published), ...exposed])].flatMap((key) => {
    const { port: PrivatePort, protocol: Type } = parsePort(key);
    const all = published[key] ?? [];
    if (all.length === 0) return [{ PrivatePort, Type }];
    return all.map(({ hostIp, hostPort }) => ({
      IP: hostIp,
      PrivatePort,
      PublicPort: hostPort,
      Type,
    }));
  });
}

/** The ports of a container in `docker inspect`. */
export function inspectedPorts(details: DockerDetails): object {
  const published = publishedPorts(details);
  const exposed = Object.keys(details.config.ExposedPorts ?? {}).map((key) => [key, null] as const);
  return Object.fromEntries([
    ...exposed,
    ...Object.entries(published).map(
      ([key, all]) =>
        [
          key,
          all.map(({ hostIp, hostPort }) => ({ HostIp: hostIp, HostPort: String(hostPort) })),
        ] as const,
    ),
  ]);
}

function publishedPorts({ endpoints }: DockerDetails) {
  return Object.assign({}, ...Object.values(endpoints).map(({ ports }) => ports)) as Readonly<
    Record<string, readonly { readonly hostIp: string; readonly hostPort: number }[]>
  >;
}
