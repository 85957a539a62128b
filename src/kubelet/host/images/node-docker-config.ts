import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import { ExpiringMap } from "../../../base/expiring-map.ts";
import {
  type DockerConfig,
  parseDockerConfigJson,
  parseDockercfg,
} from "../../pod/container/docker-config.ts";
import { credentialsIn } from "../../pod/container/docker-keyring.ts";
import type { NodeCredentials } from "../../pod/container/pull-secrets.ts";

export interface NodeDockerConfigOptions {
  /** The kubelet's own folder, which comes first. */
  readonly rootDir: string;
  /** The home of the user that runs the kubelet. */
  readonly home?: string | undefined;
  readonly clock: Clock;
}

/**
 * The credentials of docker's configuration on a node, read again every five minutes. The first file that can be
 * read counts. The working directory is not searched, as upstream does: a daemon has none of its own.
 */
export function nodeDockerConfig(options: NodeDockerConfigOptions): NodeCredentials {
  const { rootDir, home = homedir(), clock } = options;
  const cache = new ExpiringMap<"config", DockerConfig>({ clock, capacity: 1 });
  const read = async (): Promise<DockerConfig> => {
    for (const folder of [rootDir, join(home, ".docker"), "/.docker"]) {
      const config = await readConfig(join(folder, "config.json"), parseDockerConfigJson);
      if (config) return config;
    }
    for (const folder of [rootDir, home, "/"]) {
      const config = await readConfig(join(folder, ".dockercfg"), parseDockercfg);
      if (config) return config;
    }
    return new Map();
  };
  return {
    async forImage(image) {
      const config = cache.get("config") ?? (await read());
      if (!cache.get("config")) cache.set("config", config, lifetimeMs);
      return credentialsIn([config], image).map((auth) => ({ auth }));
    },
  };
}

const lifetimeMs = 5 * 60_000;

/** Undefined for a file that does not exist or is none of docker's. */
async function readConfig(
  path: string,
  parse: (text: string) => DockerConfig,
): Promise<DockerConfig | undefined> {
  try {
    return parse(await readFile(path, "utf8"));
  } catch {
    return undefined;
  }
}
