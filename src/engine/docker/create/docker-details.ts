import type { Container } from "../../containers/containers.ts";
import type { ContainerConfig } from "./container-config.ts";
import type { EndpointConfig } from "./endpoint-config.ts";
import type { HostConfig } from "./host-config.ts";
import type { MountPoint } from "./mount-point.ts";

/** What is recorded of a container beside what the engine itself needs: JSON, so that it survives a kill. */
export interface DockerDetails {
  /** Without a slash. */
  readonly name: string;
  readonly imageId: string;
  /** With what the image says. */
  readonly config: ContainerConfig;
  readonly hostConfig: HostConfig;
  readonly mounts: readonly DockerMount[];
  /** Its networks by their names; empty for those that are not bridges. */
  readonly endpoints: Readonly<Record<string, DockerEndpoint>>;
  readonly restartCount: number;
  /** Whether a client stopped it, so that no policy restarts it. */
  readonly isStoppedByClient: boolean;
  /** Whether it is waiting for the next try of its restart policy. */
  readonly isRestarting: boolean;
  /** Why it could not be started. */
  readonly startError?: { readonly message: string; readonly exitCode: number } | undefined;
}

/** A mount whose source is known. */
export interface DockerMount extends MountPoint {
  /** Whether the volume was made for this container and goes with it. */
  readonly isAnonymous: boolean;
}

/** A container's place in a network. */
export interface DockerEndpoint {
  readonly config: EndpointConfig | null;
  readonly networkId: string;
  readonly endpointId: string;
  /** Empty while the container is not running. */
  readonly address: string;
  readonly prefixLength: number;
  readonly gateway: string;
  readonly macAddress: string;
  /** The ports that are published through this network, such as `80/tcp`. */
  readonly ports: Readonly<Record<string, readonly PublishedPort[]>>;
}

export interface PublishedPort {
  readonly hostIp: string;
  readonly hostPort: number;
}

/** A container that was made through docker's API. */
export interface DockerContainer extends Omit<Container, "details"> {
  readonly details: DockerDetails;
}

/** The container with its details, if it was made through docker's API. */
export const asDockerContainer = (container: Container): DockerContainer | undefined =>
  container.owner === "docker" ? (container as DockerContainer) : undefined;
