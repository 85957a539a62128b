import type { LeaseCandidate } from "../../../api/coordination/v1beta1/lease-candidate.ts";
import {
  compareSemanticVersions,
  parseSemanticVersion,
  zeroVersion,
} from "../../../api/coordination/v1beta1/semantic-version.ts";
import { quote } from "../../../schema/values/quote.ts";

/** The only strategy by which the server chooses itself; leaders of others are chosen by somebody else. */
export const oldestEmulationVersion = "OldestEmulationVersion";

/** The candidate with the oldest emulation version, of these the oldest binary, of these the oldest object. */
export function oldestCandidate(candidates: readonly LeaseCandidate[]): LeaseCandidate | undefined {
  const [first] = candidates
    .filter(
      ({ spec }) =>
        parseSemanticVersion(spec.emulationVersion ?? "") &&
        parseSemanticVersion(spec.binaryVersion),
    )
    .toSorted(
      (a, b) =>
        compareSemanticVersions(emulationOf(a), emulationOf(b)) ||
        compareSemanticVersions(binaryOf(a), binaryOf(b)) ||
        createdAt(a) - createdAt(b),
    );
  return first;
}

/** The strategy of the newest binary; throws if two of that version want different ones. */
export function chosenStrategy(candidates: readonly LeaseCandidate[]): string {
  const [first, ...others] = candidates;
  if (!first) throw new Error("no candidates");
  let newest = first;
  for (const candidate of others) {
    const order = compareSemanticVersions(binaryOf(newest), binaryOf(candidate));
    if (order < 0) newest = candidate;
    else if (order === 0 && candidate.spec.strategy !== newest.spec.strategy)
      throw new Error(
        `candidates ${quote(nameOf(newest))}, ${quote(nameOf(candidate))} at same binary version but received differing strategies ${newest.spec.strategy}, ${candidate.spec.strategy}`,
      );
  }
  return newest.spec.strategy;
}

const emulationOf = ({ spec }: LeaseCandidate) =>
  parseSemanticVersion(spec.emulationVersion ?? "") ?? zeroVersion;
const binaryOf = ({ spec }: LeaseCandidate) =>
  parseSemanticVersion(spec.binaryVersion) ?? zeroVersion;
const nameOf = ({ metadata }: LeaseCandidate): string => metadata.name ?? "";
const createdAt = ({ metadata }: LeaseCandidate): number =>
  Date.parse(metadata.creationTimestamp ?? "");
