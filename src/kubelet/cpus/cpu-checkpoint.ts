import { errorMessage } from "../../base/error-message.ts";
import { goChecksum, goMap, goPointer, goScalar, goString, goStruct } from "../../base/go-dump.ts";
import { goJson } from "../../schema/json/go-json.ts";
import { jsonValue, parseJson } from "../../schema/json/strict-json.ts";
import { quote } from "../../schema/values/quote.ts";
import { CpuAssignments } from "./cpu-assignments.ts";
import { type CpuSet, formatCpuSet, parseCpuSet } from "./cpu-set.ts";

/** Encodes assignments as upstream's kubelets do, which can continue with them. */
export function encodeCpuCheckpoint(policy: string, { shared, pods }: CpuAssignments): string {
  const entries = Object.fromEntries(
    sorted(pods).map(([podUid, containers]) => [
      podUid,
      Object.fromEntries(sorted(containers).map(([name, cpus]) => [name, formatCpuSet(cpus)])),
    ]),
  );
  const stored: StoredCpus = { policyName: policy, defaultCpuSet: formatCpuSet(shared), entries };
  const { entries: _, ...withoutEntries } = stored;
  return goJson({
    ...(pods.size > 0 ? stored : withoutEntries),
    checksum: checksumOf(stored),
  });
}

/** Decodes the assignments of a policy. Throws if they are damaged, or those of another policy. */
export function decodeCpuCheckpoint(text: string, policy: string): CpuAssignments {
  const stored = parseStored(text);
  if (stored.checksum !== 0 && checksumOf(stored) !== stored.checksum)
    throw new Error("checkpoint is corrupted");
  if (stored.policyName !== policy)
    throw new Error(
      `configured policy ${quote(policy)} differs from state checkpoint policy ${quote(stored.policyName)}`,
    );
  const assignments = new CpuAssignments();
  const { defaultCpuSet } = stored;
  assignments.share(parsed(defaultCpuSet, `default cpu set ${quote(defaultCpuSet)}`));
  for (const [podUid, containers] of Object.entries(stored.entries))
    for (const [name, cpus] of Object.entries(containers)) {
      const what = `cpuset ${quote(cpus)} for container ${quote(name)} in pod ${quote(podUid)}`;
      assignments.restore(podUid, name, parsed(cpus, what));
    }
  return assignments;
}

interface StoredCpus {
  readonly policyName: string;
  readonly defaultCpuSet: string;
  readonly entries: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

function parseStored(text: string): StoredCpus & { readonly checksum: number } {
  const value = jsonValue(parseJson(text)) as Partial<ReturnType<typeof parseStored>> | null;
  const { policyName = "", defaultCpuSet = "", entries, checksum = 0 } = value ?? {};
  const stored = { policyName, defaultCpuSet, entries: entries ?? {}, checksum };
  const isText = (one: unknown): boolean => typeof one === "string";
  const isValid =
    [policyName, defaultCpuSet].every(isText) &&
    Object.values(stored.entries).every((pod) => Object.values(pod ?? {}).every(isText));
  if (!isValid) throw new Error("checkpoint is corrupted");
  return stored;
}

function parsed(text: string, what: string): CpuSet {
  try {
    return parseCpuSet(text);
  } catch (error) {
    throw new Error(`could not parse ${what}: ${errorMessage(error)}`);
  }
}

/** The entries of a map in the order in which Go writes them. */
const sorted = <V>(map: ReadonlyMap<string, V>): readonly (readonly [string, V])[] =>
  [...map].sort(([a], [b]) => (a < b ? -1 : 1));

const Checkpoint = goPointer(
  goStruct("state.CPUManagerCheckpoint", {
    PolicyName: goString,
    DefaultCPUSet: goString,
    Entries: goMap(goMap(goString, "map[string]string"), "map[string]map[string]string"),
    Checksum: goScalar<number>("checksum.Checksum"),
  }),
);

const checksumOf = ({ policyName, defaultCpuSet, entries }: StoredCpus): number =>
  goChecksum(Checkpoint, {
    PolicyName: policyName,
    DefaultCPUSet: defaultCpuSet,
    Entries: entries,
    Checksum: 0,
  });
