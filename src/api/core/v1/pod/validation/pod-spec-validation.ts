import type { At } from "../../../../../schema/language/report.ts";
import {
  isDns1123Label,
  isDns1123Subdomain,
  isInRange,
  nameIsDnsSubdomain,
} from "../../../../../schema/values/names.ts";
import type { ObjectMeta } from "../../../../meta/v1/object-meta.ts";
import { validateLabels } from "../../../../meta/v1/object-meta-validation.ts";
import {
  type ContainerContext,
  validateContainers,
  validateInitContainers,
} from "../../container/container-validation.ts";
import { validateEphemeralContainers } from "../../container/ephemeral-container-validation.ts";
import { validateResourceRequirements } from "../../container/resource-requirements.ts";
import { validatePodSecurityContext } from "../../container/security-context-validation.ts";
import { validateContainerResourceName } from "../../resource-name.ts";
import { validateAffinity } from "../../scheduling/affinity-validation.ts";
import {
  validatePodResourceClaims,
  validateReadinessGates,
  validateSchedulingGates,
  validateSchedulingGroup,
} from "../../scheduling/scheduling.ts";
import { validateTolerations } from "../../scheduling/toleration.ts";
import { validateTopologySpreadConstraints } from "../../scheduling/topology-spread.ts";
import { validateVolumes } from "../../volume/volume-validation.ts";
import { validateHostAliases } from "../host-alias.ts";
import { mirrorPodAnnotation } from "../pod-annotations.ts";
import { containersWithPath } from "../pod-containers.ts";
import { validatePodDnsConfig } from "../pod-dns.ts";
import { validatePodResources } from "../pod-resources.ts";
import type { PodSpec } from "../pod-spec.ts";
import { validatePodOs, validateWindowsHostProcess } from "./pod-os-validation.ts";
import type { PodValidationOptions } from "./pod-validation-options.ts";

/** What a pod spec's rules depend on beside the spec. */
export interface PodSpecContext {
  /** Of the pod; absent for a template. */
  readonly meta?: ObjectMeta | undefined;
  readonly options: PodValidationOptions;
}

/** The rules of a pod's spec, in a pod or in a template. */
export function validatePodSpec(spec: PodSpec, at: At, { meta, options }: PodSpecContext): void {
  if (spec.terminationGracePeriodSeconds === undefined)
    at.required("terminationGracePeriodSeconds");
  const { resourceClaims = [] } = spec;
  const volumes = validateVolumes(spec.volumes ?? [], at.child("volumes"), {
    ...options,
    podName: meta?.name,
  });
  const claimNames = new Set(resourceClaims.map(({ name }) => name).filter((name) => name !== ""));
  validatePodResourceClaims(resourceClaims, at.child("resourceClaims"), {
    isMirror: Object.hasOwn(meta?.annotations ?? {}, mirrorPodAnnotation),
  });
  const context: ContainerContext = { spec, volumes, claimNames, options };
  validateContainers(spec.containers ?? [], at.child("containers"), context);
  validateInitContainers(spec.initContainers ?? [], at.child("initContainers"), context);
  validateEphemeralContainers(
    spec.ephemeralContainers ?? [],
    at.child("ephemeralContainers"),
    context,
  );
  validatePodResources(spec, at, { claimNames, options });
  validateHostNetworkPorts(spec, at, options);
  validatePolicies(spec, at);
  validateLabels(spec.nodeSelector, at.child("nodeSelector"));
  if (spec.securityContext)
    validatePodSecurityContext(spec.securityContext, at.child("securityContext"), {
      spec,
      options,
    });
  validatePlacement(spec, at, options);
  validateHostUsers(spec, at, options);
  validateHostnameOverride(spec, at);
  validateNames(spec, at);
  validateTolerations(spec.tolerations ?? [], at.child("tolerations"), options);
  validateHostAliases(spec.hostAliases ?? [], at.child("hostAliases"));
  validateClasses(spec, at, options);
  validatePodOs(spec, at);
  if (spec.schedulingGroup)
    validateSchedulingGroup(spec.schedulingGroup, at.child("schedulingGroup"));
  validateEnvFiles(spec, at);
}

/** On the node's network a container's port is the node's; a template may leave that open. */
function validateHostNetworkPorts(
  spec: PodSpec,
  at: At,
  { resourceIsPod }: PodValidationOptions,
): void {
  if (!spec.hostNetwork) return;
  for (const [i, { ports = [] }] of (spec.containers ?? []).entries())
    for (const [j, { hostPort = 0, containerPort }] of ports.entries())
      if ((resourceIsPod || hostPort !== 0) && hostPort !== containerPort)
        at.child("containers")
          .index(i)
          .child("ports")
          .index(j)
          .invalid("hostPort", hostPort, "must match `containerPort` when `hostNetwork` is true");
}

const restartPolicies = ["Always", "OnFailure", "Never"];
const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const preemptionPolicies = ["PreemptLowerPriority", "Never"];

