import { type ContainerConfig, containerConfig } from "./container-config.ts";
import type { DockerDetails } from "./docker-details.ts";
import { type HostConfig, hostConfig } from "./host-config.ts";

/** The configuration of a container as a client would send it. */
export const configOf = (json: object = {}): ContainerConfig => containerConfig(json, "");

/** The host's part of a configuration as a client would send it. */
export const hostOf = (json: object = {}): HostConfig => hostConfig(json, "HostConfig");

/** What is recorded of a container that says nothing special. */
export const detailsOf = (changes: Partial<DockerDetails> = {}): DockerDetails => ({
  name: "web",
  imageId: "sha256:1",
  config: configOf({ Image: "busybox", Cmd: ["sh"] }),
  hostConfig: hostOf({ NetworkMode: "none", ShmSize: 1024 }),
  mounts: [],
  endpoints: {},
  restartCount: 0,
  isStoppedByClient: false,
  isRestarting: false,
  ...changes,
});
