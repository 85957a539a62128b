import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { Clock } from "../../../base/clock.ts";
import { ExpiringMap } from "../../../base/expiring-map.ts";
import type { Log } from "../../../base/log.ts";
import { parseDuration } from "../../../schema/values/duration.ts";
import { compareUtf8 } from "../../../schema/values/utf8-order.ts";
import type { CredentialProvider } from "../../config/credential-provider/credential-provider-config.ts";
import type { DockerConfig } from "../../pod/container/docker-config.ts";
import { credentialsIn, imageMatches } from "../../pod/container/docker-keyring.ts";
import type { ImageCredential } from "../../pod/container/image-credential.ts";
import type { NodeCredentials } from "../../pod/container/pull-secrets.ts";
import { type PluginAccount, type PluginAccounts, pluginAccount } from "./plugin-account.ts";
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
  readonly accounts: PluginAccounts;
  /** The features that are on. */
  readonly features: ReadonlySet<string>;
}

/** Opens the credential provider plugins of a node; rejects if one is missing or configured wrong. */
export async function openCredentialProviders(
  options: CredentialProvidersOptions,
): Promise<NodeCredentials> {
  const { config, binDir } = options;
  if (!(await isThere(binDir, constants.F_OK)))
    throw new Error(`plugin binary directory ${binDir} did not exist`);
  const plugins: Plugin[] = [];
  for (const provider of await readCredentialProviders(config, options.features)) {
    const program = join(binDir, provider.name);
    if (!(await isThere(program, constants.X_OK)))
      throw new Error(`plugin binary executable ${program} did not exist`);
    plugins.push(new Plugin(provider, options));
  }
  return {
    async forImage(image, pod) {
      const configs: ReadonlyMap<string, ImageCredential>[] = [];
      for (const plugin of plugins) configs.push(await plugin.credentials(image, pod));
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
  /** Runs of pulls at the same time that would get the same response. */
  readonly #running = new Map<string, Promise<DockerConfig>>();

  constructor(provider: CredentialProvider, options: CredentialProvidersOptions) {
    this.#provider = provider;
    this.#options = options;
    this.#cache = new ExpiringMap({ clock: options.clock, capacity: mostCached });
  }

  /** The credentials for an image of a pod; none if the plugin fails, because the image may be public. */
  async credentials(image: string, pod: Pod): Promise<ReadonlyMap<string, ImageCredential>> {
    const { name, matchImages = [] } = this.#provider;
    if (!matchImages.some((pattern) => imageMatches(pattern, image))) return new Map();
    try {
      const account = await pluginAccount(this.#provider, pod, this.#options.accounts);
      if (account === "skip") return new Map();
      const config = await this.#config(image, account);
      const source = account && ({ kind: "ServiceAccount", owner: account.owner } as const);
      return new Map([...config].map(([place, auth]) => [place, { auth, source }]));
    } catch (error) {
      const { namespace, name: podName } = pod.metadata;
      const fields = { provider: name, image, pod: `${namespace}/${podName}` };
      this.#options.log.error("getting credentials from the plugin failed", error, fields);
      return new Map();
    }
  }

  async #config(image: string, account: PluginAccount | undefined): Promise<DockerConfig> {
    const { tokenAttributes } = this.#provider;
    const accountKey = account ? accountKeyOf(account, tokenAttributes?.cacheType) : "";
    for (const key of [image, registryOf(image), globalKey]) {
      const cached = this.#cache.get(joined(key, accountKey));
      if (cached) return cached;
    }
    const runKey = joined(image, account ? accountKeyOf(account, "Token") : "");
    return this.#running.get(runKey) ?? this.#begin(runKey, { image, account, accountKey });
  }

  #begin(runKey: string, request: RunRequest): Promise<DockerConfig> {
    const run = this.#run(request).finally(() => this.#running.delete(runKey));
    this.#running.set(runKey, run);
    return run;
  }

  async #run({ image, account, accountKey }: RunRequest): Promise<DockerConfig> {
    const { binDir, timeoutMs = minuteMs } = this.#options;
    const request = { image, account };
    const response = await runCredentialPlugin(this.#provider, request, { binDir, timeoutMs });
    const { auth = {}, cacheDuration = this.#provider.defaultCacheDuration ?? "0s" } = response;
    if (account && this.#provider.tokenAttributes?.cacheType !== "Token")
      for (const { password } of Object.values(auth))
        if (password === account.token) throw new Error(echoedToken);
    const key = joined(cacheKey(response, image), accountKey);
    const config: DockerConfig = new Map(Object.entries(auth));
    this.#cache.set(key, config, Number(parseDuration(cacheDuration)) / 1e6);
    return config;
  }
}

interface RunRequest {
  readonly image: string;
  readonly account: PluginAccount | undefined;
  /** Under which the response is cached, beside the image. */
  readonly accountKey: string;
}

/** A token expires, so that credentials that are a token must not be cached for its service account. */
const echoedToken =
  "credential provider plugin returned the service account token as the password which is not allowed when service account cache type is not set to 'Token'";

/** The pods with whose credentials others share theirs: those of the service account, or with the same token. */
function accountKeyOf({ owner, annotations, token }: PluginAccount, cacheType = ""): string {
  const { namespace, name, uid } = owner;
  const chosen = Object.entries(annotations).sort(([a], [b]) => compareUtf8(a, b));
  return joined(namespace, name, uid, JSON.stringify(chosen), cacheType === "Token" ? token : "");
}

const joined = (...parts: readonly string[]): string => JSON.stringify(parts);

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
