import { At } from "../../../../../schema/language/report.ts";
import { sameValue } from "../../../../../schema/language/validate.ts";
import { getWarningsForIp } from "../../../../../schema/values/ip.ts";
import { parseQuantity, quantityMilliValue } from "../../../../../schema/values/quantity.ts";
import { quote } from "../../../../../schema/values/quote.ts";
import type { ObjectMeta } from "../../../../meta/v1/object-meta.ts";
import type { Container } from "../../container/container.ts";
import type { EphemeralContainer } from "../../container/ephemeral-container.ts";
import { deprecatedNodeLabel, nodeSelectorTermWarnings } from "../../node/node-label-warnings.ts";
import type { ResourceList } from "../../resource-list.ts";
import type { PodAffinity, PodAntiAffinity } from "../../scheduling/affinity.ts";
import {
  appArmorContainerPrefix,
  appArmorProfileOf,
  seccompContainerPrefix,
  seccompPodAnnotation,
} from "../pod-annotations.ts";
import { containersWithPath } from "../pod-containers.ts";
import type { PodSpec } from "../pod-spec.ts";
import { warnOfPorts } from "./pod-port-warnings.ts";
import { warnOfOverlaps, warnOfVolumes } from "./pod-volume-warnings.ts";

interface PodLike {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}

/** What to tell the client of a new pod although it is valid. */
export const podWarnings = (pod: PodLike): readonly string[] => warnings(pod, At.root(), false);

/** What to tell the client of a pod template at a place, such as `spec.template`. */
export const podTemplateWarnings = (template: PodLike, at: At): readonly string[] =>
  warnings(template, at, true);

function warnings({ metadata, spec }: PodLike, at: At, isTemplate: boolean): readonly string[] {
  const told: string[] = [];
  const { annotations = {} } = metadata;
  const specAt = at.child("spec");
  const annotationPath = (key: string) => at.child("metadata").child("annotations").key(key).path;
  warnOfNodeLabels(spec, specAt, told);
  warnOfSpread(spec, specAt, told);
  for (const [key, message] of formerAnnotations)
    if (Object.hasOwn(annotations, key)) told.push(`${annotationPath(key)}: ${message}`);
  warnOfVolumes(spec.volumes ?? [], specAt.child("volumes"), told);
  warnOfOverlaps(spec.volumes ?? [], told);
  warnOfDuplicates(spec, specAt, told);
  for (const resource of countedInBytes)
    warnOfFraction([spec.overhead, resource], specAt.child("overhead"), told);
  if (!spec.securityContext?.seccompProfile && Object.hasOwn(annotations, seccompPodAnnotation))
    told.push(`${annotationPath(seccompPodAnnotation)}: ${useSeccompField}`);
  for (const placed of containersWithPath(spec, specAt))
    warnOfContainer(placed, { spec, annotations, annotationPath, isTemplate, told });
  warnOfPorts(spec, specAt, told);
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0)
    told.push(
      `${specAt.child("terminationGracePeriodSeconds").path}: must be >= 0; negative values are invalid and will be treated as 1`,
    );
  const affinityAt = specAt.child("affinity");
  for (const side of ["podAffinity", "podAntiAffinity"] as const)
    warnOfAffinity(spec.affinity?.[side], affinityAt.child(side), told);
  warnOfAddresses(spec, specAt, told);
  return told;
}

const countedInBytes = ["memory", "ephemeral-storage"];

interface ContainerContext {
  readonly spec: PodSpec;
  readonly annotations: Readonly<Record<string, string>>;
  annotationPath(key: string): string;
  readonly isTemplate: boolean;
  readonly told: string[];
}

function warnOfContainer(
  [container, at]: readonly [Container | EphemeralContainer, At],
  { spec, annotations, annotationPath, isTemplate, told }: ContainerContext,
): void {
  const { name, securityContext, resources } = container;
  const seccomp = seccompContainerPrefix + name;
  if (!securityContext?.seccompProfile && Object.hasOwn(annotations, seccomp))
    told.push(`${annotationPath(seccomp)}: ${useSeccompField}`);
  const appArmor = appArmorContainerPrefix + name;
  // In a pod, the annotation has been put into the field already.
  if (isTemplate && !securityContext?.appArmorProfile && Object.hasOwn(annotations, appArmor)) {
    const profile = spec.securityContext?.appArmorProfile;
    if (!profile || !sameValue(profile, appArmorProfileOf(annotations[appArmor] as string)))
      told.push(`${annotationPath(appArmor)}: ${useAppArmorField}`);
  }
  const resourcesAt = at.child("resources");
  for (const resource of countedInBytes)
    for (const side of ["limits", "requests"] as const)
      warnOfFraction([resources?.[side], resource], resourcesAt.child(side), told);
  warnOfEnv(container.env ?? [], at.child("env"), told);
}

const useSeccompField = 'non-functional in v1.27+; use the "seccompProfile" field instead';
const useAppArmorField = 'deprecated since v1.30; use the "appArmorProfile" field instead';

const formerAnnotations = [
  [
    "scheduler.alpha.kubernetes.io/critical-pod",
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  ],
  [
    "security.alpha.kubernetes.io/sysctls",
    'non-functional in v1.11+; use the "sysctls" field instead',
  ],
  [
    "security.alpha.kubernetes.io/unsafe-sysctls",
    'non-functional in v1.11+; use the "sysctls" field instead',
  ],
] as const;

