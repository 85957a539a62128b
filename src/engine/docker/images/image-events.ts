import type { DockerContext } from "../docker-context.ts";

/** Tells listeners what happened to an image. */
export function emitImage(
  { events, images }: Pick<DockerContext, "events" | "images">,
  action: string,
  id: string,
  name: string,
): void {
  const labels = images.store.resolve(id)?.config.config?.Labels ?? {};
  events.emit({ type: "image", action, id, attributes: { ...labels, name } });
}
