import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ImageService } from "../../src/cri/image-service.ts";
import {
  type BuiltImage,
  buildImage,
  tarOf,
} from "../../src/engine/images/oci-image.test-support.ts";
import { startContainerd } from "../../test/cri/containerd.test-support.ts";
import { startEngine } from "./engine-process.ts";
import { median, verdict } from "./engine-verdict.ts";

const files = 100;
const fileBytes = 1 << 20;

/** Compares the pull of an image of 100 MB, and the unpacking of its layers, with containerd's. */
export async function benchPull(work: string): Promise<void> {
  const engine = await startEngine(work);
  const containerd = await startContainerd();
  const registry = await serveImages();
  try {
    const times = { ours: [] as number[], theirs: [] as number[] };
    for (let round = 0; round < 3; round++) {
      registry.publish(`app${round}`, bigImage());
      const name = `${registry.host}/app${round}:1`;
      times.ours.push(await pull(engine.connection.images, name));
      times.theirs.push(await pull(containerd.connection.images, name));
    }
    verdict("pull and unpack of 100 MB in four layers", median(times.ours), median(times.theirs), {
      unit: "ms",
    });
  } finally {
    registry.close();
    await engine.close();
    await containerd.close();
  }
}

async function pull(images: ImageService, name: string): Promise<number> {
  const begin = performance.now();
  const { sizeBytes } = await images.pullImage(name);
  const took = performance.now() - begin;
  if (sizeBytes < (files * fileBytes) / 4) throw new Error(`${name} has only ${sizeBytes} bytes`);
  await images.removeImage(name);
  return took;
}

/** An image whose files compress to about half, in four layers. */
function bigImage(): BuiltImage {
  const layer = (number: number): Buffer =>
    tarOf(
      Array.from({ length: files / 4 }, (_, i) => ({
        name: `data/${number}-${i}`,
        content: Buffer.concat([randomBytes(fileBytes / 2), Buffer.alloc(fileBytes / 2, number)]),
      })),
    );
  return buildImage([0, 1, 2, 3].map(layer));
}

/** A registry that serves images on the loopback interface. */
async function serveImages() {
  const blobs = new Map<string, Buffer>();
  const tags = new Map<string, string>();
  const server = createServer(({ url = "", method }, response) => {
    const [, repository = "", kind, name = ""] =
      /^\/v2\/([^/]+)\/(manifests|blobs)\/(.+)$/.exec(url) ?? [];
    const digest = name.startsWith("sha256:") ? name : (tags.get(`${repository}:${name}`) ?? "");
    const bytes = blobs.get(digest);
    if (url === "/v2/") return void response.end("{}");
    if (!bytes) return void response.writeHead(404).end();
    const type =
      kind === "manifests"
        ? "application/vnd.oci.image.manifest.v1+json"
        : "application/octet-stream";
    response.writeHead(200, {
      ...{ "content-type": type, "content-length": bytes.length, "docker-content-digest": digest },
    });
    response.end(method === "HEAD" ? undefined : bytes);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    publish(repository: string, image: BuiltImage) {
      for (const [digest, bytes] of image.blobs) blobs.set(digest, bytes);
      tags.set(`${repository}:1`, image.manifest);
    },
    close: () => server.close(),
  };
}
