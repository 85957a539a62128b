import { getWarningsForIp } from "../../../schema/ip.ts";
import { parseQuantity, quantityMilliValue } from "../../../schema/quantity.ts";
import { quote } from "../../../schema/quote.ts";
import { At } from "../../../schema/report.ts";
import { sameValue } from "../../../schema/validate.ts";
import type { ObjectMeta } from "../../meta/v1/object-meta.ts";
import type { PodAffinity, PodAntiAffinity } from "./affinity.ts";
import type { Container } from "./container.ts";
import type { EphemeralContainer } from "./ephemeral-container.ts";
import { deprecatedNodeLabel, nodeSelectorTermWarnings } from "./node-label-warnings.ts";
import {
  appArmorContainerPrefix,
  appArmorProfileOf,
  seccompContainerPrefix,
  seccompPodAnnotation,
} from "./pod-annotations.ts";
import { containersWithPath } from "./pod-containers.ts";
import { portWarnings } from "./pod-port-warnings.ts";
import type { PodSpec } from "./pod-spec.ts";
import { overlappingPathWarnings, volumeWarnings } from "./pod-volume-warnings.ts";
import type { ResourceList } from "./resource-list.ts";

interface PodLike {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}

/** What to tell the client of a new pod although it is valid. */
export const podWarnings = (pod: PodLike): readonly string[] => [
  ...warnings(pod, At.root(), false),
];

/** What to tell the client of a pod template at a place, such as `spec.template`. */
export const podTemplateWarnings = (template: PodLike, at: At): readonly string[] => [
  ...warnings(template, at, true),
];

function* warnings({ metadata, spec }: PodLike, at: At, isTemplate: boolean): Generator<string> {
  const { annotations = {} } = metadata;
  const specAt = at.child("spec");
  const annotationPath = (key: string) => at.child("metadata").child("annotations").key(key).path;
  yield* nodeLabelWarnings(spec, specAt);
  yield* spreadWarnings(spec, specAt);
  for (const [key, message] of formerAnnotations)
    if (Object.hasOwn(annotations, key)) yield `${annotationPath(key)}: ${message}`;
  yield* volumeWarnings(spec.volumes ?? [], specAt.child("volumes"));
  yield* overlappingPathWarnings(spec.volumes ?? []);
  yield* duplicateWarnings(spec, specAt);
  yield* fractionWarnings(spec.overhead, specAt.child("overhead"), ["memory", "ephemeral-storage"]);
  if (!spec.securityContext?.seccompProfile && Object.hasOwn(annotations, seccompPodAnnotation))
    yield `${annotationPath(seccompPodAnnotation)}: ${useSeccompField}`;
  for (const placed of containersWithPath(spec, specAt))
    yield* containerWarnings(placed, { spec, annotations, annotationPath, isTemplate });
  yield* portWarnings(spec, specAt);
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0)
    yield `${specAt.child("terminationGracePeriodSeconds").path}: must be >= 0; negative values are invalid and will be treated as 1`;
  const affinityAt = specAt.child("affinity");
  for (const side of ["podAffinity", "podAntiAffinity"] as const)
    yield* affinityWarnings(spec.affinity?.[side], affinityAt.child(side));
  yield* addressWarnings(spec, specAt);
}

interface ContainerContext {
  readonly spec: PodSpec;
  readonly annotations: Readonly<Record<string, string>>;
  annotationPath(key: string): string;
  readonly isTemplate: boolean;
}

