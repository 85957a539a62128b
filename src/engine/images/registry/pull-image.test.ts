import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { digestOf } from "../digest.ts";
import { hashedLayers } from "../hashed-layers.test-support.ts";
import { testFolder, testImages } from "../images.test-support.ts";
import type { ImagesOptions } from "../images-options.ts";
import { mediaTypes } from "../manifest.ts";
import { type BuiltImage, buildImage, tarOf } from "../oci-image.test-support.ts";
import type { PullProgress } from "../pull-progress.ts";
import {
  type Exchange,
  startRegistry,
  type TestRegistryOptions,
} from "../test-registry.test-support.ts";

const layer = tarOf([{ name: "a", content: "a".repeat(5000) }]);
const upper = tarOf([{ name: "b", content: "b" }]);
const image = buildImage([layer, upper, layer], { Cmd: ["x"] });
const lowest = image.layers[0]?.digest ?? "";

interface ManifestDocument {
  readonly config: { readonly digest: string };
  readonly layers: { size: number }[];
}

const manifestOf = ({ blobs, manifest }: BuiltImage): ManifestDocument =>
  JSON.parse(String(blobs.get(manifest))) as ManifestDocument;

/** Images with small limits of time, and no settings of this machine. */
const quickImages = (options: Partial<ImagesOptions> = {}) =>
  testImages({
    ...options,
    registry: { hostsFolders: [], stallMs: 60_000, retryMs: 1, parallel: 3, ...options.registry },
  });

const isBlob = ({ url }: Exchange): boolean => url.pathname.endsWith(`/blobs/${lowest}`);

