import { isExtendedResource } from "../../api/core/v1/resource-name.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { At } from "../../schema/language/report.ts";
import { parseDuration } from "../../schema/values/duration.ts";
import { isQualifiedName } from "../../schema/values/names.ts";
import { extensionPointNames } from "../framework/plugin.ts";
import type {
  Extender,
  KubeSchedulerConfiguration,
  LeaderElection,
  PluginSet,
  Profile,
} from "./scheduler-configuration.ts";
import { validatePluginArgs } from "./validate-plugin-args.ts";

export const configurationVersion = "kubescheduler.config.k8s.io/v1";

/** Validates a configuration, with upstream's messages. */
export function configurationProblems(
  configuration: KubeSchedulerConfiguration,
): readonly string[] {
  const at = At.root();
  const { clientConnection, leaderElection = {}, parallelism = 0, profiles = [] } = configuration;
  const { burst = 0 } = clientConnection ?? {};
  if (burst < 0) at.invalid("clientConnection.burst", burst, "must be non-negative");
  if (leaderElection.leaderElect)
    validateLeaderElection(leaderElection, at.child("leaderElection"));
  if (parallelism <= 0)
    at.invalid("parallelism", parallelism, "should be an integer value greater than zero");
  validateProfiles(profiles, at.child("profiles"));
  validatePercentage(configuration.percentageOfNodesToScore, at);
  const { podInitialBackoffSeconds: initial = 0, podMaxBackoffSeconds: most = 0 } = configuration;
  if (initial <= 0) at.invalid("podInitialBackoffSeconds", initial, "must be greater than 0");
  if (most < initial)
    at.invalid(
      "podMaxBackoffSeconds",
      most,
      "must be greater than or equal to PodInitialBackoffSeconds",
    );
  validateExtenders(configuration.extenders ?? [], at.child("extenders"));
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
}

function validateLeaderElection(election: LeaderElection, at: At): void {
  const { leaseDuration = "0s", renewDeadline = "0s", retryPeriod = "0s" } = election;
  const times = { leaseDuration, renewDeadline, retryPeriod };
  for (const [name, duration] of Object.entries(times))
    if (parseDuration(duration) <= 0n) at.invalid(name, duration, "must be greater than zero");
  if (parseDuration(leaseDuration) <= parseDuration(renewDeadline))
    at.invalid("leaseDuration", renewDeadline, "must be greater than `RenewDeadline`");
  for (const name of ["resourceLock", "resourceNamespace", "resourceName"] as const)
    if (!election[name]) at.required(name);
  if (election.resourceLock !== "leases")
    at.invalid("resourceLock", election.resourceLock, 'resourceLock value must be "leases"');
}

function validateProfiles(profiles: readonly Profile[], at: At): void {
  if (profiles.length === 0) at.required();
  const seen = new Map<string, number>();
  for (const [i, profile] of profiles.entries()) {
    const here = at.index(i);
    const { schedulerName = "" } = profile;
    if (schedulerName === "") here.required("schedulerName");
    validatePercentage(profile.percentageOfNodesToScore, here);
    validatePlugins(profile, here);
    const first = seen.get(schedulerName);
    if (first !== undefined) here.duplicate("schedulerName", `${at.path}[${first}].schedulerName`);
    seen.set(schedulerName, i);
  }
  validateQueueSort(profiles, at);
}

function validatePercentage(percentage: number | undefined, at: At): void {
  if (percentage !== undefined && (percentage < 0 || percentage > 100))
    at.invalid("percentageOfNodesToScore", percentage, "not in valid range [0-100]");
}

/** Plugins that upstream has removed. */
const gone = ["AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"];
const goneSince = `was invalid in version "${configurationVersion}" (KubeSchedulerConfiguration is version "${configurationVersion}")`;

function validatePlugins({ plugins = {}, pluginConfig = [] }: Profile, at: At): void {
  for (const point of extensionPointNames)
    for (const [i, { name }] of (plugins[point]?.enabled ?? []).entries())
      if (gone.includes(name))
        at.child("plugins").child(point).child("enabled").index(i).invalid("", name, goneSince);
  const seen = new Set<string>();
  for (const [i, { name, args }] of pluginConfig.entries()) {
    const here = at.child("pluginConfig").index(i);
    if (seen.has(name)) here.duplicate("", name);
    seen.add(name);
    if (gone.includes(name)) here.invalid("", name, goneSince);
    else validatePluginArgs(name, args ?? {}, here.child("args"));
  }
}

/** There is one queue: all profiles must have the same QueueSort plugin. */
function validateQueueSort(profiles: readonly Profile[], at: At): void {
  const [first, ...others] = profiles;
  const canon = first?.plugins?.queueSort ?? {};
  const names = canon.enabled?.map(({ name }) => name) ?? [];
  if (names.length > 1)
    at.index(0).invalid(
      "plugins.queueSort.Enabled",
      names.length,
      "only one queue sort plugin can be enabled",
    );
  const argsOf = ({ pluginConfig = [] }: Profile): unknown =>
    pluginConfig.find(({ name }) => name === names[0])?.args;
  for (const [i, profile] of others.entries()) {
    const here = at.index(i + 1);
    const own: PluginSet = profile.plugins?.queueSort ?? {};
    if (!sameJson(own, canon))
      here.invalid("plugins.queueSort", own, "must be the same for all profiles");
    const args = argsOf(profile);
    if (first && args !== undefined && !sameJson(args, argsOf(first)))
      here.invalid("pluginConfig.args", args, "queueSort must be the same for all profiles");
  }
}

function validateExtenders(extenders: readonly Extender[], at: At): void {
  const managed = new Set<string>();
  for (const [i, { prioritizeVerb, weight = 0, managedResources = [] }] of extenders.entries()) {
    const here = at.index(i);
    if (prioritizeVerb && weight <= 0)
      here.invalid("weight", weight, "must have a positive weight applied to it");
    for (const [j, { name }] of managedResources.entries()) {
      const nameAt = here.child("managedResources").index(j).child("name");
      const messages = isQualifiedName(name);
      nameAt.invalidEach("", name, messages);
      if (messages.length === 0 && !isExtendedResource(name))
        nameAt.invalid("", name, "is an invalid extended resource name");
      if (managed.has(name)) nameAt.invalid("", name, "duplicate extender managed resource name");
      managed.add(name);
    }
  }
  const binders = extenders.filter(({ bindVerb }) => bindVerb).length;
  if (binders > 1)
    at.invalid(
      "",
      `found ${binders} extenders implementing bind`,
      "only one extender can implement bind",
    );
}
