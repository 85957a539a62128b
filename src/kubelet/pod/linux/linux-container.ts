import type { EphemeralContainer } from "../../../api/core/v1/container/ephemeral-container.ts";
import type { ContainerConfig } from "../../../cri/runtime-types.ts";
import type { HostedContainer } from "../pod-host.ts";
import { containerAnnotations } from "./container-annotations.ts";
import { containerSecurity } from "./container-security.ts";
import { linuxContainerResources } from "./linux-resources.ts";
import type { LinuxSettings, PodLookups } from "./linux-settings.ts";

/** Completes the configuration of a container. Throws if it may not run as its settings say. */
export function linuxContainer(
  config: ContainerConfig,
  request: HostedContainer & PodLookups,
  settings: LinuxSettings,
): ContainerConfig {
  const { pod, container, image } = request;
  const { name, attempt } = config.metadata;
  const security = containerSecurity({ ...request, targetId: targetOf(request) }, settings);
  return {
    ...config,
    image: image.id,
    userSpecifiedImage: container.image ?? "",
    annotations: { ...config.annotations, ...containerAnnotations(pod, container, attempt) },
    logPath: `${name}/${attempt}.log`,
    security,
    resources: {
      ...config.resources,
      linux: linuxContainerResources(pod, container, settings.resources),
    },
  };
}

/** The ID of the container whose processes an ephemeral container shall see. */
function targetOf({ container, idOf }: HostedContainer): string | undefined {
  const { targetContainerName: target } = container as Partial<EphemeralContainer>;
  if (!target) return undefined;
  const id = idOf(target);
  if (id === undefined) throw new Error(`unable to find target container ${target}`);
  return id;
}
