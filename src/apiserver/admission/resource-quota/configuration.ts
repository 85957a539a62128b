import type { ScopeRequirement } from "../../../api/core/v1/quota/scopes.ts";

/** A ResourceQuotaConfiguration: the resources that cannot be used without a quota. */
export interface ResourceQuotaConfiguration {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly limitedResources?: readonly LimitedResource[];
}

export interface LimitedResource {
  readonly apiGroup?: string;
  /** The plural of a resource. */
  readonly resource: string;
  /** A resource needs a quota if its name contains one of these. */
  readonly matchContains?: readonly string[];
  /** An object in one of these scopes needs a quota for that scope. */
  readonly matchScopes?: readonly ScopeRequirement[];
}

/** The limited resources of a configuration; throws if it is invalid. */
export function limitedResources({
  apiVersion,
  kind,
  limitedResources: limited = [],
}: ResourceQuotaConfiguration = {}): readonly LimitedResource[] {
  const isNamed = apiVersion !== undefined || kind !== undefined;
  if (isNamed && !documents.includes(`${apiVersion} ${kind}`))
    throw new Error(
      `no kind "${kind ?? ""}" is registered for version "${apiVersion ?? ""}" in scheme "pkg/admission/plugin/resourcequota"`,
    );
  const problems = limited.flatMap(({ resource }, i) =>
    resource ? [] : [`limitedResources[${i}].resource: Required value`],
  );
  const [only = "", ...more] = problems;
  if (more.length > 0) throw new Error(`[${problems.join(", ")}]`);
  if (only !== "") throw new Error(only);
  return limited;
}

const documents = [
  "apiserver.config.k8s.io/v1 ResourceQuotaConfiguration",
  "resourcequota.admission.k8s.io/v1beta1 Configuration",
  "resourcequota.admission.k8s.io/v1alpha1 Configuration",
];
