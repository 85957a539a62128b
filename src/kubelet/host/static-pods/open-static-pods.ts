import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { durationMillis } from "../../../schema/values/duration.ts";
import type { KubeletConfiguration } from "../../config/kubelet-configuration.ts";
import type { PodSource } from "../../pod-source.ts";
import { createPodSets, type PodSets, type PodSetsOptions } from "../../pod-sources/pod-sets.ts";
import { readStaticPod, readStaticPods } from "../../pod-sources/read-static-pods.ts";
import { followStaticPodFiles } from "./static-pod-files.ts";
import { followStaticPodUrl, type StaticPodUrlOptions } from "./static-pod-url.ts";

/** Where static pods are, as the configuration of a kubelet says it. */
export interface StaticPodConfiguration {
  /** A folder or a file; empty or absent for none. */
  readonly path?: string | undefined;
  readonly fileCheckMs: number;
  /** Empty or absent for none. */
  readonly url?: string | undefined;
  readonly urlHeaders?: StaticPodUrlOptions["headers"] | undefined;
  readonly httpCheckMs: number;
  /** Whether pods may refer to API objects: the feature gate PreventStaticPodAPIReferences is off. */
  readonly mayReferenceApi?: boolean | undefined;
}

/** The static pods of a kubelet's configuration. */
export const staticPodConfiguration = (config: KubeletConfiguration): StaticPodConfiguration => ({
  path: config.staticPodPath,
  fileCheckMs: durationMillis(config.fileCheckFrequency),
  url: config.staticPodURL,
  urlHeaders: config.staticPodURLHeader,
  httpCheckMs: durationMillis(config.httpCheckFrequency),
  mayReferenceApi: config.featureGates?.PreventStaticPodAPIReferences === false,
});

export interface StaticPodsOptions {
  readonly configuration: StaticPodConfiguration;
  readonly nodeName: string;
  /** Records an event about a pod that is not used. */
  readonly record: PodSetsOptions["record"];
  readonly clock: Clock;
  readonly log: Log;
}

/** The sources of a node's static pods, while they are followed. */
export interface StaticPods {
  readonly sources: readonly PodSource[];
  close(): void;
}

/** Follows the static pods of a node. */
export function openStaticPods(options: StaticPodsOptions): StaticPods {
  const { configuration, nodeName, clock, log } = options;
  const { path = "", url = "", mayReferenceApi, urlHeaders = {} } = configuration;
  const sources: PodSets[] = [];
  const followers: { close(): void }[] = [];
  const setsOf = (origin: "file" | "http"): PodSets => {
    const sets = createPodSets({ ...options, origin });
    sources.push(sets);
    return sets;
  };
  if (path !== "") {
    const { set } = setsOf("file");
    followers.push(
      followStaticPodFiles({
        ...{ path: path.replace(/(?<=.)\/+$/, ""), periodMs: configuration.fileCheckMs },
        parse: (text, location) =>
          readStaticPod(text, { origin: "file", location, nodeName, mayReferenceApi }),
        ...{ clock, log, onRead: set },
      }),
    );
  }
  if (url !== "") {
    const { set } = setsOf("http");
    followers.push(
      followStaticPodUrl({
        ...{ url, headers: urlHeaders, periodMs: configuration.httpCheckMs },
        parse: (text) =>
          readStaticPods(text, { origin: "http", location: url, nodeName, mayReferenceApi }),
        ...{ clock, log, onRead: set },
      }),
    );
  }
  return {
    sources,
    close() {
      for (const one of followers) one.close();
    },
  };
}
