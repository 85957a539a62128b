import { Pod } from "../../api/core/v1/pod/pod.ts";
import { podApiReference } from "../../api/core/v1/pod/pod-api-reference.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { ReadonlyJsonMap } from "../../schema/json/json-value.ts";
import { At } from "../../schema/language/report.ts";
import type { Struct } from "../../schema/language/struct.ts";
import { decodeDocument, readDocument } from "../../schema/yaml/read-document.ts";
import { completeStaticPod, type StaticPodPlace } from "./complete-static-pod.ts";

export interface StaticPodOptions extends StaticPodPlace {
  /** Whether pods may refer to API objects: the feature gate PreventStaticPodAPIReferences is off. */
  readonly mayReferenceApi?: boolean | undefined;
}

/** Reads a pod in YAML or JSON, as a file holds it; throws an error that says why it cannot run. */
export function readStaticPod(text: string, options: StaticPodOptions): Pod {
  const problem = (why: string): string =>
    `couldn't parse as pod(${why}), please check config file`;
  return checked(parsed(text, problem, podOf), options);
}

/** Reads a pod or a list of pods, as a URL serves them; throws an error that says why they cannot run. */
export function readStaticPods(text: string, options: StaticPodOptions): readonly Pod[] {
  const problem = (why: string): string => `couldn't parse as single or multiple pods (${why})`;
  return parsed(text, problem, podsOf).map((pod) => checked(pod, options));
}

/** Parses a text; of what it is not, the caller says so in its own words. */
function parsed<T>(
  text: string,
  problem: (why: string) => string,
  read: (document: ReadonlyJsonMap) => T,
): T {
  try {
    return read(readDocument(text).value);
  } catch (error) {
    throw new Error(problem(errorMessage(error)), { cause: error });
  }
}

function podOf(document: ReadonlyJsonMap): Pod {
  const { apiVersion, kind } = document;
  if (apiVersion !== "v1" || kind !== "Pod")
    throw new Error(`invalid pod: ${kind} of version ${apiVersion}`);
  return decodeDocument(Pod.struct as Struct, document).value as Pod;
}

function podsOf(document: ReadonlyJsonMap): readonly Pod[] {
  if (document.kind !== "PodList" || document.apiVersion !== "v1") return [podOf(document)];
  const { items = [] } = decodeDocument(Pod.list, document).value as PodList;
  return items.map((pod) => ({ ...pod, apiVersion: "v1", kind: "Pod" }));
}

interface PodList {
  readonly items?: readonly Pod[];
}

/** The complete pod, with the defaults that the API server would give it. */
function checked(given: Pod, options: StaticPodOptions): Pod {
  if (!given.metadata.name) throw new Error("invalid pod: name is needed for the pod");
  Pod.form.complete(given);
  const pod = completeStaticPod(Pod.form.canonical(given) as Pod, options);
  const report = At.root();
  Pod.validateCreate(pod, report);
  const { errors } = report;
  if (errors.length > 0)
    throw new Error(
      `invalid pod: [${errors.map(({ field, message }) => `${field}: ${message}`).join(", ")}]`,
    );
  const problem = options.mayReferenceApi ? neverReferred(pod) : referred(pod);
  if (problem !== undefined) throw new Error(problem);
  return pod;
}

function referred({ spec }: Pod): string | undefined {
  const resource = podApiReference(spec);
  return resource && `static pods may not reference ${resource}`;
}

/** What static pods cannot use even if they may refer to API objects. */
function neverReferred({ spec }: Pod): string | undefined {
  const usesTrustBundle = spec.volumes?.some(({ projected }) =>
    projected?.sources?.some(({ clusterTrustBundle }) => clusterTrustBundle),
  );
  if (usesTrustBundle) return "static pods may not use ClusterTrustBundle projected volume sources";
  return spec.resourceClaims?.length ? "static pods may not use ResourceClaims" : undefined;
}
