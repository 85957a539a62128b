import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { type ChildResult, runChild } from "../../platform/run-child.ts";
import {
  firewallWarnings,
  type OwnRanges,
  othersForward,
  outboundRules,
  ownRanges,
  tablePrefix,
} from "./outbound-rules.ts";

/**
 * Has the machine forward packets between the nodes of a cluster and to the outside, where they have the machine's
 * address, but not packets to addresses of the cluster that nobody has now: they are refused. Resolves with warnings: what fails is not needed to run pods.
 */
export async function ensureOutbound(
  clusterFolder: string,
  ranges: OwnRanges,
): Promise<readonly string[]> {
  const table = tableOf(clusterFolder);
  const families = ranges.ipv6 === undefined ? "" : "6";
  const { code, stderr } = await locked(
    ensureScript,
    [table, families, ...ownRanges(ranges)],
    outboundRules(table, ranges),
  );
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

/**
 * A file for each cluster, with a 6 if it has both families and its ranges, and one for each family that the machine did not forward
 * before. A reboot clears all.
 */
const state = "/run/wherry-forwarding";
const forwarding = "/proc/sys/net/ipv4/ip_forward";
const forwarding6 = "/proc/sys/net/ipv6/conf/all/forwarding";

/** Has the addresses of a cluster no longer refused. */
const forgetRanges = `
for range in $(grep -s / "${state}/$0"); do
  ip route del unreachable "$range" 2>/dev/null || :
done
`;

const ensureScript = `
set -e
mkdir -p ${state}
${forgetRanges}
printf '%s\\n' "$@" > "${state}/$0"
families=$1
shift
for range; do ip route add unreachable "$range" 2>/dev/null || :; done
before=$(cat ${forwarding})
if [ "$before" = 0 ]; then
  : > ${state}/was-off
  echo 1 > ${forwarding}
fi
if [ -n "$families" ] && [ "$(cat ${forwarding6})" = 0 ]; then
  : > ${state}/was-off6
  # A machine that forwards takes its own default route from routers only with the value 2.
  for file in /proc/sys/net/ipv6/conf/*/accept_ra; do
    case $file in */all/*|*/lo/*|*/wh*) continue ;; esac
    [ "$(cat "$file")" != 1 ] || { echo 2 > "$file"; echo "$file" >> ${state}/was-off6; }
  done
  echo 1 > ${forwarding6}
fi
nft -f - || exit ${noRules}
`;

const removeScript = `
nft delete table ip "$0" 2>/dev/null
nft delete table ip6 "$0" 2>/dev/null
[ -d ${state} ] || exit 0
${forgetRanges}
rm -f "${state}/$0"
if [ -e ${state}/was-off6 ] && ! grep -qsx 6 ${state}/${tablePrefix}*; then
  [ -n "$1" ] || {
    echo 0 > ${forwarding6}
    while read -r file; do echo 1 > "$file"; done < ${state}/was-off6
  } 2>/dev/null
  rm -f ${state}/was-off6
fi
for cluster in ${state}/${tablePrefix}*; do
  [ ! -e "$cluster" ] || exit 0
done
[ ! -e ${state}/was-off ] || [ -n "$1" ] || echo 0 > ${forwarding}
rm -rf ${state}
`;

/** Runs a script while no other of these runs on the machine. */
const locked = (script: string, args: readonly string[], input?: string): Promise<ChildResult> =>
  runChild("flock", [forwarding, "sh", "-c", script, ...args], { input });
