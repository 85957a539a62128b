import { Readable } from "node:stream";
import type { ContentStore } from "../content-store.ts";
import { isDigest, shortId } from "../digest.ts";
import { type Descriptor, parseManifest } from "../manifest.ts";
import type { Reference } from "../reference.ts";
import type { StoredImage } from "../stored-image.ts";
import type { HttpResponse } from "./http-connections.ts";
import { type RegistryClient, unexpectedStatus } from "./registry-client.ts";
import { RegistryError } from "./registry-error.ts";
import type { RegistryHost } from "./registry-hosts.ts";

/** The progress of one layer, in docker's words. */
export interface PushProgress {
  readonly id: string;
  readonly status:
    | "Preparing"
    | "Pushing"
    | "Pushed"
    | "Layer already exists"
    | `Mounted from ${string}`;
  readonly current?: number | undefined;
  readonly total?: number | undefined;
}

export interface Pushing {
  readonly client: RegistryClient;
  readonly content: ContentStore;
  /** Repositories of the same registry that have the layers already. */
  readonly sources: readonly string[];
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: PushProgress) => void) | undefined;
}

/** What the registry now has under the name. */
export interface PushedImage {
  readonly digest: string;
  readonly size: number;
}

/** Sends an image to a registry: first the blobs that it does not have, then the manifest. */
export async function pushImage(
  reference: Reference,
  image: StoredImage,
  pushing: Pushing,
): Promise<PushedImage> {
  const { client, content, signal } = pushing;
  const bytes = await content.read(image.manifest);
  const manifest = parseManifest(bytes);
  if (manifest.kind !== "manifest")
    throw new Error(`${image.manifest} is not the manifest of an image`);
  const host = client.pushHost();
  const layers = [...new Map(manifest.layers.map((layer) => [layer.digest, layer])).values()];
  for (const { digest } of layers) report(pushing, digest, "Preparing");
  for (const layer of layers) await pushBlob(host, layer, pushing);
  await pushBlob(host, manifest.config, { ...pushing, onProgress: undefined });
  const url = client.pathOn(host, "manifests", reference.tag ?? image.manifest);
  const headers = { "Content-Type": manifest.mediaType };
  const response = await client.call(host, {
    method: "PUT",
    url,
    headers,
    body: bytes,
    signal,
    access,
  });
  if (response.status !== 201 && response.status !== 200) throw await refused("PUT", response);
  response.body.resume();
  const said = response.headers["docker-content-digest"];
  if (isDigest(said) && said !== image.manifest)
    throw new RegistryError("Unexpected", `got digest ${said} when expecting ${image.manifest}`);
  return { digest: image.manifest, size: bytes.length };
}

const access = "pull,push";
const attempts = 3;

async function pushBlob(host: RegistryHost, blob: Descriptor, pushing: Pushing): Promise<void> {
  const { client, signal } = pushing;
  const url = client.pathOn(host, "blobs", blob.digest);
  const found = await client.call(host, { method: "HEAD", url, headers: {}, signal, access });
  found.body.resume();
  if (found.status === 200) return report(pushing, blob.digest, "Layer already exists");
  for (let attempt = 1; ; attempt++)
    try {
      return await upload(host, blob, pushing);
    } catch (error) {
      signal?.throwIfAborted();
      const isBroken = error instanceof RegistryError && error.fault === "Unreachable";
      if (!isBroken || attempt >= attempts) throw error;
    }
}

/** As docker does it: begin, send everything, and finish with the digest. */
async function upload(host: RegistryHost, blob: Descriptor, pushing: Pushing): Promise<void> {
  const { client, signal, sources } = pushing;
  const begin = client.pathOn(host, "blobs", "uploads/");
  const [source] = sources;
  if (source !== undefined) {
    begin.searchParams.set("mount", blob.digest);
    begin.searchParams.set("from", source);
  }
  const begun = await client.call(host, {
    method: "POST",
    url: begin,
    headers: {},
    body: nothing,
    signal,
    access,
  });
  if (begun.status === 201 && source !== undefined) {
    begun.body.resume();
    return report(pushing, blob.digest, `Mounted from ${source}`);
  }
  if (begun.status !== 202) throw await refused("POST", begun);
  const stream = Readable.from(reported(blob, pushing), { objectMode: false });
  const sent = await client.call(host, {
    method: "PATCH",
    url: nextUrl(begun),
    headers: { "Content-Type": "application/octet-stream" },
    body: { stream, length: blob.size },
    signal,
    access,
  });
  if (sent.status !== 202) throw await refused("PATCH", sent);
  const end = nextUrl(sent);
  end.searchParams.set("digest", blob.digest);
  const done = await client.call(host, {
    method: "PUT",
    url: end,
    headers: {},
    body: nothing,
    signal,
    access,
  });
  if (done.status !== 201) throw await refused("PUT", done);
  done.body.resume();
  report(pushing, blob.digest, "Pushed");
}

async function* reported(blob: Descriptor, pushing: Pushing): AsyncGenerator<Uint8Array> {
  let current = 0;
  for await (const chunk of pushing.content.stream(blob.digest)) {
    current += (chunk as Uint8Array).length;
    report(pushing, blob.digest, "Pushing", { current, total: blob.size });
    yield chunk as Uint8Array;
  }
}

const nothing = new Uint8Array(0);

/** Where an upload goes on. */
function nextUrl(response: HttpResponse): URL {
  response.body.resume();
  const { location } = response.headers;
  if (location === undefined || !URL.canParse(location, response.url.href))
    throw new RegistryError("Unexpected", "the registry did not say where the upload continues");
  return new URL(location, response.url);
}

/** The error for a refused push, in docker's words where the caller may not do it. */
async function refused(method: string, response: HttpResponse): Promise<RegistryError> {
  const error = await unexpectedStatus(method, response);
  if (error.fault !== "Denied") return error;
  return new RegistryError(
    "Denied",
    error.serverMessage || "denied: requested access to the resource is denied",
  );
}

function report(
  { onProgress }: Pushing,
  digest: string,
  status: PushProgress["status"],
  bytes: Pick<PushProgress, "current" | "total"> = {},
): void {
  onProgress?.({ id: shortId(digest), status, ...bytes });
}
