import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { type ChildResult, runChild } from "../../platform/run-child.ts";
import {
  firewallWarnings,
  type OwnRanges,
  othersForward,
  outboundRules,
  tablePrefix,
} from "./outbound-rules.ts";

/**
 * Has the machine forward packets between the nodes of a cluster and to the outside, where they have the machine's
 * address. Resolves with warnings: what fails is not needed to run pods.
 */
export async function ensureOutbound(
  clusterFolder: string,
  ranges: OwnRanges,
): Promise<readonly string[]> {
  const table = tableOf(clusterFolder);
  const { code, stderr } = await locked(ensureScript, [table], outboundRules(table, ranges));
  const why = stderr.trim().split("\n").at(-1);
  const warnings =
    code === 0
      ? []
      : code === noRules
        ? [`pods do not reach the outside: ${why}`]
        : [`nodes do not reach each other: ${why}`];
  return [...warnings, ...firewallWarnings(await chains())];
}

/**
 * Undoes `ensureOutbound`; the last cluster also stops the machine from forwarding, if it did not before.
 */
export async function removeOutbound(clusterFolder: string): Promise<void> {
  const keeps = othersForward(await chains()) ? "yes" : "";
  await locked(removeScript, [tableOf(clusterFolder), keeps]);
}

const tableOf = (folder: string): string =>
  `${tablePrefix}${createHash("sha256").update(resolve(folder)).digest("hex").slice(0, 10)}`;

const chains = async (): Promise<string> => {
  const { code, stdout } = await runChild("nft", ["-j", "list", "chains"]).catch(() => missing);
  return code === 0 ? stdout : "";
};

const missing = { code: 127, stdout: "" };

/** The exit code of a script that could do all but set the rules. */
const noRules = 3;

/** A file for each cluster, and one if the machine did not forward before the first. A reboot clears both. */
const state = "/run/wherry-forwarding";
const forwarding = "/proc/sys/net/ipv4/ip_forward";

const ensureScript = `
set -e
mkdir -p ${state}
: > "${state}/$0"
before=$(cat ${forwarding})
if [ "$before" = 0 ]; then
  : > ${state}/was-off
  echo 1 > ${forwarding}
fi
nft -f - || exit ${noRules}
`;

const removeScript = `
nft delete table ip "$0" 2>/dev/null
[ -d ${state} ] || exit 0
rm -f "${state}/$0"
for cluster in ${state}/${tablePrefix}*; do
  [ ! -e "$cluster" ] || exit 0
done
[ ! -e ${state}/was-off ] || [ -n "$1" ] || echo 0 > ${forwarding}
rm -rf ${state}
`;

/** Runs a script while no other of these runs on the machine. */
const locked = (script: string, args: readonly string[], input?: string): Promise<ChildResult> =>
  runChild("flock", [forwarding, "sh", "-c", script, ...args], { input });
