import { isMap } from "../../schema/json/json-value.ts";
import type { KubeSchedulerConfiguration } from "../configuration/scheduler-configuration.ts";

/** A configuration in which NodeResourcesFit ignores the resources that only extenders look at. */
export function withIgnoredResources(
  configuration: KubeSchedulerConfiguration,
): KubeSchedulerConfiguration {
  const ignoredResources = (configuration.extenders ?? [])
    .flatMap(({ managedResources = [] }) => managedResources)
    .filter(({ ignoredByScheduler }) => ignoredByScheduler)
    .map(({ name }) => name);
  if (ignoredResources.length === 0) return configuration;
  const profiles = configuration.profiles?.map((profile) => ({
    ...profile,
    pluginConfig: profile.pluginConfig?.map(({ name, args }) =>
      name === "NodeResourcesFit"
        ? { name, args: { ...(isMap(args) ? args : {}), ignoredResources } }
        : { name, args },
    ),
  }));
  return { ...configuration, profiles };
}
