import type { DockerContainer } from "../create/docker-details.ts";
import type { DockerEvents } from "../system/docker-events.ts";

/** Tells listeners what happened to a container: its labels, image and name are attributes of the event. */
export function emitContainer(
  events: DockerEvents,
  container: Pick<DockerContainer, "id" | "details">,
  action: string,
  attributes: Readonly<Record<string, string>> = {},
): void {
  const { config, name } = container.details;
  events.emit({
    type: "container",
    action,
    id: container.id,
    attributes: { ...config.Labels, ...attributes, image: config.Image, name },
  });
}
