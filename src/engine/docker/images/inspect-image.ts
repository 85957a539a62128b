import type { ImageHistory, StoredImage } from "../../images/stored-image.ts";
import type { DockerContext } from "../docker-context.ts";
import { dockerTime } from "../show/docker-time.ts";
import { familiarDigests, familiarTags } from "./image-names.ts";
import { createdAt, imageSize } from "./list-images.ts";

/** All that `docker image inspect` shows of an image. */
export async function inspectImage(context: DockerContext, image: StoredImage): Promise<object> {
  const { config } = image;
  const run = config.config ?? {};
  return {
    Id: image.id,
    RepoTags: familiarTags(image),
    RepoDigests: familiarDigests(image),
    Parent: "",
    Comment: config.history?.at(-1)?.comment ?? "",
    Created: config.created ?? dockerTime(0),
    DockerVersion: "",
    Author: config.author ?? "",
    Config: {
      Hostname: "",
      Domainname: "",
      User: "",
      AttachStdin: false,
      AttachStdout: false,
      AttachStderr: false,
      Tty: false,
      OpenStdin: false,
      StdinOnce: false,
      Image: "",
      OnBuild: null,
      ...run,
      Env: run.Env ?? null,
      Cmd: run.Cmd ?? null,
      Entrypoint: run.Entrypoint ?? null,
      Volumes: run.Volumes ?? null,
      WorkingDir: run.WorkingDir ?? "",
      Labels: run.Labels ?? null,
    },
    Architecture: config.architecture,
    ...(config.variant !== undefined && { Variant: config.variant }),
    Os: config.os,
    Size: await imageSize(context, image),
    GraphDriver: { Data: null, Name: "overlay2" },
    RootFS: { Type: "layers", Layers: image.layers },
    Metadata: { LastTagTime: dockerTime(image.lastTaggedAt) },
  };
}

/** The steps by which an image was made, the last first. */
export async function imageHistory(
  { snapshots }: DockerContext,
  image: StoredImage,
): Promise<readonly object[]> {
  const layers = [...image.layers];
  const history: readonly ImageHistory[] = image.config.history ?? image.layers.map(() => ({}));
  const steps: object[] = [];
  for (const step of history) {
    const layer = step.empty_layer ? undefined : layers.shift();
    const usage =
      layer === undefined ? undefined : await snapshots.layerUsage(layer).catch(() => undefined);
    steps.push({
      Id: "<missing>",
      Created: Math.floor((Date.parse(step.created ?? "") || createdAt(image)) / 1000),
      CreatedBy: step.created_by ?? "",
      Tags: null,
      Size: usage?.bytes ?? 0,
      Comment: step.comment ?? "",
    });
  }
  const last = steps.pop();
  if (last) steps.push({ ...last, Id: image.id, Tags: familiarTags(image) });
  return steps.reverse();
}
