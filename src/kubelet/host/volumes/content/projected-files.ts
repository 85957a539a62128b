import type { Node } from "../../../../api/core/v1/node/node.ts";
import type { Pod } from "../../../../api/core/v1/pod/pod.ts";
import type { ProjectedVolumeSource } from "../../../../api/core/v1/volume/sources/projected.ts";
import type { VolumeProjection } from "../../../../api/core/v1/volume/volume-projection.ts";
import { aggregateMessage } from "../../../../base/aggregate-message.ts";
import { errorMessage } from "../../../../base/error-message.ts";
import type { BinaryData, ReferenceReader } from "../../../pod/reference-reader.ts";
import { downwardFiles } from "./downward-files.ts";
import type { FileContent, VolumeFiles } from "./file-content.ts";
import { type KeyedSource, keyedFiles } from "./keyed-files.ts";
import type { PodCertificates } from "./pod-certificates.ts";
import type { ServiceAccountTokens } from "./service-account-tokens.ts";
import type { TrustAnchors } from "./trust-anchors.ts";

/** Where the content of volumes comes from. */
export interface ContentSources {
  readonly references: ReferenceReader;
  readonly tokens: ServiceAccountTokens;
  readonly anchors: TrustAnchors;
  readonly certificates: PodCertificates;
  readonly node: () => Node | undefined;
}

/** Who reads the files of a volume. */
export interface ContentReader {
  readonly pod: Pod;
  readonly volume: { readonly name: string };
  readonly fsGroup?: number | undefined;
  readonly fsUser?: number | undefined;
}

/** The content of a volume, and when to compute it again even if no object changes. */
export interface VolumeContent {
  readonly files: VolumeFiles;
  readonly renewAt?: number | undefined;
}

/** The files of all sources of a projected volume; rejects with what is wrong in any of them. */
export async function projectedFiles(
  { sources, defaultMode = 0o644 }: ProjectedVolumeSource,
  reader: ContentReader,
  from: ContentSources,
): Promise<VolumeContent> {
  const files = new Map<string, FileContent>();
  const problems: string[] = [];
  let renewAt: number | undefined;
  for (const [index, source] of (sources ?? []).entries()) {
    try {
      const content = await sourceFiles(source, { ...reader, defaultMode, index }, from);
      for (const [path, file] of content.files) files.set(path, file);
      renewAt = earlier(renewAt, content.renewAt);
    } catch (error) {
      problems.push(errorMessage(error));
    }
  }
  if (problems.length > 0) throw new Error(aggregateMessage(problems));
  return { files, renewAt };
}

async function sourceFiles(
  source: VolumeProjection,
  reader: ContentReader & { readonly defaultMode: number; readonly index: number },
  from: ContentSources,
): Promise<VolumeContent> {
  const { secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle } = source;
  const { pod, defaultMode } = reader;
  const keyed = (of: KeyedSource["of"], one: NonNullable<typeof secret | typeof configMap>) => {
    const { name = "", items, optional = false } = one;
    return referredFiles({ of, name, items, optional, defaultMode }, pod, from.references);
  };
  if (secret) return { files: await keyed("secret", secret) };
  if (configMap) return { files: await keyed("configMap", configMap) };
  if (downwardAPI) {
    const { items = [] } = downwardAPI;
    return { files: downwardFiles({ pod, items, defaultMode, node: from.node() }) };
  }
  if (serviceAccountToken) {
    const { token, renewAt } = await from.tokens.get(pod, serviceAccountToken);
    return { files: ownFile(serviceAccountToken.path, token, reader), renewAt };
  }
  if (clusterTrustBundle) {
    const text = await from.anchors.get(pod.metadata.uid ?? "", clusterTrustBundle);
    return { files: ownFile(clusterTrustBundle.path, text, reader) };
  }
  if (source.podCertificate) {
    const place = { volume: reader.volume.name, index: reader.index };
    const { podCertificate } = source;
    const { key, chain, renewAt } = await from.certificates.get(pod, place, podCertificate);
    const { credentialBundlePath = "", keyPath = "", certificateChainPath = "" } = podCertificate;
    const texts = [
      [credentialBundlePath, key + chain],
      [keyPath, key],
      [certificateChainPath, chain],
    ] as const;
    const files = texts.flatMap(([path, text]) =>
      path === "" ? [] : [...ownFile(path, text, reader)],
    );
    return { files: new Map(files), renewAt };
  }
  return { files: new Map() };
}

/** The files of a config map or a secret in the namespace of a pod. */
export async function referredFiles(
  source: KeyedSource,
  { metadata: { namespace } }: Pod,
  references: ReferenceReader,
): Promise<VolumeFiles> {
  const key = { namespace, name: source.name };
  const data: BinaryData | undefined =
    source.of === "secret"
      ? await references.secretBytes(key)
      : await references.configMapBytes(key);
  return keyedFiles(source, data);
}

/** A file that only the one user of a pod may read; the group is added when it is written. */
function ownFile(
  path: string,
  text: string,
  {
    defaultMode,
    fsUser,
    fsGroup,
  }: Pick<ContentReader, "fsUser" | "fsGroup"> & { readonly defaultMode: number },
): VolumeFiles {
  const isOwn = fsUser !== undefined || fsGroup !== undefined;
  const bytes = new TextEncoder().encode(text);
  return new Map([[path, { bytes, mode: isOwn ? 0o600 : defaultMode, user: fsUser }]]);
}

const earlier = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : Math.min(a, b ?? a);
