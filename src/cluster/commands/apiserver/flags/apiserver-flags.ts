import { join } from "node:path";
import { stringFlag, type Values } from "../../../../cli/flag.ts";
import { parseIp } from "../../../../schema/values/ip.ts";
import { globalFlags } from "../../../flags/global-flags.ts";
import {
  featuresFlags,
  loggingProblems,
  logsFlags,
  metricsFlags,
  tracesFlags,
} from "../../../flags/observing-flags.ts";
import { secureServingFlags, secureServingProblems } from "../../../flags/secure-serving-flags.ts";
import { refusals, section } from "../../../flags/server-flag.ts";
import { etcdListenFlags, etcdListenProblems } from "../../../serving/etcd-listen.ts";
import { admissionFlags, admissionProblems } from "./admission-flags.ts";
import { auditingFlags } from "./auditing-flags.ts";
import { authenticationFlags, authenticationProblems } from "./authentication-flags.ts";
import { authorizationFlags, authorizationProblems } from "./authorization-flags.ts";
import { etcdFlags, etcdProblems } from "./etcd-flags.ts";
import { genericFlags, genericProblems } from "./generic-flags.ts";
import { apiEnablementFlags, egressFlags, miscFlags, miscProblems } from "./misc-flags.ts";
import { familyProblem, serviceRanges } from "./service-ranges.ts";
import { storeFlags, storeProblems } from "./store-flags.ts";

/** All flags of the API server: ours first, then upstream's in its sections. */
export const apiserverFlags = {
  ...section("Wherry flags", {
    "data-dir": stringFlag({
      usage: "the `DIR` that holds all state (default: wherry in --cert-dir, if that is given)",
    }),
    config: stringFlag({
      usage: "a `FILE` of flags, see above; those on the command line win",
    }),
    ...storeFlags,
    ...etcdListenFlags,
  }),
  ...genericFlags,
  ...etcdFlags,
  ...secureServingFlags({
    port: 6443,
    pair: "apiserver",
    without: "pki in the data directory",
    zero: "takes a free one",
  }),
  ...auditingFlags,
  ...featuresFlags,
  ...authenticationFlags,
  ...authorizationFlags,
  ...apiEnablementFlags,
  ...egressFlags,
  ...admissionFlags,
  ...metricsFlags,
  ...logsFlags,
  ...tracesFlags,
  ...miscFlags,
  ...globalFlags,
} as const;

export type ApiserverFlags = Values<typeof apiserverFlags>;

/** The directory that holds all state; empty where no flag names one. */
export function dataDirectory(flags: ApiserverFlags): string {
  const { "data-dir": dataDir, "cert-dir": certDir } = flags;
  return dataDir === "" && certDir !== "" ? join(certDir, "wherry") : dataDir;
}

/** All that is wrong with the flags, or asks for what there is not. */
export function flagProblems(flags: ApiserverFlags, given: ReadonlySet<string>): string[] {
  const problems = [
    ...(dataDirectory(flags) === ""
      ? ["--data-dir is required: it says where all state is kept"]
      : []),
    ...genericProblems(flags),
    ...etcdProblems(flags),
    ...storeProblems(flags, given),
    ...etcdListenProblems(flags),
    ...(flags["etcd-listen"] !== "" && flags["etcd-servers"].length > 0
      ? ["--etcd-listen serves a store of our own: with --etcd-servers there is an etcd already"]
      : []),
    ...secureServingProblems(flags),
    ...authenticationProblems(flags),
    ...authorizationProblems(flags),
    ...admissionProblems(flags),
    ...loggingProblems(flags),
    ...serviceProblems(flags),
    ...miscProblems(flags),
  ];
  const isSaid = (refusal: string) => {
    const name = /^--[\w-]+/.exec(refusal)?.[0] ?? "";
    return problems.some((problem) => problem.startsWith(`${name} `));
  };
  const refused = refusals(apiserverFlags, flags, given).filter((refusal) => !isSaid(refusal));
  return [...new Set([...problems, ...refused])];
}

function serviceProblems(flags: ApiserverFlags): string[] {
  const ranges = serviceRanges(flags["service-cluster-ip-range"]);
  if ("problems" in ranges) return ranges.problems;
  const [first] = ranges;
  const advertised = parseIp(flags["advertise-address"]);
  return first && advertised && advertised.bits !== 0n ? familyProblem(first, advertised) : [];
}
