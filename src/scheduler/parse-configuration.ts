import { DecodeError, decodeJson } from "../schema/json/decode.ts";
import { isMap } from "../schema/json/json-value.ts";
import { stringifyJson } from "../schema/json/strict-json.ts";
import { quote } from "../schema/values/quote.ts";
import { yamlToJson } from "../schema/yaml/yaml.ts";
import { defaultPlugins } from "./configuration/default-plugins.ts";
import { enabledPlugins, mergePlugins } from "./configuration/merge-plugins.ts";
import { defaultedArgs, pluginArgs } from "./configuration/plugin-args.ts";
import {
  KubeSchedulerConfiguration,
  type PluginConfig,
  type Plugins,
  type Profile,
} from "./configuration/scheduler-configuration.ts";
import {
  configurationProblems,
  configurationVersion,
} from "./configuration/validate-configuration.ts";

export type { KubeSchedulerConfiguration } from "./configuration/scheduler-configuration.ts";

const noFeatures: ReadonlySet<string> = new Set();

/** An invalid configuration, with all of its problems. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.length === 1 ? problems[0] : `[${problems.join(", ")}]`);
    this.problems = problems;
  }
}

/**
 * Parses a KubeSchedulerConfiguration document, fills in defaults and validates it; throws a
 * ConfigurationError.
 */
export function parseConfiguration(
  text: string,
  features: ReadonlySet<string> = noFeatures,
): KubeSchedulerConfiguration {
  const document = yamlToJson(text);
  if (!isMap(document)) throw new ConfigurationError(["it holds no KubeSchedulerConfiguration"]);
  const { kind = "", apiVersion = "" } = document;
  if (kind === "" || apiVersion === "") {
    const missing = kind === "" ? "Kind" : "apiVersion";
    throw new ConfigurationError([
      `Object '${missing}' is missing in '${stringifyJson(document)}'`,
    ]);
  }
  if (apiVersion !== configurationVersion || kind !== "KubeSchedulerConfiguration")
    throw new ConfigurationError([
      `no kind ${quote(String(kind))} is registered for version ${quote(String(apiVersion))} in scheme "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme/scheme.go:30"`,
    ]);
  return completed(decoded(document), features);
}

/** The configuration of a scheduler without a configuration file. */
export const defaultConfiguration = (
  features: ReadonlySet<string> = noFeatures,
): KubeSchedulerConfiguration => completed({}, features);

/**
 * Fills in the defaults of a configuration, which depend on the features that are on and are not by default, and
 * validates it; throws a ConfigurationError.
 */
export function completed(
  given: KubeSchedulerConfiguration,
  features: ReadonlySet<string> = noFeatures,
): KubeSchedulerConfiguration {
  const configuration = defaulted(given, defaultPlugins(features));
  const problems = configurationProblems(configuration);
  if (problems.length > 0) throw new ConfigurationError(problems);
  return configuration;
}

function decoded(document: object): KubeSchedulerConfiguration {
  const strict: string[] = [];
  const read = (what: string, struct: Parameters<typeof decodeJson>[0], value: unknown) => {
    try {
      const { value: known, strict: minded } = decodeJson(struct, stringifyJson(value));
      strict.push(...minded.map((problem) => what + problem));
      return known;
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      throw new ConfigurationError([`${what}${error.message}`]);
    }
  };
  const configuration = read(
    "",
    KubeSchedulerConfiguration,
    document,
  ) as KubeSchedulerConfiguration;
  const profiles = configuration.profiles?.map((profile, i) => ({
    ...profile,
    ...(profile.pluginConfig && {
      pluginConfig: profile.pluginConfig.map(({ name, args }, j) => {
        const struct = pluginArgs[name];
        if (!struct) return { name, args };
        const what = `decoding .profiles[${i}].pluginConfig[${j}]: decoding args for plugin ${name}: `;
        return { name, args: read(what, struct, args ?? {}) };
      }),
    }),
  }));
  if (strict.length > 0)
    throw new ConfigurationError([`strict decoding error: ${strict.join(", ")}`]);
  return profiles ? { ...configuration, profiles } : configuration;
}

function defaulted(given: KubeSchedulerConfiguration, usual: Plugins): KubeSchedulerConfiguration {
  const { profiles = [], leaderElection = {}, clientConnection = {} } = given;
  const { enableProfiling = true } = given;
  const named = profiles.length === 0 ? [{}] : profiles;
  return {
    ...given,
    apiVersion: configurationVersion,
    kind: "KubeSchedulerConfiguration",
    parallelism: given.parallelism ?? 16,
    profiles: named.map((profile) => defaultedProfile(profile, usual, named.length === 1)),
    percentageOfNodesToScore: given.percentageOfNodesToScore ?? 0,
    leaderElection: {
      leaderElect: leaderElection.leaderElect ?? true,
      leaseDuration: givenDuration(leaderElection.leaseDuration, "15s"),
      renewDeadline: givenDuration(leaderElection.renewDeadline, "10s"),
      retryPeriod: givenDuration(leaderElection.retryPeriod, "2s"),
      resourceLock: leaderElection.resourceLock || "leases",
      resourceName: leaderElection.resourceName || "kube-scheduler",
      resourceNamespace: leaderElection.resourceNamespace || "kube-system",
    },
    clientConnection: {
      ...clientConnection,
      contentType: clientConnection.contentType || "application/vnd.kubernetes.protobuf",
      qps: clientConnection.qps || 50,
      burst: clientConnection.burst || 100,
    },
    podInitialBackoffSeconds: given.podInitialBackoffSeconds ?? 1,
    podMaxBackoffSeconds: given.podMaxBackoffSeconds ?? 10,
    enableProfiling,
    ...(enableProfiling && { enableContentionProfiling: given.enableContentionProfiling ?? true }),
  };
}

function defaultedProfile(profile: Profile, usual: Plugins, isOnly: boolean): Profile {
  const plugins = mergePlugins(usual, profile.plugins);
  const podEvents: PluginConfig[] = (profile.pluginConfig ?? []).map(({ name, args }) => ({
    name,
    args: pluginArgs[name] ? defaultedArgs(name, isMap(args) ? args : {}) : args,
  }));
  for (const name of enabledPlugins(plugins))
    if (pluginArgs[name] && !podEvents.some((one) => one.name === name))
      podEvents.push({ name, args: defaultedArgs(name, {}) });
  return {
    ...profile,
    schedulerName: profile.schedulerName ?? (isOnly ? "default-scheduler" : ""),
    plugins,
    pluginConfig: podEvents,
  };
}

const givenDuration = (given: string | undefined, usual: string): string =>
  given === undefined || given === "0s" ? usual : given;
