import { Namespace } from "../../../api/core/v1/namespace.ts";
import { Pod } from "../../../api/core/v1/pod/pod.ts";
import { internalError, invalid, notFound } from "../../../api/meta/v1/status-error.ts";
import { aggregateMessage } from "../../../base/aggregate-message.ts";
import { quote } from "../../../schema/values/quote.ts";
import { kindName } from "../../objects/address.ts";
import type { ApiObject } from "../../objects/object.ts";
import type { AdmissionPlugin, Attributes } from "../admission.ts";
import { annotate } from "../annotate.ts";
import type { PluginSetup } from "../plugins.ts";
import { rejection } from "../rejection.ts";
import { objectOf, oldOf } from "../typed-attributes.ts";
import type { PodLike } from "./check.ts";
import { defaultPolicy, type PodSecurityConfiguration } from "./configuration.ts";
import { detailText, evaluate } from "./evaluate.ts";
import { exemptNamespaceWarning } from "./exempt-namespace.ts";
import { existingPodWarnings } from "./existing-pods.ts";
import { isStricter, type LevelVersion, levelText, policyOf } from "./policy.ts";

/** Pods do no more than the labels of their namespace allow; of workloads that would, there are warnings. */
export function podSecurity(
  { reader }: Pick<PluginSetup, "reader">,
  configuration: PodSecurityConfiguration = {},
): AdmissionPlugin {
  const defaults = defaultPolicy(configuration);
  const { namespaces = [], usernames = [], runtimeClasses = [] } = configuration.exemptions ?? {};
  const note = ({ context }: Attributes, what: string, value: string): void =>
    annotate(context, `pod-security.kubernetes.io/${what}`, value);
  const isExempt = (attributes: Attributes): boolean => {
    const { address, context } = attributes;
    const why = namespaces.includes(address.namespace)
      ? "namespace"
      : usernames.includes(context.user.name) && "user";
    if (why) note(attributes, "exempt", why);
    return why !== false;
  };
  const isOfExemptClass = ({ spec }: PodLike): boolean =>
    runtimeClasses.includes(spec?.runtimeClassName || " ");
  const hasExemptClass = (attributes: Attributes, pod: PodLike): boolean => {
    const isOne = isOfExemptClass(pod);
    if (isOne) note(attributes, "exempt", "runtimeClass");
    return isOne;
  };
  /** Notes what the policy for audit logs forbids; the reason is evaluated only for requests that are audited. */
  const auditPod = (
    attributes: Attributes,
    { policy: { audit }, errors }: ReadPolicy,
    pod: PodLike,
  ): void => {
    if (!attributes.context.auditAnnotations) return;
    if (errors.length > 0)
      note(attributes, "error", `Failed to parse policy: ${policyFault(errors)}`);
    const violations = evaluate(audit, pod);
    if (violations.length > 0)
      note(
        attributes,
        "audit-violations",
        `would violate PodSecurity ${quote(levelText(audit))}: ${detailText(violations)}`,
      );
  };

  const policyIn = async (namespace: string): Promise<ReadPolicy | undefined> => {
    const found = await reader.getCachedFirst(Namespace, { name: namespace });
    return found && policyOf(found.metadata.labels, defaults);
  };

  const checkPod = async (attributes: Attributes): Promise<void> => {
    const { subresource, address, old, context } = attributes;
    if (ignoredSubresources.includes(subresource) || isExempt(attributes)) return;
    const read = await policyIn(address.namespace);
    if (!read)
      throw internalError(new Error(`failed to lookup namespace ${quote(address.namespace)}`));
    const { policy } = read;
    const isFree = isFullyPrivileged(read);
    if (isFree) note(attributes, "enforce-policy", "privileged:latest");
    const pod = objectOf(Pod, attributes);
    if (isFree || (old && !isSignificant(pod, oldOf(Pod, attributes)))) return;
    if (hasExemptClass(attributes, pod)) return;
    note(attributes, "enforce-policy", levelText(policy.enforce));
    auditPod(attributes, read, pod);
    const violations = evaluate(policy.enforce, pod);
    if (violations.length > 0)
      throw rejection(
        attributes,
        `violates PodSecurity ${quote(levelText(policy.enforce))}: ${detailText(violations)}`,
      );
    warn(context.warnings, policy.warn, pod);
  };

  const checkWorkload = async (attributes: Attributes, template: PodLike): Promise<void> => {
    if (attributes.subresource !== "" || isExempt(attributes)) return;
    const { namespace } = attributes.address;
    const read = await policyIn(namespace);
    if (!read) {
      const missing = notFound({ group: "", resource: "namespaces", name: namespace }).message;
      note(attributes, "error", `failed to lookup namespace ${quote(namespace)}: ${missing}`);
      return;
    }
    if (isUnwatched(read) || hasExemptClass(attributes, template)) return;
    auditPod(attributes, read, template);
    warn(attributes.context.warnings, read.policy.warn, template);
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
    const existing = pods.filter((pod) => !isOfExemptClass(pod));
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

/** The policy of a namespace, and what is wrong with its labels. */
type ReadPolicy = ReturnType<typeof policyOf>;

const isPrivileged = ({ level }: LevelVersion): boolean => level === "privileged";

const isUnwatched = ({ policy: { warn, audit }, errors }: ReadPolicy): boolean =>
  errors.length === 0 && isPrivileged(warn) && isPrivileged(audit);

const isFullyPrivileged = (read: ReadPolicy): boolean =>
  isUnwatched(read) && isPrivileged(read.policy.enforce);

const policyFault = (errors: ReadPolicy["errors"]): string =>
  aggregateMessage(errors.map(({ field, message }) => `${field}: ${message}`));

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
