import {
  bool,
  list,
  message,
  named,
  string,
  strings,
  value,
} from "../../../../schema/language/field.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { VolumeDevice, VolumeMount } from "../volume/volume-mount.ts";
import { ContainerPort } from "./container-port.ts";
import { ContainerResizePolicy, ContainerRestartRule } from "./container-restart.ts";
import { EnvFromSource, EnvVar } from "./env.ts";
import { defaultPullPolicy } from "./image-name.ts";
import { Lifecycle } from "./lifecycle.ts";
import { Probe } from "./probe.ts";
import { ResourceRequirements } from "./resource-requirements.ts";
import { SecurityContext } from "./security-context.ts";

export const Container = struct("io.k8s.api.core.v1.Container", {
  name: string(1).always().expected().doc("Name of the container, unique within its pod."),
  image: string(2).doc("The image to run."),
  command: strings(3).atomic().doc("What is run, instead of the image's entry point."),
  args: strings(4).atomic().doc("Its arguments, instead of those of the image."),
  workingDir: string(5).doc("The folder it runs in, instead of the image's."),
  ports: list(6, ContainerPort)
    .keyedBy("containerPort", "protocol")
    .doc("Ports that the container listens on."),
  envFrom: list(19, EnvFromSource).atomic().doc("Sets of variables for its environment."),
  env: list(7, EnvVar).keyedBy("name").doc("Variables of its environment."),
  resources: value(8, ResourceRequirements).doc("Resources that the container needs."),
  resizePolicy: list(23, ContainerResizePolicy)
    .atomic()
    .doc("What happens when its resources are changed while it runs."),
  restartPolicy: named(24, "v1.ContainerRestartPolicy")
    .pointer()
    .known("Always", "Never", "OnFailure")
    .doc(
      "When it is restarted, instead of as its pod says; Always makes an init container a sidecar.",
    ),
  restartPolicyRules: list(25, ContainerRestartRule)
    .atomic()
    .doc("Rules that decide on a restart before the policy does."),
  volumeMounts: list(9, VolumeMount).keyedBy("mountPath").doc("Volumes that are mounted."),
  volumeDevices: list(21, VolumeDevice).keyedBy("devicePath").doc("Volumes that are devices."),
  livenessProbe: message(10, Probe).doc("When it fails, the container is restarted."),
  readinessProbe: message(11, Probe).doc("While it fails, services send nothing here."),
  startupProbe: message(22, Probe).doc("Until it succeeds, the other probes wait."),
  lifecycle: message(12, Lifecycle).doc("What is done at its start and before its end."),
  terminationMessagePath: string(13)
    .default("/dev/termination-log")
    .doc("The file to which it writes its last words."),
  terminationMessagePolicy: named(20, "v1.TerminationMessagePolicy")
    .known("File", "FallbackToLogsOnError")
    .default("File")
    .doc("Whether the end of its log stands for last words that are missing."),
  imagePullPolicy: named(14, "v1.PullPolicy")
    .known("Always", "Never", "IfNotPresent")
    .doc("When the image is pulled."),
  securityContext: message(15, SecurityContext).doc("Security settings of the container."),
  stdin: bool(16).doc("Whether it has a standard input."),
  stdinOnce: bool(17).doc("Whether that is closed when the first client leaves."),
  tty: bool(18).doc("Whether it has a terminal; stdin must be set too."),
})
  .defaults(setContainerDefaults)
  .doc("A container of a pod.");
export interface Container extends Infer<typeof Container> {}

/** The defaults of a container that depend on its other fields. */
export function setContainerDefaults(container: {
  image?: string | undefined;
  imagePullPolicy?: string | undefined;
}): void {
  container.imagePullPolicy ??= defaultPullPolicy(container.image ?? "");
}

/** Whether an init container goes on running beside the others. */
export const isSidecar = ({ restartPolicy }: Pick<Container, "restartPolicy">): boolean =>
  restartPolicy === "Always";
