import type { At } from "../../../../../schema/language/report.ts";
import { quote } from "../../../../../schema/values/quote.ts";
import { claimSpecWarnings } from "../../volume/persistent-volume-claim-spec.ts";
import type { Volume } from "../../volume/volume.ts";
import type { VolumeProjection } from "../../volume/volume-projection.ts";

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

/** Warns of kinds of volumes that no longer work, and of claims of fractions of a byte. */
export function warnOfVolumes(volumes: readonly Volume[], at: At, told: string[]): void {
  for (const [i, volume] of volumes.entries())
    for (const [field, shown, message] of former) {
      if (!volume[field]) continue;
      const here = at.index(i).child(shown);
      if (message) told.push(`${here.path}: ${message}`);
      const claim = volume.ephemeral?.volumeClaimTemplate;
      if (field === "ephemeral" && claim)
        told.push(...claimSpecWarnings(claim.spec, `${here.path}.volumeClaimTemplate.spec`));
    }
}

interface Placed {
  readonly path: string;
  /** What puts something there; empty where there is only one. */
  readonly source: string;
}

/** Warns of volumes that put two things at one path, or one below another. */
export function warnOfOverlaps(volumes: readonly Volume[], told: string[]): void {
  for (const { name, configMap, secret, downwardAPI, projected } of volumes) {
    const tell = (kind: string, overlaps: readonly string[]) => {
      for (const overlap of overlaps)
        told.push(`volume ${quote(name)} (${kind}): overlapping paths: ${overlap}`);
    };
    if (configMap?.items)
      tell(`ConfigMap ${quote(configMap.name ?? "")}`, overlapsOf(configMap.items));
    if (secret?.items) tell(`Secret ${quote(secret.secretName ?? "")}`, overlapsOf(secret.items));
    if (downwardAPI?.items) tell("DownwardAPI", overlapsOf(downwardAPI.items));
    const found: Placed[] = [];
    for (const source of projected?.sources ?? []) {
      if (Object.values(source).every((member) => member === undefined))
        told.push(`volume ${quote(name)} (Projected) has no sources provided`);
      else for (const placed of pathsOf(source)) tell("Projected", place(placed, found));
    }
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
