import type { Values } from "../../../../cli/flag.ts";
import { globalFlags } from "../../../flags/global-flags.ts";
import { metricSelection, metricsFlags, metricsProblems } from "../../../flags/metrics-flags.ts";
import { loggingProblems, logsFlags, tracesFlags } from "../../../flags/observing-flags.ts";
import { type FlagGroup, flagGroupOptions, flagGroupProblems } from "../../../flags/option-flag.ts";
import {
  type SecureServingFlags,
  secureServingFlags,
  secureServingProblems,
} from "../../../flags/secure-serving-flags.ts";
import { reportedInfo } from "../../../flags/version-flag.ts";
import { logChoice } from "../../../opening/open-log.ts";
import { givenServing } from "../../../serving/serving-options.ts";
import { readTracingConfiguration } from "../../../tracing/tracing-configuration.ts";
import type { StartOptions } from "../apiserver.ts";
import { admissionFlags } from "./admission-flags.ts";
import { auditingFlags } from "./auditing-flags.ts";
import { authenticationFlags } from "./authentication-flags.ts";
import { authorizationFlags } from "./authorization-flags.ts";
import { etcdFlags } from "./etcd-flags.ts";
import { featuresFlags } from "./features-flags.ts";
import { genericFlags } from "./generic-server-flags.ts";
import { apiEnablementFlags, egressFlags, miscFlags } from "./misc-flags.ts";
import { wherryFlags } from "./wherry-flags.ts";

const servingFlags = secureServingFlags({
  port: 6443,
  pair: "apiserver",
  without: "pki in the data directory",
  zero: "chooses a free one",
});

/** All flags of the API server: ours first, then upstream's in its sections. */
export const apiserverFlags = {
  ...wherryFlags.flags,
  ...genericFlags.flags,
  ...etcdFlags.flags,
  ...servingFlags,
  ...auditingFlags.flags,
  ...featuresFlags.flags,
  ...authenticationFlags.flags,
  ...authorizationFlags.flags,
  ...apiEnablementFlags.flags,
  ...egressFlags.flags,
  ...admissionFlags.flags,
  ...metricsFlags,
  ...logsFlags,
  ...tracesFlags,
  ...miscFlags.flags,
  ...globalFlags,
} as const;

export type ApiserverFlags = Values<typeof apiserverFlags>;

/** The groups of flags, with the checks of their values and the options that they set. */
const groups: readonly FlagGroup<StartOptions, ApiserverFlags>[] = [
  wherryFlags,
  genericFlags,
  etcdFlags,
  {
    flags: servingFlags,
    problems: (flags) => secureServingProblems(flags),
    sets: (flags) => ({
      host: flags["bind-address"] || "0.0.0.0",
      port: flags["secure-port"],
      serving: givenServing(flags),
      http: httpOptions(flags),
    }),
  },
  auditingFlags,
  featuresFlags,
  { flags: {}, problems: seatProblems },
  authenticationFlags,
  authorizationFlags,
  apiEnablementFlags,
  egressFlags,
  admissionFlags,
  {
    flags: metricsFlags,
    problems: metricsProblems,
    sets: async (flags) => ({ core: { metricSelection: await metricSelection(flags) } }),
  },
  {
    flags: logsFlags,
    problems: loggingProblems,
    sets: (flags) => ({ log: logChoice(flags) }),
  },
  {
    flags: tracesFlags,
    async sets(flags) {
      const path = flags["tracing-config-file"];
      return path === "" ? {} : { tracing: await readTracingConfiguration(path) };
    },
  },
  miscFlags,
  {
    flags: globalFlags,
    sets: ({ version }) => ({ core: { version: reportedInfo(version) } }),
  },
];

/** Priority and fairness share both limits; without a limit there is nothing to share. */
function seatProblems(flags: ApiserverFlags): string[] {
  const reading = flags["max-requests-inflight"];
  const writing = flags["max-mutating-requests-inflight"];
  if (!flags["enable-priority-and-fairness"] || reading + writing > 0) return [];
  return [
    `invalid configuration: MaxRequestsInFlight=${reading} and MaxMutatingRequestsInFlight=${writing}; they must add up to something positive`,
  ];
}

/** All problems of the flags, including values that are not supported. */
export const flagProblems = (flags: ApiserverFlags, given: ReadonlySet<string>): string[] =>
  flagGroupProblems(groups, flags, given);

/** The options of the server that the flags set. */
export const flagOptions = async (
  flags: ApiserverFlags,
  given: ReadonlySet<string>,
): Promise<StartOptions> => (await flagGroupOptions(groups, flags, given)) as StartOptions;

function httpOptions(flags: SecureServingFlags): NonNullable<StartOptions["http"]> {
  const streams = flags["http2-max-streams-per-connection"];
  return {
    http2: !flags["disable-http2-serving"],
    ...(streams > 0 && { limits: { streamsPerConnection: streams } }),
  };
}