function validatePolicies({ restartPolicy, dnsPolicy }: PodSpec, at: At): void {
  validateChoice("restartPolicy", restartPolicy, { at, values: restartPolicies });
  validateChoice("dnsPolicy", dnsPolicy, { at, values: dnsPolicies });
}

function validateChoice(
  field: string,
  value: string | undefined,
  { at, values }: { readonly at: At; readonly values: readonly string[] },
): void {
  if (!value) at.required(field);
  else if (!values.includes(value)) at.notSupported(field, value, values);
}

function validatePlacement(spec: PodSpec, at: At, options: PodValidationOptions): void {
  if (spec.affinity) validateAffinity(spec.affinity, at.child("affinity"), options);
  validatePodDnsConfig(spec.dnsConfig, spec.dnsPolicy, at.child("dnsConfig"));
  validateReadinessGates(spec.readinessGates ?? [], at.child("readinessGates"));
  validateSchedulingGates(spec.schedulingGates ?? [], at.child("schedulingGates"));
  validateTopologySpreadConstraints(
    spec.topologySpreadConstraints ?? [],
    at.child("topologySpreadConstraints"),
    options,
  );
  validateWindowsHostProcess(spec, at);
}

/** A pod with a user namespace of its own shares no other namespace with its node. */
function validateHostUsers(spec: PodSpec, at: At, options: PodValidationOptions): void {
  if (spec.hostUsers !== false) return;
  const detail = "when `hostUsers` is false";
  if (spec.hostNetwork && !options.allowUserNamespacesHostNetworkSupport)
    at.forbidden("hostNetwork", detail);
  if (spec.hostPID) at.forbidden("HostPID", detail);
  if (spec.hostIPC) at.forbidden("HostIPC", detail);
  if (options.allowUserNamespacesWithVolumeDevices) return;
  for (const [{ volumeDevices = [] }, here] of containersWithPath(spec, at))
    if (volumeDevices.length > 0) here.forbidden("volumeDevices", detail);
}

const maxHostname = 64;

function validateHostnameOverride(spec: PodSpec, at: At): void {
  const { hostnameOverride } = spec;
  if (hostnameOverride === undefined) return;
  if (spec.setHostnameAsFQDN)
    at.forbidden("hostnameOverride", "may not be specified when setHostnameAsFQDN is true");
  if (spec.hostNetwork)
    at.forbidden("hostnameOverride", "may not be specified when hostNetwork is true");
  if (hostnameOverride.length > maxHostname) at.tooLong("hostnameOverride", maxHostname);
  at.invalidEach("hostnameOverride", hostnameOverride, isDns1123Subdomain(hostnameOverride));
}

function validateNames(spec: PodSpec, at: At): void {
  for (const field of ["serviceAccountName", "nodeName"] as const) {
    const name = spec[field];
    if (name) at.invalidEach(field, name, nameIsDnsSubdomain(name));
  }
  const { activeDeadlineSeconds: deadline } = spec;
  if (deadline !== undefined)
    at.invalidEach("activeDeadlineSeconds", deadline, isInRange(deadline, 1, 2 ** 31 - 1));
  for (const field of ["hostname", "subdomain"] as const) {
    const name = spec[field];
    if (name) at.invalidEach(field, name, isDns1123Label(name));
  }
}

function validateClasses(spec: PodSpec, at: At, options: PodValidationOptions): void {
  const { priorityClassName, runtimeClassName, preemptionPolicy, overhead } = spec;
  if (priorityClassName)
    at.invalidEach("priorityClassName", priorityClassName, nameIsDnsSubdomain(priorityClassName));
  if (runtimeClassName !== undefined)
    at.invalidEach("runtimeClassName", runtimeClassName, nameIsDnsSubdomain(runtimeClassName));
  if (preemptionPolicy !== undefined)
    validateChoice("preemptionPolicy", preemptionPolicy, { at, values: preemptionPolicies });
  if (overhead)
    validateResourceRequirements({ limits: overhead }, at.child("overhead"), {
      name: validateContainerResourceName,
      claimNames: new Set(),
      allowIndivisibleHugePages: options.allowIndivisibleHugePagesValues,
    });
}

/** Files of environment variables lie in volumes that the pod can write to. */
function validateEnvFiles(spec: PodSpec, at: At): void {
  const volumes = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]));
  for (const [{ env = [] }, here] of containersWithPath(spec, at))
    for (const [i, { valueFrom }] of env.entries()) {
      const name = valueFrom?.fileKeyRef?.volumeName;
      if (name === undefined) continue;
      const place = here.child("env").index(i).child("valueFrom").child("fileKeyRef");
      const volume = volumes.get(name);
      if (!volume) place.notFound("volumeName", name);
      else if (!volume.emptyDir)
        place.invalid("volumeName", name, "referenced volume must be of type emptyDir");
    }
}
