import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import { ExpiringMap } from "../../../base/expiring-map.ts";
import type { Log } from "../../../base/log.ts";
import { parseDuration } from "../../../schema/values/duration.ts";
import type { CredentialProvider } from "../../config/credential-provider/credential-provider-config.ts";
import type { DockerConfig } from "../../pod/container/docker-config.ts";
import { credentialsIn, imageMatches } from "../../pod/container/docker-keyring.ts";
import type { NodeCredentials } from "../../pod/container/pull-secrets.ts";
import { readCredentialProviders } from "./read-credential-providers.ts";
import { type CredentialProviderResponse, runCredentialPlugin } from "./run-credential-plugin.ts";

export interface CredentialProvidersOptions {
  /** The file or the folder of `--image-credential-provider-config`. */
  readonly config: string;
  /** The folder of the plugins: `--image-credential-provider-bin-dir`. */
  readonly binDir: string;
  readonly clock: Clock;
  readonly log: Log;
  /** How long a plugin may take; by default upstream's minute. */
  readonly timeoutMs?: number | undefined;
}

/** Opens the credential provider plugins of a node; rejects if one is missing or configured wrong. */
export async function openCredentialProviders(
  options: CredentialProvidersOptions,
): Promise<NodeCredentials> {
  const { config, binDir } = options;
  if (!(await isThere(binDir, constants.F_OK)))
    throw new Error(`plugin binary directory ${binDir} did not exist`);
  const plugins: Plugin[] = [];
  for (const provider of await readCredentialProviders(config)) {
    const program = join(binDir, provider.name);
    if (!(await isThere(program, constants.X_OK)))
      throw new Error(`plugin binary executable ${program} did not exist`);
    plugins.push(new Plugin(provider, options));
  }
  return {
    async forImage(image) {
      const configs: DockerConfig[] = [];
      for (const plugin of plugins) configs.push(await plugin.credentials(image));
      return credentialsIn(configs, image);
    },
  };
}

const isThere = (path: string, mode: number): Promise<boolean> =>
  access(path, mode).then(
    () => true,
    () => false,
  );

/** A plugin with the credentials that it gave. */
class Plugin {
  readonly #provider: CredentialProvider;
  readonly #options: CredentialProvidersOptions;
  readonly #cache: ExpiringMap<string, DockerConfig>;
  /** Runs by image: pulls of the same image at the same time share one. */
  readonly #running = new Map<string, Promise<DockerConfig>>();

  constructor(provider: CredentialProvider, options: CredentialProvidersOptions) {
    this.#provider = provider;
    this.#options = options;
    this.#cache = new ExpiringMap({ clock: options.clock, capacity: mostCached });
  }

  /** The credentials for an image; none if the plugin fails, because the image may be public. */
  async credentials(image: string): Promise<DockerConfig> {
    const { name, matchImages = [] } = this.#provider;
    if (!matchImages.some((pattern) => imageMatches(pattern, image))) return new Map();
    for (const key of [image, registryOf(image), globalKey]) {
      const cached = this.#cache.get(key);
      if (cached) return cached;
    }
    try {
      return await (this.#running.get(image) ?? this.#begin(image));
    } catch (error) {
      const fields = { provider: name, image };
      this.#options.log.error("getting credentials from the plugin failed", error, fields);
      return new Map();
    }
  }

  #begin(image: string): Promise<DockerConfig> {
    const run = this.#run(image).finally(() => this.#running.delete(image));
    this.#running.set(image, run);
    return run;
  }

  async #run(image: string): Promise<DockerConfig> {
    const { binDir, timeoutMs = minuteMs } = this.#options;
    const response = await runCredentialPlugin(this.#provider, image, { binDir, timeoutMs });
    const key = cacheKey(response, image);
    const { auth = {}, cacheDuration = this.#provider.defaultCacheDuration ?? "0s" } = response;
    const config: DockerConfig = new Map(Object.entries(auth));
    this.#cache.set(key, config, Number(parseDuration(cacheDuration)) / 1e6);
    return config;
  }
}

function cacheKey({ cacheKeyType }: CredentialProviderResponse, image: string): string {
  if (cacheKeyType === "Image") return image;
  if (cacheKeyType === "Registry") return registryOf(image);
  if (cacheKeyType === "Global") return globalKey;
  throw new Error(
    `credential provider plugin did not return a valid cacheKeyType: ${cacheKeyType}`,
  );
}

const registryOf = (image: string): string => image.split("/", 1)[0] ?? "";

/** No image and no registry has this name. */
const globalKey = "<global>";
const minuteMs = 60_000;
const mostCached = 4096;
