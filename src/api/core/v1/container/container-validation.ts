import type { At } from "../../../../schema/language/report.ts";
import { isDns1123Label } from "../../../../schema/values/names.ts";
import type { PodSpec } from "../pod/pod-spec.ts";
import type { PodValidationOptions } from "../pod/validation/pod-validation-options.ts";
import { validateContainerResourceName } from "../resource-name.ts";
import {
  type VolumesByName,
  validateVolumeDevices,
  validateVolumeMounts,
} from "../volume/volume-mount.ts";
import { type Container, isSidecar } from "./container.ts";
import { validateContainerPorts, validateHostPortConflicts } from "./container-port.ts";
import {
  validateContainerRestartPolicy,
  validateInitContainerRestartPolicy,
  validateResizePolicy,
} from "./container-restart.ts";
import { validateEnv, validateEnvFrom } from "./env.ts";
import { validateLifecycle } from "./lifecycle.ts";
import { validateLivenessProbe, validateReadinessProbe } from "./probe.ts";
import { validateResourceRequirements } from "./resource-requirements.ts";
import { validateSecurityContext } from "./security-context-validation.ts";

/** What the rules of containers look at beside the container. */
export interface ContainerContext {
  /** The spec of their pod. */
  readonly spec: PodSpec;
  /** The volumes of the pod that are valid themselves. */
  readonly volumes: VolumesByName;
  /** The names of its resource claims. */
  readonly claimNames: ReadonlySet<string>;
  readonly options: PodValidationOptions;
}

/** The rules of a pod's containers. */
export function validateContainers(
  containers: readonly Container[],
  at: At,
  context: ContainerContext,
): void {
  if (containers.length === 0) {
    at.required();
    return;
  }
  const names = new Set<string>();
  for (const [i, container] of containers.entries()) {
    const here = at.index(i);
    validateContainer(container, here, context);
    if (names.has(container.name)) here.duplicate("name", container.name);
    names.add(container.name);
    validateHooks(container, here, context);
    validateContainerRestartPolicy(container, here);
  }
  validateHostPortConflicts(containers, at);
}

/** The rules of a pod's init containers. */
export function validateInitContainers(
  initContainers: readonly Container[],
  at: At,
  context: ContainerContext,
): void {
  const names = new Set((context.spec.containers ?? []).map(({ name }) => name));
  for (const [i, container] of initContainers.entries()) {
    const here = at.index(i);
    validateContainer(container, here, context);
    validateInitContainerRestartPolicy(container, here);
    if (names.has(container.name)) here.duplicate("name", container.name);
    if (container.name) names.add(container.name);
    // They run one by one, so only a container's own ports can be in each other's way.
    validateHostPortConflicts([container], at);
    if (isSidecar(container)) validateHooks(container, here, context);
    else validateOneTimeContainer(container, here, context);
  }
}

/** What holds for the containers of a pod, but not of a pod template. */
export function validateContainersOfPod(containers: readonly Container[], at: At): void {
  for (const [i, container] of containers.entries()) validateImagePadding(container, at.index(i));
}

/** An update of a pod neither adds nor removes containers; false if it does. */
export function validateContainerUpdates(
  containers: readonly Container[],
  at: At,
  old: readonly Container[],
): boolean {
  if (containers.length !== old.length) {
    at.forbidden("", "pod updates may not add or remove containers");
    return false;
  }
  for (const [i, container] of containers.entries()) {
    if (!container.image) at.index(i).required("image");
    validateImagePadding(container, at.index(i));
  }
  return true;
}

const messagePolicies = ["File", "FallbackToLogsOnError"];
const pullPolicies = ["Always", "IfNotPresent", "Never"];

/** What holds for containers of every sort. */
export function validateContainer(container: Container, at: At, context: ContainerContext): void {
  const { name, image, terminationMessagePolicy: messagePolicy, imagePullPolicy } = container;
  if (!name) at.required("name");
  else at.invalidEach("name", name, isDns1123Label(name));
  if (!image) at.required("image");
  if (!messagePolicy) at.required("terminationMessagePolicy");
  else if (!messagePolicies.includes(messagePolicy))
    at.notSupported("terminationMessagePolicy", messagePolicy, messagePolicies);
  validateContainerPorts(container.ports ?? [], at.child("ports"));
  validateEnv(container.env ?? [], at.child("env"));
  validateEnvFrom(container.envFrom ?? [], at.child("envFrom"));
  validateVolumeMounts(container, at.child("volumeMounts"), context.volumes);
  validateVolumeDevices(container, at.child("volumeDevices"), context.volumes);
  if (!imagePullPolicy) at.required("imagePullPolicy");
  else if (!pullPolicies.includes(imagePullPolicy))
    at.notSupported("imagePullPolicy", imagePullPolicy, pullPolicies);
  validateResourceRequirements(container.resources, at.child("resources"), {
    name: validateContainerResourceName,
    claimNames: context.claimNames,
    allowIndivisibleHugePages: context.options.allowIndivisibleHugePagesValues,
  });
  validateResizePolicy(
    container.resizePolicy ?? [],
    at.child("resizePolicy"),
    context.spec.restartPolicy,
  );
  if (container.securityContext)
    validateSecurityContext(container.securityContext, at.child("securityContext"), {
      hostUsers: context.spec.hostUsers !== false,
    });
}

/** What containers have that go on running. */
function validateHooks(container: Container, at: At, { spec }: ContainerContext): void {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  const { terminationGracePeriodSeconds: gracePeriod, os } = spec;
  if (lifecycle) validateLifecycle(lifecycle, at.child("lifecycle"), { gracePeriod, os: os?.name });
  if (livenessProbe) validateLivenessProbe(livenessProbe, at.child("livenessProbe"), gracePeriod);
  if (readinessProbe)
    validateReadinessProbe(readinessProbe, at.child("readinessProbe"), gracePeriod);
  if (startupProbe) validateLivenessProbe(startupProbe, at.child("startupProbe"), gracePeriod);
}

/** An init container that runs once and ends. */
function validateOneTimeContainer(container: Container, at: At, context: ContainerContext): void {
  for (const field of ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const)
    if (container[field])
      at.forbidden(field, "may not be set for init containers without restartPolicy=Always");
  if (context.options.allowExistingRestartContainerForNonSidecarInitContainer) return;
  for (const [i, { restartPolicy }] of (container.resizePolicy ?? []).entries())
    if (restartPolicy === "RestartContainer")
      at.child("resizePolicy")
        .index(i)
        .invalid(
          "restartPolicy",
          restartPolicy,
          "must not be set to 'RestartContainer' for non-sidecar initContainers",
        );
}

/** The name of an image has no spaces around it. */
export function validateImagePadding({ image = "" }: Pick<Container, "image">, at: At): void {
  if (image !== image.trim())
    at.invalid("image", image, "must not have leading or trailing whitespace");
}
