import { quote } from "../../../schema/quote.ts";
import type { At } from "../../../schema/report.ts";
import { claimSpecWarnings } from "./persistent-volume-claim-spec.ts";
import type { Volume } from "./volume.ts";
import type { VolumeProjection } from "./volume-projection.ts";

/** Kinds of volumes that are on their way out, in upstream's order: field, name shown, why. */
const former = [
  ["photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["gitRepo", "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"],
  ["scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["flocker", "flocker", "deprecated in v1.22, non-functional in v1.25+"],
  ["storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"],
  ["quobyte", "quobyte", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["ephemeral", "ephemeral", ""],
  ["cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"],
] as const;

/** Warnings for kinds of volumes that no longer work, and for claims of fractions of a byte. */
export function* volumeWarnings(volumes: readonly Volume[], at: At): Generator<string> {
  for (const [i, volume] of volumes.entries())
    for (const [field, shown, message] of former) {
      if (!volume[field]) continue;
      const here = at.index(i).child(shown);
      if (message) yield `${here.path}: ${message}`;
      const claim = volume.ephemeral?.volumeClaimTemplate;
      if (field === "ephemeral" && claim)
        yield* claimSpecWarnings(claim.spec, `${here.path}.volumeClaimTemplate.spec`);
    }
}

interface Placed {
  readonly path: string;
  /** What puts something there; empty where there is only one. */
  readonly source: string;
}

/** Warnings for volumes that put two things at one path, or one below another. */
export function* overlappingPathWarnings(volumes: readonly Volume[]): Generator<string> {
  for (const { name, configMap, secret, downwardAPI, projected } of volumes) {
    if (configMap?.items)
      yield* warn(name, `ConfigMap ${quote(configMap.name ?? "")}`, overlapsOf(configMap.items));
    if (secret?.items)
      yield* warn(name, `Secret ${quote(secret.secretName ?? "")}`, overlapsOf(secret.items));
    if (downwardAPI?.items) yield* warn(name, "DownwardAPI", overlapsOf(downwardAPI.items));
    if (projected) yield* projectionWarnings(name, projected.sources ?? []);
  }
}

const warn = (volume: string, kind: string, overlaps: readonly string[]): readonly string[] =>
  overlaps.map((overlap) => `volume ${quote(volume)} (${kind}): overlapping paths: ${overlap}`);

function* projectionWarnings(
  volume: string,
  sources: readonly VolumeProjection[],
): Generator<string> {
  const found: Placed[] = [];
  for (const source of sources) {
    if (Object.values(source).every((member) => member === undefined))
      yield `volume ${quote(volume)} (Projected) has no sources provided`;
    else
      for (const placed of pathsOf(source)) yield* warn(volume, "Projected", place(placed, found));
  }
}

type Items = readonly { readonly path: string }[];

function overlapsOf(items: Items): readonly string[] {
  if (items.length < 2) return [];
  const found: Placed[] = [];
  return items.flatMap(({ path }) => place({ path, source: "" }, found));
}

/** Adds a path to those found; says with which of them it overlaps. */
function place({ path, source }: Placed, found: Placed[]): readonly string[] {
  const placed = { path: path.endsWith("/") ? path.replace(/\/+$/, "") : path, source };
  const overlaps = found.filter((other) => overlap(placed.path, other.path));
  found.push(placed);
  return overlaps.map((other) => `${show(placed)} with ${show(other)}`);
}

const overlap = (a: string, b: string): boolean =>
  a !== "" && b !== "" && (`${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`));

const show = ({ path, source }: Placed): string =>
  source ? `${quote(path)} (${source})` : quote(path);

function pathsOf(projection: VolumeProjection): readonly Placed[] {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle } = projection;
  const all = (items: Items, source: string) => items.map(({ path }) => ({ path, source }));
  if (configMap?.items) return all(configMap.items, `ConfigMap ${quote(configMap.name ?? "")}`);
  if (secret?.items) return all(secret.items, `Secret ${quote(secret.name ?? "")}`);
  if (downwardAPI?.items) return all(downwardAPI.items, "DownwardAPI");
  if (serviceAccountToken)
    return [{ path: serviceAccountToken.path, source: "ServiceAccountToken" }];
  if (clusterTrustBundle) {
    const name = clusterTrustBundle.name ?? clusterTrustBundle.signerName ?? "";
    return [{ path: clusterTrustBundle.path, source: `ClusterTrustBundle ${quote(name)}` }];
  }
  return certificatePaths(projection);
}

function certificatePaths({ podCertificate }: VolumeProjection): readonly Placed[] {
  const paths = [
    [podCertificate?.certificateChainPath, "PodCertificate chain"],
    [podCertificate?.keyPath, "PodCertificate key"],
    [podCertificate?.credentialBundlePath, "PodCertificate credential bundle"],
  ] as const;
  return paths.flatMap(([path, source]) => (path ? [{ path, source }] : []));
}
