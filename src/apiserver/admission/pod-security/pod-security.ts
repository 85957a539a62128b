import { Namespace } from "../../../api/core/v1/namespace.ts";
import { Pod } from "../../../api/core/v1/pod/pod.ts";
import { internalError, invalid } from "../../../api/meta/v1/status-error.ts";
import { quote } from "../../../schema/values/quote.ts";
import { kindName } from "../../objects/address.ts";
import type { ApiObject } from "../../objects/object.ts";
import type { AdmissionPlugin, Attributes } from "../admission.ts";
import type { PluginSetup } from "../plugins.ts";
import { rejection } from "../rejection.ts";
import { objectOf, oldOf } from "../typed-attributes.ts";
import type { PodLike } from "./check.ts";
import { defaultPolicy, type PodSecurityConfiguration } from "./configuration.ts";
import { detailText, evaluate } from "./evaluate.ts";
import { exemptNamespaceWarning } from "./exempt-namespace.ts";
import { existingPodWarnings } from "./existing-pods.ts";
import { isStricter, type LevelVersion, levelText, type Policy, policyOf } from "./policy.ts";

/** Pods do no more than the labels of their namespace allow; of workloads that would, there are warnings. */
export function podSecurity(
  { reader }: Pick<PluginSetup, "reader">,
  configuration: PodSecurityConfiguration = {},
): AdmissionPlugin {
  const defaults = defaultPolicy(configuration);
  const { namespaces = [], usernames = [], runtimeClasses = [] } = configuration.exemptions ?? {};
  const isExempt = ({ address, context }: Attributes): boolean =>
    namespaces.includes(address.namespace) || usernames.includes(context.user.name);
  const hasExemptClass = ({ spec }: PodLike): boolean =>
    runtimeClasses.includes(spec?.runtimeClassName || " ");

  const policyIn = async (namespace: string): Promise<Policy | undefined> => {
    const found = await reader.getCachedFirst(Namespace, { name: namespace });
    return found && policyOf(found.metadata.labels, defaults).policy;
  };

  const checkPod = async (attributes: Attributes): Promise<void> => {
    const { subresource, address, old, context } = attributes;
    if (ignoredSubresources.includes(subresource) || isExempt(attributes)) return;
    const policy = await policyIn(address.namespace);
    if (!policy)
      throw internalError(new Error(`failed to lookup namespace ${quote(address.namespace)}`));
    const pod = objectOf(Pod, attributes);
    if (old && !isSignificant(pod, oldOf(Pod, attributes))) return;
    if (hasExemptClass(pod)) return;
    const violations = evaluate(policy.enforce, pod);
    if (violations.length > 0)
      throw rejection(
        attributes,
        `violates PodSecurity ${quote(levelText(policy.enforce))}: ${detailText(violations)}`,
      );
    warn(context.warnings, policy.warn, pod);
  };

  const checkWorkload = async (attributes: Attributes, template: PodLike): Promise<void> => {
    if (attributes.subresource !== "" || isExempt(attributes) || hasExemptClass(template)) return;
    const policy = await policyIn(attributes.address.namespace);
    if (policy) warn(attributes.context.warnings, policy.warn, template);
  };

  const checkNamespace = async (attributes: Attributes): Promise<void> => {
    const { subresource, address, object, old, context } = attributes;
    if (subresource !== "") return;
    const { policy, errors } = policyOf(object.metadata.labels, defaults);
    const before = old && policyOf(old.metadata.labels, defaults);
    const isOld = before && JSON.stringify(before.errors) === JSON.stringify(errors);
    if (errors.length > 0 && !isOld) throw invalid(kindName(address), errors);
    if (before && !asksForMore(policy.enforce, before.policy.enforce)) return;
    if (namespaces.includes(address.name)) {
      const warning = exemptNamespaceWarning(object, policy, defaults);
      if (warning !== undefined) context.warnings.push(warning);
      return;
    }
    if (!before) return;
    const pods = await reader.list(Pod, address.name);
    const existing = pods.filter((pod) => !hasExemptClass(pod));
    context.warnings.push(...existingPodWarnings(address.name, policy.enforce, existing));
  };

  return {
    name: "PodSecurity",
    operations: ["CREATE", "UPDATE"],

    async validate(attributes) {
      const { address, object } = attributes;
      const resource = `${address.kind.group}/${address.kind.plural}`;
      if (resource === "/pods") return checkPod(attributes);
      if (resource === "/namespaces") return checkNamespace(attributes);
      const template = Object.hasOwn(templates, resource) && templates[resource]?.(object);
      if (template) return checkWorkload(attributes, template);
    },
  };
}

const ignoredSubresources = [
  "exec",
  "attach",
  "binding",
  "eviction",
  "log",
  "portforward",
  "proxy",
  "status",
];

type Template = (object: ApiObject) => PodLike | undefined;
interface Templated {
  readonly template?: PodLike;
  readonly jobTemplate?: { readonly spec?: { readonly template?: PodLike } };
}

const inSpec: Template = ({ spec }) => (spec as Templated | undefined)?.template;

/** The pod templates of kinds. */
const templates: Readonly<Record<string, Template>> = {
  "/replicationcontrollers": inSpec,
  "/podtemplates": (object) => (object as Templated).template,
  "apps/replicasets": inSpec,
  "apps/deployments": inSpec,
  "apps/statefulsets": inSpec,
  "apps/daemonsets": inSpec,
  "batch/jobs": inSpec,
  "batch/cronjobs": ({ spec }) => (spec as Templated | undefined)?.jobTemplate?.spec?.template,
};

function warn(warnings: string[], level: LevelVersion, pod: PodLike): void {
  const violations = evaluate(level, pod);
  if (violations.length > 0)
    warnings.push(
      `would violate PodSecurity ${quote(levelText(level))}: ${detailText(violations)}`,
    );
}

/** Whether an update adds containers or changes their images. */
function isSignificant({ spec }: Pod, { spec: old }: Pod): boolean {
  for (const list of ["containers", "initContainers"] as const) {
    const [now, before] = [spec[list] ?? [], old[list] ?? []];
    if (now.length !== before.length) return true;
    if (now.some(({ image }, i) => (image ?? "") !== (before[i]?.image ?? ""))) return true;
  }
  return (spec.ephemeralContainers ?? []).some(({ name, image }) => {
    const before = (old.ephemeralContainers ?? []).find((one) => one.name === name);
    return !before || (image ?? "") !== (before.image ?? "");
  });
}

/** Whether pods that were fine before may not be any more. */
const asksForMore = (level: LevelVersion, before: LevelVersion): boolean =>
  level.level !== "privileged" &&
  (level.version !== before.version || isStricter(level.level, before.level));