describe("pull", () => {
  test("stores an image, unpacks each layer once and names it", async () => {
    const registry = await startRegistry();
    registry.add("app:1", image);
    const snapshots = hashedLayers();
    const images = await quickImages({ snapshots });
    const progress: PullProgress[] = [];
    const name = `${registry.host}/app:1`;
    const pulled = await images.pull(name, { onProgress: (one) => progress.push(one) });
    expect(pulled).toMatchObject({
      image: { id: image.id, tags: [name], digests: [`${registry.host}/app@${image.manifest}`] },
      digest: image.manifest,
      isNew: true,
    });
    expect([...snapshots.unpacked].sort()).toEqual([...new Set(image.diffIds)].sort());
    const short = lowest.slice(7, 19);
    const statuses = progress.filter(({ id }) => id === short).map(({ status }) => status);
    expect([...new Set(statuses)]).toEqual([
      "Pulling fs layer",
      "Downloading",
      "Verifying Checksum",
      "Download complete",
      "Extracting",
      "Pull complete",
    ]);
    expect(progress.filter(({ status }) => status === "Pull complete")).toHaveLength(2);
  });

  test("a second pull asks for the digest only", async () => {
    const registry = await startRegistry();
    registry.add("app:1", image);
    const images = await quickImages();
    await images.pull(`${registry.host}/app:1`);
    registry.requests.length = 0;
    expect(await images.pull(`${registry.host}/app:1`)).toMatchObject({ isNew: false });
    expect(registry.requests).toEqual(["HEAD /v2/app/manifests/1"]);
  });

  test("pulls at the same time share their downloads", async () => {
    const registry = await startRegistry();
    registry.add("app:1", image);
    registry.add("app:2", buildImage([layer], { Cmd: ["other"] }));
    const images = await quickImages();
    await Promise.all(
      ["app:1", "app:1", "app:2"].map((name) => images.pull(`${registry.host}/${name}`)),
    );
    expect(
      registry.requests.filter((request) => request.endsWith(`/blobs/${lowest}`)),
    ).toHaveLength(1);
  });

  test("by digest, without a tag", async () => {
    const registry = await startRegistry({ hidesDigest: true });
    registry.add("app:1", image);
    const images = await quickImages();
    const name = `${registry.host}/app@${image.manifest}`;
    const { image: pulled } = await images.pull(name);
    expect(pulled).toMatchObject({ tags: [], digests: [name] });
    expect((await images.pull(`${registry.host}/app:1`)).image.tags).toHaveLength(1);
  });

  test("understands docker's media types", async () => {
    const registry = await startRegistry();
    registry.add("oci:1", image);
    const { config, layers } = manifestOf(image);
    const digest = registry.addManifest("app:1", {
      schemaVersion: 2,
      mediaType: mediaTypes.dockerManifest,
      config: { ...config, mediaType: mediaTypes.dockerConfig },
      layers: layers.map((one) => ({ ...one, mediaType: `${mediaTypes.dockerLayer}.gzip` })),
    });
    const images = await quickImages();
    expect(await images.pull(`${registry.host}/app:1`)).toMatchObject({
      image: { id: image.id, manifest: digest },
      digest,
    });
  });

  test("takes the manifest of its platform from a list", async () => {
    const registry = await startRegistry();
    const other = buildImage([layer], { architecture: "s390x" });
    registry.add("s390x:1", other);
    registry.add("own:1", image);
    const list = registry.addManifest("app:1", {
      schemaVersion: 2,
      mediaType: mediaTypes.dockerList,
      manifests: [other, image].map((built) => ({
        mediaType: mediaTypes.ociManifest,
        digest: built.manifest,
        size: built.blobs.get(built.manifest)?.length,
        platform: { os: "linux", architecture: built.config.architecture },
      })),
    });
    const images = await quickImages();
    expect(await images.pull(`${registry.host}/app:1`)).toMatchObject({
      image: { id: image.id, manifest: image.manifest },
      digest: list,
    });
    const wanted = { os: "linux", architecture: "s390x" };
    const pulled = await images.pull(`${registry.host}/app:1`, { platform: wanted });
    expect(pulled.image.id).toBe(other.id);
    await expect(
      images.pull(`${registry.host}/app:1`, { platform: { os: "linux", architecture: "mips" } }),
    ).rejects.toThrow("no match for platform in manifest: not found");
  });

  each<[string, TestRegistryOptions, object | undefined]>([
    ["an anonymous token", { auth: "token" }, undefined],
    ["a token for a password", { auth: "token", user: "u:p" }, { username: "u", password: "p" }],
    ["a token for an identity", { auth: "token", identityToken: "i" }, { identityToken: "i" }],
    ["a token of the caller", { auth: "token" }, { registryToken: "the-token" }],
    [
      "a password",
      { auth: "basic", user: "u:p:q" },
      { auth: Buffer.from("u:p:q").toString("base64") },
    ],
  ])("with %s", async (_, options, auth) => {
    const registry = await startRegistry(options);
    registry.add("app:1", image);
    const images = await quickImages();
    expect(await images.pull(`${registry.host}/app:1`, { auth })).toMatchObject({ isNew: true });
  });

  test("resumes a layer whose connection broke", async () => {
    let broken = 0;
    const registry = await startRegistry({
      intercept: (exchange) => {
        if (!isBlob(exchange) || broken >= 2) return false;
        broken++;
        const { request, response, blob = Buffer.alloc(0) } = exchange;
        const start = Number(/\d+/.exec(request.headers.range ?? "0")?.[0]);
        const range = { "Content-Range": `bytes ${start}-${blob.length - 1}/${blob.length}` };
        response.writeHead(start > 0 ? 206 : 200, {
          "Content-Length": blob.length - start,
          ...range,
        });
        response.write(blob.subarray(start, start + 10), () => response.destroy());
        return true;
      },
    });
    registry.add("app:1", image);
    const images = await quickImages();
    await images.pull(`${registry.host}/app:1`);
    const ranges = registry.headers
      .filter((_, at) => registry.requests[at]?.endsWith(`/blobs/${lowest}`))
      .map(({ range }) => range);
    expect(ranges).toEqual([undefined, "bytes=10-", "bytes=20-"]);
  });

  test("tries mirrors first, and tells them what they mirror", async () => {
    const empty = await startRegistry();
    const mirror = await startRegistry();
    mirror.add("library/app:1", image);
    const folder = testFolder();
    mkdirSync(join(folder, "docker.io"));
    writeFileSync(
      join(folder, "docker.io", "hosts.toml"),
      `server = "http://${empty.host}"\n[host."http://${mirror.host}"]\n  capabilities = ["pull", "resolve"]\n  [host."http://${mirror.host}".header]\n    x-test = ["1"]\n`,
    );
    const images = await quickImages({ registry: { hostsFolders: [folder] } });
    const { image: pulled } = await images.pull("app:1");
    expect(pulled.tags).toEqual(["docker.io/library/app:1"]);
    expect(empty.requests).toEqual([]);
    expect(mirror.headers[0]).toMatchObject({ "x-test": "1" });
    await expect(images.pull("other")).rejects.toThrow("docker.io/library/other:latest: not found");
    expect(empty.requests).toEqual(["HEAD /v2/library/other/manifests/latest"]);
  });

  test("can be aborted, and continues with what it has", async () => {
    const registry = await startRegistry({
      intercept: (exchange) => {
        if (!isBlob(exchange) || exchange.request.headers.range !== undefined) return false;
        exchange.response.writeHead(200, { "Content-Length": exchange.blob?.length });
        exchange.response.write(exchange.blob?.subarray(0, 10));
        return true;
      },
    });
    registry.add("app:1", image);
    const images = await quickImages({ registry: { stallMs: 60_000 } });
    const abort = new AbortController();
    const pull = images.pull(`${registry.host}/app:1`, {
      signal: abort.signal,
      onProgress: ({ status, current }) => {
        if (status === "Downloading" && current === 10) abort.abort(new Error("enough"));
      },
    });
    await expect(pull).rejects.toThrow("enough");
    expect(images.store.list()).toEqual([]);
    await images.pull(`${registry.host}/app:1`);
    expect(registry.headers.some(({ range }) => range === "bytes=10-")).toBe(true);
  });
});

