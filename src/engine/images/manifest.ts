import { isDigest } from "./digest.ts";

/** A link from one document to a blob. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: Platform | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

export interface Platform {
  readonly os: string;
  readonly architecture: string;
  readonly variant?: string | undefined;
}

/** The manifest of an image: its configuration and its compressed layers, the lowest first. */
export interface Manifest {
  readonly kind: "manifest";
  readonly mediaType: string;
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

/** A list of manifests, one for each platform. */
export interface Index {
  readonly kind: "index";
  readonly mediaType: string;
  readonly manifests: readonly Descriptor[];
}

export const mediaTypes = {
  dockerManifest: "application/vnd.docker.distribution.manifest.v2+json",
  dockerList: "application/vnd.docker.distribution.manifest.list.v2+json",
  dockerConfig: "application/vnd.docker.container.image.v1+json",
  dockerLayer: "application/vnd.docker.image.rootfs.diff.tar",
  ociManifest: "application/vnd.oci.image.manifest.v1+json",
  ociIndex: "application/vnd.oci.image.index.v1+json",
  ociConfig: "application/vnd.oci.image.config.v1+json",
  ociLayer: "application/vnd.oci.image.layer.v1.tar",
} as const;

/**
 * Reads a manifest or a list of them, of docker or OCI. The document decides what it is; where it does not
 * say, the media type by which it was found does.
 */
export function parseManifest(bytes: Uint8Array, hint?: string): Manifest | Index {
  const document = parseObject(bytes, "manifest");
  const mediaType = textOr(document.mediaType, hint ?? "");
  if (document.schemaVersion === 1 || mediaType.startsWith(schema1))
    throw new Error(
      `unsupported manifest media type and no default available: ${schema1}+prettyjws: schema 1 image manifests are no longer supported: not implemented`,
    );
  if (document.layers !== undefined && document.manifests !== undefined)
    throw new Error("invalid manifest: it has both layers and manifests");
  if (Array.isArray(document.manifests))
    return {
      kind: "index",
      mediaType: mediaType || mediaTypes.ociIndex,
      manifests: listOf(document.manifests, mostManifests).map(parseDescriptor),
    };
  if (document.config === undefined || !Array.isArray(document.layers))
    throw new Error(`invalid manifest: it has no layers${mediaType && ` (${mediaType})`}`);
  const layers = listOf(document.layers, mostLayers).map(parseDescriptor);
  for (const { mediaType: layerType } of layers) checkLayerType(layerType);
  return {
    kind: "manifest",
    mediaType: mediaType || mediaTypes.ociManifest,
    config: parseDescriptor(document.config),
    layers,
  };
}

/** The manifest of a list that suits a platform best; undefined if none does. */
export function choosePlatform(index: Index, wanted: Platform): Descriptor | undefined {
  const variants = usableVariants(wanted);
  const suitable = index.manifests.filter(({ platform, annotations }) => {
    if (annotations?.["vnd.docker.reference.type"] === "attestation-manifest") return false;
    if (platform === undefined) return true;
    if (platform.os !== wanted.os || platform.architecture !== wanted.architecture) return false;
    return variants.includes(platform.variant ?? "");
  });
  const rank = ({ platform }: Descriptor): number =>
    platform === undefined ? variants.length : variants.indexOf(platform.variant ?? "");
  return suitable.sort((a, b) => rank(a) - rank(b))[0];
}

/** Parses a JSON object of untrusted origin. */
export function parseObject(bytes: Uint8Array, what: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch (cause) {
    throw new Error(`invalid ${what}: it is not JSON`, { cause });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error(`invalid ${what}: it is not a JSON object`);
  return value as Record<string, unknown>;
}

const schema1 = "application/vnd.docker.distribution.manifest.v1";
/** Overlay file systems have at most 500 lower folders. */
const mostLayers = 500;
const mostManifests = 1000;

/** The variants that a machine can run, the best first; an absent variant is the architecture's own. */
function usableVariants({ architecture, variant }: Platform): string[] {
  if (architecture === "arm64") return ["v8", "", ...(variant ? [variant] : [])];
  if (architecture !== "arm") return variant ? [variant, ""] : ["", "v1"];
  const newest = Number((variant || "v7").slice(1));
  const all = [8, 7, 6, 5].filter((number) => number <= newest).map((number) => `v${number}`);
  // An arm image without a variant is one of v7.
  return all.flatMap((name) => (name === "v7" ? [name, ""] : [name]));
}

function checkLayerType(mediaType: string): void {
  if (/nondistributable|\.foreign\./.test(mediaType))
    throw new Error(
      `foreign layers are not supported: ${mediaType}: they are not distributed by registries`,
    );
  if (
    /^application\/vnd\.(?:oci\.image\.layer\.v1|docker\.image\.rootfs\.diff)\.tar/.test(mediaType)
  )
    return;
  throw new Error(`unsupported layer media type ${JSON.stringify(mediaType)}`);
}

function parseDescriptor(value: unknown): Descriptor {
  if (typeof value !== "object" || value === null) throw new Error("invalid descriptor");
  const { mediaType, digest, size, platform, annotations, urls } = value as Record<string, unknown>;
  if (!isDigest(digest))
    throw new Error(
      `invalid checksum digest format: ${String(JSON.stringify(digest)).slice(0, 100)}`,
    );
  if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0)
    throw new Error(`invalid size of ${digest}`);
  if (Array.isArray(urls) && urls.length > 0 && !/manifest|index/.test(String(mediaType)))
    throw new Error(
      `foreign layers are not supported: ${digest} is to be fetched from its own URLs`,
    );
  return {
    mediaType: textOr(mediaType, ""),
    digest,
    size,
    ...(isObject(platform) ? { platform: parsePlatform(platform) } : {}),
    ...(isObject(annotations) ? { annotations: textMembers(annotations) } : {}),
  };
}

function parsePlatform(value: Record<string, unknown>): Platform {
  const variant = textOr(value.variant, "");
  return {
    os: textOr(value.os, ""),
    architecture: textOr(value.architecture, ""),
    ...(variant === "" ? {} : { variant }),
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const textOr = (value: unknown, other: string): string =>
  typeof value === "string" ? value : other;

const textMembers = (value: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) =>
      typeof member === "string" ? [[key, member]] : [],
    ),
  );

function listOf(values: readonly unknown[], most: number): readonly unknown[] {
  if (values.length > most) throw new Error(`invalid manifest: it has more than ${most} entries`);
  return values;
}
