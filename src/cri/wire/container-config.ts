import type { MessageOf, Sent } from "../../base/protobuf-message.ts";
import { linuxResources, resourcesOf } from "../linux-resources.ts";
import type { ContainerConfig, PodSandboxConfig } from "../runtime-types.ts";
import { mountFromWire, mountToWire } from "./container-mount.ts";
import { linuxResourcesFromWire, linuxResourcesToWire } from "./linux-resources.ts";
import type { ContainerConfig as WireConfig } from "./messages/container-messages.ts";
import { containerLabels } from "./pod-labels.ts";
import { sandboxNamespaces } from "./sandbox-config.ts";
import { containerSecurityFromWire, containerSecurityToWire } from "./security-context.ts";
import { signalFromWire, signalToWire } from "./stop-signal.ts";

/** Annotations of what the messages have no fields for. The first is kubelets'. */
const annotationNames = {
  terminationMessagePath: "io.kubernetes.container.terminationMessagePath",
  kind: "wherry.dev/container-kind",
} as const;

/** The configuration of a container, as a message. */
export function containerConfigToWire(
  config: ContainerConfig,
  sandbox: PodSandboxConfig,
): Sent<MessageOf<typeof WireConfig>> {
  const { metadata, image, kind, labels, annotations, terminationMessagePath } = config;
  const encoder = new TextEncoder();
  return {
    metadata,
    image: { image, user_specified_image: config.userSpecifiedImage },
    command: config.command,
    args: config.args,
    working_dir: config.workingDir,
    envs: config.env.map(({ name, value }) => ({ key: name, value: encoder.encode(value) })),
    mounts: config.mounts?.map(mountToWire),
    devices: config.devices?.map(({ containerPath, hostPath, permissions }) => ({
      container_path: containerPath,
      host_path: hostPath,
      permissions,
    })),
    CDI_devices: config.cdiDevices?.map((name) => ({ name })),
    labels: { ...containerLabels(sandbox.metadata, metadata), ...labels },
    annotations: {
      ...annotations,
      ...(terminationMessagePath !== "" && {
        [annotationNames.terminationMessagePath]: terminationMessagePath,
      }),
      ...(kind !== "container" && { [annotationNames.kind]: kind }),
    },
    log_path: config.logPath,
    stdin: config.stdin,
    stdin_once: config.stdinOnce,
    tty: config.tty,
    linux: {
      resources: linuxResourcesToWire(linuxResources(config.resources)),
      security_context: containerSecurityToWire({
        ...config.security,
        namespaces: config.security?.namespaces ?? sandboxNamespaces(sandbox),
      }),
    },
    stop_signal: signalToWire(config.stopSignal),
  };
}

/** The configuration of a container, from a message. */
export function containerConfigFromWire(wire: MessageOf<typeof WireConfig>): ContainerConfig {
  const { metadata, image, linux, mounts, devices, CDI_devices: cdiDevices } = wire;
  const { log_path: logPath } = wire;
  const decoder = new TextDecoder();
  const userSpecifiedImage = image?.user_specified_image ?? "";
  const stopSignal = signalFromWire(wire.stop_signal);
  const {
    [annotationNames.terminationMessagePath]: terminationMessagePath = "",
    [annotationNames.kind]: kind = "container",
    ...annotations
  } = wire.annotations;
  return {
    metadata: metadata ?? { name: "", attempt: 0 },
    image: image?.image ?? "",
    ...(userSpecifiedImage !== "" && { userSpecifiedImage }),
    kind: isKind(kind) ? kind : "container",
    command: wire.command,
    args: wire.args,
    workingDir: wire.working_dir,
    env: wire.envs.map(({ key, value }) => ({ name: key, value: decoder.decode(value) })),
    labels: wire.labels,
    annotations: {
      ...annotations,
      ...(terminationMessagePath !== "" && {
        [annotationNames.terminationMessagePath]: terminationMessagePath,
      }),
    },
    resources: linux?.resources ? resourcesOf(linuxResourcesFromWire(linux.resources)) : {},
    stdin: wire.stdin,
    stdinOnce: wire.stdin_once,
    tty: wire.tty,
    terminationMessagePath,
    ...(stopSignal !== undefined && { stopSignal }),
    ...(mounts.length > 0 && { mounts: mounts.map(mountFromWire) }),
    ...(devices.length > 0 && {
      devices: devices.map(({ container_path, host_path, permissions }) => ({
        containerPath: container_path,
        hostPath: host_path,
        permissions,
      })),
    }),
    ...(cdiDevices.length > 0 && { cdiDevices: cdiDevices.map(({ name }) => name) }),
    ...(logPath !== "" && { logPath }),
    ...(linux?.security_context && {
      security: containerSecurityFromWire(linux.security_context),
    }),
  };
}

const kinds = ["container", "init", "sidecar", "ephemeral"] as const;
const isKind = (text: string): text is ContainerConfig["kind"] =>
  (kinds as readonly string[]).includes(text);
