import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Cgroups } from "../../platform/cgroups/cgroups.ts";
import type { Containers } from "../containers/containers.ts";
import type { Images } from "../images/images.ts";
import type { Snapshots } from "../snapshots/snapshots.ts";
import type { DockerExecs } from "./exec/docker-execs.ts";
import type { DockerRegistry } from "./life/docker-registry.ts";
import type { HealthMonitor } from "./life/health-monitor.ts";
import type { Restarts } from "./life/restarts.ts";
import type { Attachments } from "./logs/attachments.ts";
import type { DockerNetworks } from "./network/docker-networks.ts";
import type { DockerEvents } from "./system/docker-events.ts";
import type { DockerVolumes } from "./volumes/docker-volumes.ts";

/** The parts of the engine that docker's API stands on. */
export interface DockerEngine {
  readonly containers: Containers;
  readonly images: Images;
  readonly snapshots: Snapshots;
  readonly cgroups: Cgroups;
}

/** What the handlers of docker's API share. */
export interface DockerContext extends DockerEngine {
  readonly registry: DockerRegistry;
  readonly volumes: DockerVolumes;
  readonly networks: DockerNetworks;
  readonly events: DockerEvents;
  readonly attachments: Attachments;
  readonly execs: DockerExecs;
  readonly health: HealthMonitor;
  readonly restarts: Restarts;
  readonly clock: Clock;
  readonly log: Log;
  /** The folder of all that docker's API keeps. */
  readonly dataDir: string;
  readonly version: string;
}