function* containerWarnings(
  [container, at]: readonly [Container | EphemeralContainer, At],
  { spec, annotations, annotationPath, isTemplate }: ContainerContext,
): Generator<string> {
  const { name, securityContext, resources } = container;
  const seccomp = seccompContainerPrefix + name;
  if (!securityContext?.seccompProfile && Object.hasOwn(annotations, seccomp))
    yield `${annotationPath(seccomp)}: ${useSeccompField}`;
  const appArmor = appArmorContainerPrefix + name;
  // In a pod, the annotation has been put into the field already.
  if (isTemplate && !securityContext?.appArmorProfile && Object.hasOwn(annotations, appArmor)) {
    const profile = spec.securityContext?.appArmorProfile;
    if (!profile || !sameValue(profile, appArmorProfileOf(annotations[appArmor] as string)))
      yield `${annotationPath(appArmor)}: ${useAppArmorField}`;
  }
  for (const resource of ["memory", "ephemeral-storage"])
    for (const side of ["limits", "requests"] as const)
      if (resources?.[side])
        yield* fractionWarnings(resources[side], at.child("resources").child(side), [resource]);
  yield* envWarnings(container.env ?? [], at.child("env"));
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

function* nodeLabelWarnings({ nodeSelector = {}, affinity }: PodSpec, at: At): Generator<string> {
  for (const key of Object.keys(nodeSelector)) {
    const message = deprecatedNodeLabel(key);
    if (message) yield `${at.child("nodeSelector").key(key).path}: ${message}`;
  }
  const here = at.child("affinity").child("nodeAffinity");
  const {
    requiredDuringSchedulingIgnoredDuringExecution: required,
    preferredDuringSchedulingIgnoredDuringExecution: preferred = [],
  } = affinity?.nodeAffinity ?? {};
  const terms = here
    .child("requiredDuringSchedulingIgnoredDuringExecution")
    .child("nodeSelectorTerms");
  for (const [i, term] of (required?.nodeSelectorTerms ?? []).entries())
    yield* nodeSelectorTermWarnings(term, terms.index(i), { checkValues: false });
  for (const [i, { preference }] of preferred.entries()) {
    const place = here.child("preferredDuringSchedulingIgnoredDuringExecution").index(i);
    yield* nodeSelectorTermWarnings(preference, place.child("preference"), { checkValues: true });
  }
}

const matchesNothing = "a null labelSelector results in matching no pod";

function* spreadWarnings({ topologySpreadConstraints = [] }: PodSpec, at: At): Generator<string> {
  for (const [i, { topologyKey, labelSelector }] of topologySpreadConstraints.entries()) {
    const here = at.child("topologySpreadConstraints").index(i);
    const message = deprecatedNodeLabel(topologyKey);
    if (message) yield `${here.child("topologyKey").path}: ${topologyKey} is ${message}`;
    if (!labelSelector) yield `${here.child("labelSelector").path}: ${matchesNothing}`;
  }
}

function* affinityWarnings(
  affinity: PodAffinity | PodAntiAffinity | undefined,
  at: At,
): Generator<string> {
  const {
    requiredDuringSchedulingIgnoredDuringExecution: required = [],
    preferredDuringSchedulingIgnoredDuringExecution: preferred = [],
  } = affinity ?? {};
  for (const [i, { labelSelector }] of required.entries())
    if (!labelSelector)
      yield `${at.child("requiredDuringSchedulingIgnoredDuringExecution").index(i).child("labelSelector").path}: ${matchesNothing}`;
  for (const [i, { podAffinityTerm }] of preferred.entries())
    if (!podAffinityTerm.labelSelector)
      yield `${at.child("preferredDuringSchedulingIgnoredDuringExecution").index(i).child("podAffinityTerm").child("labelSelector").path}: ${matchesNothing}`;
}

function* duplicateWarnings(
  { hostAliases = [], imagePullSecrets = [] }: PodSpec,
  at: At,
): Generator<string> {
  const ips = new Set<string>();
  for (const [i, { ip }] of hostAliases.entries()) {
    if (ips.has(ip))
      yield `${at.child("hostAliases").index(i).child("ip").path}: duplicate ip ${quote(ip)}`;
    ips.add(ip);
  }
  const names = new Set<string>();
  const secretName = (i: number) => at.child("imagePullSecrets").index(i).child("name").path;
  for (const [i, { name = "" }] of imagePullSecrets.entries()) {
    if (names.has(name)) yield `${secretName(i)}: duplicate name ${quote(name)}`;
    names.add(name);
  }
  for (const [i, { name }] of imagePullSecrets.entries())
    if (!name) yield `${secretName(i)}: invalid empty name ""`;
}

function* fractionWarnings(
  list: ResourceList | undefined,
  at: At,
  names: readonly string[],
): Generator<string> {
  if (!list) return;
  for (const name of names) {
    const amount = list[name];
    if (amount !== undefined && isFraction(amount))
      yield `${at.key(name).path}: fractional byte value ${quote(amount)} is invalid, must be an integer`;
  }
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
function* envWarnings(env: readonly EnvVar[], at: At): Generator<string> {
  const names = new Set<string>();
  for (const [i, { name, value = "", valueFrom }] of env.entries()) {
    const reference = `$(${name})`;
    if (names.has(name) && (valueFrom || value === reference || !value.includes(reference)))
      yield `${at.index(i).path}: hides previous definition of ${quote(name)}, which may be dropped when using apply`;
    names.add(name);
  }
}

function* addressWarnings({ dnsConfig, hostAliases = [] }: PodSpec, at: At): Generator<string> {
  for (const [i, server] of (dnsConfig?.nameservers ?? []).entries())
    yield* getWarningsForIp(at.child("dnsConfig").child("nameservers").index(i).path, server);
  for (const [i, { ip }] of hostAliases.entries())
    yield* getWarningsForIp(at.child("hostAliases").index(i).child("ip").path, ip);
}