const windows = buildImage([layer], { os: "windows" });
const wrong = Buffer.from("x".repeat(image.blobs.get(lowest)?.length ?? 0));
const send = ({ response }: Exchange, bytes: Buffer, length = bytes.length): boolean => {
  response.writeHead(200, { "Content-Length": length });
  response.end(bytes);
  return true;
};

describe("pull refuses", () => {
  each<[string, TestRegistryOptions, string]>([
    [
      "a missing image",
      {
        intercept: ({ url, response }) =>
          url.pathname.includes("manifests") && !!response.writeHead(404).end(),
      },
      'failed to pull and unpack image "HOST/app:1": failed to resolve reference "HOST/app:1": HOST/app:1: not found',
    ],
    [
      "a caller without credentials",
      { auth: "token", user: "u:p" },
      'failed to pull and unpack image "HOST/app:1": failed to resolve reference "HOST/app:1": failed to authorize: failed to fetch anonymous token: unexpected status from GET request to http://HOST/token?service=test&scope=repository%3Aapp%3Apull: 401 Unauthorized',
    ],
    [
      "a caller that may not read",
      {
        intercept: ({ url, request, response }) => {
          if (url.pathname === "/token") return !!response.end('{"token":"useless"}');
          const error = request.headers.authorization ? ',error="insufficient_scope"' : "";
          const realm = `http://${request.headers.host}/token`;
          response.writeHead(401, { "WWW-Authenticate": `Bearer realm="${realm}"${error}` }).end();
          return true;
        },
      },
      'failed to resolve reference "HOST/app:1": pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed',
    ],
    [
      "a caller that is not told why",
      {
        intercept: ({ url, request, response }) => {
          if (url.pathname === "/token") return !!response.end('{"access_token":"useless"}');
          const realm = `http://${request.headers.host}/token`;
          response.writeHead(401, { "WWW-Authenticate": `Bearer realm="${realm}"` }).end();
          return true;
        },
      },
      "unexpected status from HEAD request to http://HOST/v2/app/manifests/1: 401 Unauthorized",
    ],
    [
      "a password that is not there",
      { auth: "basic", user: "u:p" },
      "pull access denied, repository does not exist or may require authorization: authorization failed: no basic auth credentials",
    ],
    [
      "a fault of the server",
      { intercept: ({ response }) => !!response.writeHead(500).end() },
      'failed to resolve reference "HOST/app:1": unexpected status from HEAD request to http://HOST/v2/app/manifests/1: 500 Internal Server Error',
    ],
    [
      "a server that is silent",
      { intercept: () => true },
      'failed to do request: Head "http://HOST/v2/app/manifests/1": no progress in 0.2s',
    ],
    [
      "a layer with a wrong digest",
      { intercept: (exchange) => isBlob(exchange) && send(exchange, wrong) },
      `failed commit on ref "layer-${lowest}": unexpected commit digest ${digestOf(wrong)}, expected ${lowest}: failed precondition`,
    ],
    [
      "a layer that is too long",
      {
        intercept: (exchange) => isBlob(exchange) && send(exchange, Buffer.concat([wrong, wrong])),
      },
      `failed commit on ref "layer-${lowest}": unexpected commit size`,
    ],
    [
      "a layer that ends early",
      { intercept: (exchange) => isBlob(exchange) && send(exchange, wrong.subarray(0, 1)) },
      "failed to copy: unexpected EOF",
    ],
    [
      "a layer that stalls",
      {
        intercept: (exchange) => {
          if (!isBlob(exchange)) return false;
          exchange.response.writeHead(200, { "Content-Length": wrong.length }).flushHeaders();
          return true;
        },
      },
      "no progress in 0.2s",
    ],
    [
      "a layer that is missing",
      { intercept: (exchange) => isBlob(exchange) && !!exchange.response.writeHead(404).end() },
      `failed to copy: httpReadSeeker: failed open: could not fetch content descriptor ${lowest} (application/vnd.oci.image.layer.v1.tar+gzip) from remote: not found`,
    ],
    [
      "a manifest with another digest",
      {
        intercept: (exchange) =>
          exchange.url.pathname.endsWith(image.manifest) && send(exchange, Buffer.from("{}")),
      },
      `unexpected commit digest ${digestOf("{}")}, expected ${image.manifest}: failed precondition`,
    ],
    [
      "a huge manifest",
      {
        intercept: (exchange) =>
          exchange.url.pathname.endsWith(image.manifest) &&
          send(exchange, Buffer.alloc(5 * 2 ** 20)),
      },
      "it has more than 4194304 bytes",
    ],
    [
      "a digest in a header that is a path",
      {
        intercept: ({ request, response }) => {
          const headers = { "Docker-Content-Digest": "sha256:../../../etc/passwd" };
          if (request.method === "HEAD") response.writeHead(200, headers).end();
          else response.writeHead(404).end();
          return true;
        },
      },
      "HOST/app:1: not found",
    ],
    [
      "endless redirects",
      {
        intercept: ({ url, response }) =>
          !!response.writeHead(302, { Location: `${url.pathname}` }).end(),
      },
      "stopped after 10 redirects",
    ],
    [
      "a redirect to a file",
      {
        intercept: ({ response }) =>
          !!response.writeHead(302, { Location: "file:///etc/passwd" }).end(),
      },
      'invalid redirect to "file:///etc/passwd"',
    ],
  ])("%s", async (name, options, message) => {
    const registry = await startRegistry(options);
    registry.add("app:1", image);
    const stallMs = /silent|stalls/.test(name) ? 200 : 60_000;
    const images = await quickImages({ registry: { stallMs } });
    await expect(images.pull(`${registry.host}/app:1`)).rejects.toThrow(
      message.replaceAll("HOST", registry.host),
    );
    expect(images.store.list()).toEqual([]);
  });

  each<[string, unknown, string]>([
    ["schema 1", { schemaVersion: 1 }, "schema 1 image manifests are no longer supported"],
    [
      "a layer with another diff ID",
      () => {
        const { layers, ...document } = manifestOf(image);
        return { ...document, layers: [layers[1], layers[0], layers[2]] };
      },
      "wrong diff id calculated on extraction",
    ],
    [
      "a configuration with other layers",
      () => ({ ...manifestOf(image), layers: manifestOf(image).layers.slice(1) }),
      "mismatched image rootfs and manifest layers: 3 and 2",
    ],
    [
      "layers that no disk has room for",
      () => {
        const { layers, ...document } = manifestOf(image);
        return { ...document, layers: layers.map((one) => ({ ...one, size: 2 ** 50 })) };
      },
      "more than 137438953472",
    ],
    [
      "an image of another operating system",
      () => manifestOf(windows),
      'image operating system "windows" cannot be used on this platform',
    ],
  ])("%s", async (_, document, message) => {
    const registry = await startRegistry();
    registry.add("other:1", image);
    registry.add("windows:1", windows);
    registry.addManifest(
      "app:1",
      typeof document === "function" ? (document as () => unknown)() : document,
    );
    const images = await quickImages();
    await expect(images.pull(`${registry.host}/app:1`)).rejects.toThrow(message);
    expect(images.store.list()).toEqual([]);
  });

  test("a server that is not there", async () => {
    const images = await quickImages();
    await expect(images.pull("127.0.0.1:1/app:1")).rejects.toThrow(
      'failed to do request: Head "http://127.0.0.1:1/v2/app/manifests/1": dial tcp 127.0.0.1:1: connect: connection refused',
    );
  });
});

