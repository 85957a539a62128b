import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { type TarMember, tarEnd, tarHeader, tarPadding } from "../../platform/tar/tar-writer.ts";
import { digestOf } from "./digest.ts";
import { hostPlatform } from "./host-platform.ts";
import { mediaTypes } from "./manifest.ts";
import type { ImageConfig, ImageRunConfig } from "./stored-image.ts";

/** An image as bytes: blobs by digest, the manifest among them. */
export interface BuiltImage {
  readonly id: string;
  readonly manifest: string;
  readonly config: ImageConfig;
  readonly diffIds: readonly string[];
  readonly layers: readonly { readonly digest: string; readonly tar: Buffer }[];
  readonly blobs: ReadonlyMap<string, Buffer>;
}

export interface ImageFile extends Omit<TarMember, "size"> {
  readonly content?: string | Uint8Array | undefined;
}

export interface BuildOptions extends ImageRunConfig {
  /** Files of a further layer. */
  readonly files?: readonly ImageFile[] | undefined;
  readonly compression?: "gzip" | "zstd" | "none" | undefined;
  readonly architecture?: string | undefined;
  readonly os?: string | undefined;
}

/** A small image with busybox: its applets in /bin, the users root and nobody, and /tmp. */
export function busyboxImage(options: BuildOptions = {}): BuiltImage {
  const { files = [], compression, architecture, ...config } = options;
  return buildImage(files.length > 0 ? [busyboxLayer(), tarOf(files)] : [busyboxLayer()], {
    Env: ["PATH=/bin"],
    Cmd: ["sh"],
    compression,
    architecture,
    ...config,
  });
}

/** An image of these layers, uncompressed tar archives. */
export function buildImage(tars: readonly Buffer[], options: BuildOptions = {}): BuiltImage {
  const { compression = "gzip", architecture, os = "linux", files: _, ...run } = options;
  const blobs = new Map<string, Buffer>();
  const add = (bytes: Buffer): { digest: string; size: number } => {
    blobs.set(digestOf(bytes), bytes);
    return { digest: digestOf(bytes), size: bytes.length };
  };
  const diffIds = tars.map((tar) => digestOf(tar));
  const config: ImageConfig = {
    created: "2024-01-02T03:04:05Z",
    architecture: architecture ?? hostPlatform().architecture,
    os,
    config: run,
    rootfs: { type: "layers", diff_ids: diffIds },
    history: diffIds.map(() => ({ created: "2024-01-02T03:04:05Z", created_by: "test" })),
  };
  const configBlob = add(Buffer.from(JSON.stringify(config)));
  const layers = tars.map((tar) => ({ tar, ...add(compress(tar, compression)) }));
  const suffix = compression === "none" ? "" : `+${compression}`;
  const manifest = add(
    Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        mediaType: mediaTypes.ociManifest,
        config: { mediaType: mediaTypes.ociConfig, ...configBlob },
        layers: layers.map(({ digest, size }) => ({
          mediaType: `${mediaTypes.ociLayer}${suffix}`,
          digest,
          size,
        })),
      }),
    ),
  );
  return { id: configBlob.digest, manifest: manifest.digest, config, diffIds, layers, blobs };
}

/** The image as an archive with OCI's layout. */
export function ociArchive(image: BuiltImage, name?: string): Readable {
  const annotations = name === undefined ? {} : { "io.containerd.image.name": name };
  const size = image.blobs.get(image.manifest)?.length;
  const descriptor = {
    mediaType: mediaTypes.ociManifest,
    digest: image.manifest,
    size,
    annotations,
  };
  const files: ImageFile[] = [
    { name: "oci-layout", content: '{"imageLayoutVersion":"1.0.0"}' },
    { name: "index.json", content: JSON.stringify({ schemaVersion: 2, manifests: [descriptor] }) },
    ...[...image.blobs].map(([digest, content]) => ({
      name: `blobs/${digest.replace(":", "/")}`,
      content,
    })),
  ];
  return Readable.from([tarOf(files)]);
}

/** The image as an archive as `docker save` wrote them before it knew OCI's layout. */
export function dockerArchive(image: BuiltImage, ...names: readonly string[]): Readable {
  const layerPath = (at: number): string => `${image.diffIds[at]?.slice(7)}/layer.tar`;
  const configPath = `${image.id.slice(7)}.json`;
  const entry = {
    Config: configPath,
    RepoTags: names,
    Layers: image.diffIds.map((_, at) => layerPath(at)),
  };
  const files: ImageFile[] = [
    ...image.layers.map(({ tar }, at) => ({ name: layerPath(at), content: tar })),
    { name: configPath, content: image.blobs.get(image.id) },
    { name: "manifest.json", content: JSON.stringify([entry]) },
  ];
  return Readable.from([tarOf(files)]);
}

/** A tar archive of these files. */
export function tarOf(files: readonly ImageFile[]): Buffer {
  const parts = files.flatMap(({ content = "", ...member }) => {
    const bytes = Buffer.from(content);
    return [tarHeader({ ...member, size: bytes.length }), bytes, tarPadding(bytes.length)];
  });
  return Buffer.concat([...parts, tarEnd]);
}

let builtLayer: Buffer | undefined;

/** Busybox and what programs expect of a root file system; the same bytes with every call. */
export function busyboxLayer(): Buffer {
  builtLayer ??= tarOf([
    ...["bin", "dev", "etc", "proc", "root", "sys", "home"].map((name) => folder(name, 0o755)),
    folder("tmp", 0o1777),
    { name: "bin/busybox", mode: 0o755, content: readFileSync("/bin/busybox") },
    ...applets().map((name) => symlink(`bin/${name}`, "busybox")),
    {
      name: "etc/passwd",
      content: "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n",
    },
    { name: "etc/group", content: "root:x:0:\nnogroup:x:65534:\n" },
  ]);
  return builtLayer;
}

const applets = (): string[] =>
  spawnSync("/bin/busybox", ["--list"], { encoding: "utf8" })
    .stdout.split("\n")
    .filter((name) => name !== "" && name !== "busybox");

const folder = (name: string, mode: number): ImageFile => ({
  name: `${name}/`,
  type: "folder",
  mode,
});
const symlink = (name: string, linkName: string): ImageFile => ({
  name,
  type: "symlink",
  linkName,
});

function compress(tar: Buffer, compression: "gzip" | "zstd" | "none"): Buffer {
  if (compression === "gzip") return gzipSync(tar, { level: 1 });
  if (compression === "none") return tar;
  return spawnSync("zstd", ["-qc1"], { input: tar, maxBuffer: 2 ** 30 }).stdout;
}
