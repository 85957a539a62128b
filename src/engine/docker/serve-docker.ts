import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { DockerContext, DockerEngine } from "./docker-context.ts";
import { DockerExecs } from "./exec/docker-execs.ts";
import { execRoutes } from "./exec/exec-routes.ts";
import { fileRoutes } from "./files/file-routes.ts";
import type { DockerServer } from "./http/docker-server.ts";
import { listenDocker } from "./http/docker-server.ts";
import { parseListenAddress } from "./http/listen-address.ts";
import { buildRoutes } from "./images/build-routes.ts";
import { imageRoutes } from "./images/image-routes.ts";
import { registryRoutes } from "./images/registry-routes.ts";
import { transferRoutes } from "./images/transfer-routes.ts";
import { containerRoutes } from "./life/container-routes.ts";
import { DockerRegistry } from "./life/docker-registry.ts";
import { HealthMonitor } from "./life/health-monitor.ts";
import { Restarts } from "./life/restarts.ts";
import { takeOver, watchContainers } from "./life/watch-containers.ts";
import { Attachments } from "./logs/attachments.ts";
import { logRoutes } from "./logs/log-routes.ts";
import { DockerNetworks, defaultNetworkPlan, type NetworkPlan } from "./network/docker-networks.ts";
import { networkRoutes } from "./network/network-routes.ts";
import { showRoutes } from "./show/show-routes.ts";
import { DockerEvents } from "./system/docker-events.ts";
import { eventRoutes } from "./system/event-routes.ts";
import { infoRoutes } from "./system/info-routes.ts";
import { pingRoutes, serverHeaders } from "./system/ping-routes.ts";
import { refusedRoutes } from "./system/refused-routes.ts";
import { DockerVolumes } from "./volumes/docker-volumes.ts";
import { volumeRoutes } from "./volumes/volume-routes.ts";

export interface ServeDockerOptions {
  readonly engine: DockerEngine;
  /** `unix:///PATH` or `tcp://HOST:PORT`. Who may connect is as powerful as root. */
  readonly listen: string;
  /** The number of the group that may connect to a socket; if absent, only root may. */
  readonly group?: number | undefined;
  /** The folder of all that docker's API keeps. */
  readonly dataDir: string;
  /** The version of the engine, as clients print it. */
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The interfaces and subnets that networks may use; by default those of docker. */
  readonly network?: NetworkPlan | undefined;
  /** Folders with containerd's `hosts.toml` files; by default those of containerd and docker. */
  readonly registryHosts?: readonly string[] | undefined;
}

const defaultRegistryHosts = ["/etc/containerd/certs.d", "/etc/docker/certs.d"];

/** Serves Docker's Engine API. */
export async function serveDocker(options: ServeDockerOptions): Promise<DockerServer> {
  const { listen, version, log } = options;
  const address = parseListenAddress(listen);
  if (address.path === undefined)
    log.warn("docker's API is served without TLS: whoever can connect is as powerful as root", {
      listen,
    });
  const context = await openContext(options);
  const unwatch = watchContainers(context);
  await takeOver(context);
  const server = await listenDocker({
    listen: address,
    group: options.group,
    routes: routesOf(context, options.registryHosts ?? defaultRegistryHosts),
    headers: serverHeaders(version),
    log,
  });
  return {
    async close() {
      await server.close();
      unwatch();
      context.restarts.close();
      context.health.close();
      await context.networks.close();
    },
  };
}

async function openContext(options: ServeDockerOptions): Promise<DockerContext> {
  const { engine, dataDir, version, clock, log, network = defaultNetworkPlan } = options;
  const { containers } = engine;
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  const registry = new DockerRegistry(containers);
  const events = new DockerEvents(clock);
  const now = (): number => clock.now();
  const volumes = await DockerVolumes.open({
    folder: join(dataDir, "volumes"),
    log,
    events,
    now,
    isRecorded: (id) => registry.get(id) !== undefined,
    users: (name) =>
      registry
        .list()
        .filter(({ details }) => details.mounts.some((mount) => mount.name === name))
        .map(({ id }) => id),
  });
  const networks = await DockerNetworks.open({
    folder: dataDir,
    plan: network,
    log,
    events,
    now,
    members: () =>
      registry.list().flatMap(({ id, details }) =>
        Object.entries(details.endpoints)
          .filter(([, { address }]) => address !== "")
          .map(([name, { address, ports }]) => ({
            containerId: id,
            network: name,
            address,
            ports,
          })),
      ),
  });
  const health = new HealthMonitor({ containers, events, clock, log });
  return {
    ...engine,
    registry,
    volumes,
    networks,
    events,
    attachments: new Attachments(),
    execs: new DockerExecs(),
    health,
    restarts: new Restarts(),
    clock,
    log,
    dataDir,
    version,
  };
}

const routesOf = (context: DockerContext, hostsFolders: readonly string[]) => [
  ...pingRoutes(context.version),
  ...refusedRoutes,
  ...containerRoutes(context),
  ...showRoutes(context),
  ...logRoutes(context),
  ...execRoutes(context),
  ...fileRoutes(context),
  ...buildRoutes(context),
  ...transferRoutes(context),
  ...registryRoutes(hostsFolders),
  ...imageRoutes(context),
  ...volumeRoutes(context),
  ...networkRoutes(context),
  ...eventRoutes(context),
  ...infoRoutes(context),
];