test("pull: credentials do not follow a redirect to another host", async () => {
  const storage = await startRegistry();
  storage.add("app:1", image);
  const registry = await startRegistry({
    auth: "basic",
    user: "u:p",
    intercept: ({ url, request, response }) => {
      if (!url.pathname.includes("/blobs/") || !request.headers.authorization) return false;
      return !!response
        .writeHead(307, { Location: `http://${storage.host}${url.pathname}?sig=1` })
        .end();
    },
  });
  registry.add("app:1", image);
  const images = await quickImages();
  await images.pull(`${registry.host}/app:1`, { auth: { username: "u", password: "p" } });
  expect(storage.requests.length).toBeGreaterThan(0);
  expect(storage.headers.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
});

test("pull: the target of a redirect cannot ask for the registry's credentials", async () => {
  const thief = await startRegistry({ auth: "token", user: "u:p" });
  thief.add("app:1", image);
  const registry = await startRegistry({
    intercept: ({ url, response }) =>
      !!response.writeHead(307, { Location: `http://${thief.host}${url.pathname}` }).end(),
  });
  const images = await quickImages();
  const auth = { username: "u", password: "p" };
  await expect(images.pull(`${registry.host}/app:1`, { auth })).rejects.toThrow("401");
  expect(thief.requests).not.toContain("GET /token");
  expect(thief.headers.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
});