function warnOfNodeLabels({ nodeSelector = {}, affinity }: PodSpec, at: At, told: string[]): void {
  for (const key of Object.keys(nodeSelector)) {
    const message = deprecatedNodeLabel(key);
    if (message) told.push(`${at.child("nodeSelector").key(key).path}: ${message}`);
  }
  if (!affinity?.nodeAffinity) return;
  const here = at.child("affinity").child("nodeAffinity");
  const {
    requiredDuringSchedulingIgnoredDuringExecution: required,
    preferredDuringSchedulingIgnoredDuringExecution: preferred = [],
  } = affinity.nodeAffinity;
  const terms = here
    .child("requiredDuringSchedulingIgnoredDuringExecution")
    .child("nodeSelectorTerms");
  for (const [i, term] of (required?.nodeSelectorTerms ?? []).entries())
    told.push(...nodeSelectorTermWarnings(term, terms.index(i), { checkValues: false }));
  for (const [i, { preference }] of preferred.entries()) {
    const place = here.child("preferredDuringSchedulingIgnoredDuringExecution").index(i);
    const warned = nodeSelectorTermWarnings(preference, place.child("preference"), {
      checkValues: true,
    });
    told.push(...warned);
  }
}

const matchesNothing = "a null labelSelector results in matching no pod";

function warnOfSpread({ topologySpreadConstraints = [] }: PodSpec, at: At, told: string[]): void {
  for (const [i, { topologyKey, labelSelector }] of topologySpreadConstraints.entries()) {
    const here = at.child("topologySpreadConstraints").index(i);
    const message = deprecatedNodeLabel(topologyKey);
    if (message) told.push(`${here.child("topologyKey").path}: ${topologyKey} is ${message}`);
    if (!labelSelector) told.push(`${here.child("labelSelector").path}: ${matchesNothing}`);
  }
}

function warnOfAffinity(
  affinity: PodAffinity | PodAntiAffinity | undefined,
  at: At,
  told: string[],
): void {
  const {
    requiredDuringSchedulingIgnoredDuringExecution: required = [],
    preferredDuringSchedulingIgnoredDuringExecution: preferred = [],
  } = affinity ?? {};
  for (const [i, { labelSelector }] of required.entries())
    if (!labelSelector)
      told.push(
        `${at.child("requiredDuringSchedulingIgnoredDuringExecution").index(i).child("labelSelector").path}: ${matchesNothing}`,
      );
  for (const [i, { podAffinityTerm }] of preferred.entries())
    if (!podAffinityTerm.labelSelector)
      told.push(
        `${at.child("preferredDuringSchedulingIgnoredDuringExecution").index(i).child("podAffinityTerm").child("labelSelector").path}: ${matchesNothing}`,
      );
}

function warnOfDuplicates(
  { hostAliases = [], imagePullSecrets = [] }: PodSpec,
  at: At,
  told: string[],
): void {
  const ips = new Set<string>();
  for (const [i, { ip }] of hostAliases.entries()) {
    if (ips.has(ip))
      told.push(`${at.child("hostAliases").index(i).child("ip").path}: duplicate ip ${quote(ip)}`);
    ips.add(ip);
  }
  const names = new Set<string>();
  const secretName = (i: number) => at.child("imagePullSecrets").index(i).child("name").path;
  for (const [i, { name = "" }] of imagePullSecrets.entries()) {
    if (names.has(name)) told.push(`${secretName(i)}: duplicate name ${quote(name)}`);
    names.add(name);
  }
  for (const [i, { name }] of imagePullSecrets.entries())
    if (!name) told.push(`${secretName(i)}: invalid empty name ""`);
}

function warnOfFraction(
  [list, name]: readonly [ResourceList | undefined, string],
  at: At,
  told: string[],
): void {
  const amount = list?.[name];
  if (amount !== undefined && isFraction(amount))
    told.push(
      `${at.key(name).path}: fractional byte value ${quote(amount)} is invalid, must be an integer`,
    );
}

/** Only amounts that are written so can be fractions; the others need not be looked into. */
const isFraction = (amount: string): boolean =>
  /[mun.]|e-/.test(amount) && quantityMilliValue(parseQuantity(amount)) % 1000 !== 0;

interface EnvVar {
  readonly name: string;
  readonly value?: string | undefined;
  readonly valueFrom?: object | undefined;
}

/** A variable may be given again only to add to what it was: X=a, then X=$(X)b. */
function warnOfEnv(env: readonly EnvVar[], at: At, told: string[]): void {
  const names = new Set<string>();
  for (const [i, { name, value = "", valueFrom }] of env.entries()) {
    const reference = `$(${name})`;
    if (names.has(name) && (valueFrom || value === reference || !value.includes(reference)))
      told.push(
        `${at.index(i).path}: hides previous definition of ${quote(name)}, which may be dropped when using apply`,
      );
    names.add(name);
  }
}

function warnOfAddresses({ dnsConfig, hostAliases = [] }: PodSpec, at: At, told: string[]): void {
  for (const [i, server] of (dnsConfig?.nameservers ?? []).entries()) {
    const { path } = at.child("dnsConfig").child("nameservers").index(i);
    told.push(...getWarningsForIp(path, server));
  }
  for (const [i, { ip }] of hostAliases.entries())
    told.push(...getWarningsForIp(at.child("hostAliases").index(i).child("ip").path, ip));
}
