import {
  boolFlag,
  durationFlag,
  floatFlag,
  intFlag,
  ipFlag,
  stringFlag,
  stringsFlag,
} from "../../../../cli/flag.ts";
import { systemRandom } from "../../../../platform/system-entropy.ts";
import { regexpFault } from "../../../../schema/regexp/go-regexp.ts";
import { notNegative } from "../../../flags/option-flag.ts";
import { versionFlags } from "../../../flags/version-flags.ts";
import { coreFlag, flagGroup, optionFlag } from "./apiserver-flag.ts";

const minute = 60_000;

export const genericFlags = flagGroup("Generic flags", {
  "advertise-address": optionFlag(
    ipFlag({
      usage:
        "the `IP` that members of the cluster use to reach this server (default: --bind-address, or the address of the machine's first interface)",
    }),
    {
      // Others cannot connect to an unspecified address.
      sets: (address) => ({ advertiseAddress: address.replace(/^(0\.0\.0\.0|::)$/, "") }),
    },
  ),
  "cors-allowed-origins": coreFlag(
    "corsAllowedOrigins",
    stringsFlag({
      usage:
        "regular expressions for the web origins whose pages may call this server; each must match the whole host, like '//example\\.com(:|$)' (default: none)",
    }),
    (origins) => origins.flatMap(originProblem),
  ),
  "strict-transport-security-directives": coreFlag(
    "strictTransportSecurity",
    stringsFlag({
      usage:
        "the value of the header Strict-Transport-Security, like max-age=31536000,includeSubDomains,preload (default: no header)",
    }),
    (directives) => directives.flatMap(directiveProblem),
  ),
  "external-hostname": optionFlag(
    stringFlag({
      usage:
        "the `HOST` that external clients use, published by /api and the discovery document of tokens",
    }),
    { sets: (externalHost) => ({ externalHost }) },
  ),
  "max-requests-inflight": optionFlag(
    intFlag({
      usage: "the maximum number of concurrent read requests; 0 for no limit",
      default: 400,
    }),
    { sets: (reading) => ({ core: { maxInFlight: { reading } } }), problems: notNegative },
  ),
  "max-mutating-requests-inflight": optionFlag(
    intFlag({
      usage: "the maximum number of concurrent write requests; 0 for no limit",
      default: 200,
    }),
    { sets: (writing) => ({ core: { maxInFlight: { writing } } }), problems: notNegative },
  ),
  "request-timeout": coreFlag(
    "requestTimeoutMs",
    durationFlag({
      usage: "the timeout of requests that are not long-running, such as watches",
      default: minute,
    }),
    notNegative,
  ),
  "min-request-timeout": optionFlag(
    intFlag({
      usage: "the minimum duration of a watch in seconds, if the client sets none",
      default: 1800,
    }),
    {
      sets: (seconds) => ({ core: { minRequestTimeoutMs: seconds * 1000 } }),
      problems: notNegative,
    },
  ),
  "goaway-chance": optionFlag(
    floatFlag({
      usage:
        "the probability that a response tells an HTTP/2 client to reconnect (GOAWAY), which spreads clients over several servers; at most 0.02",
    }),
    {
      sets: (chance) =>
        chance > 0 ? { http: { goaway: () => systemRandom.next() < chance } } : {},
      problems: (chance) =>
        chance < 0 || chance > 0.02
          ? ["--goaway-chance can not be less than 0 or greater than 0.02"]
          : [],
    },
  ),
  "livez-grace-period": optionFlag(
    durationFlag({
      usage:
        "how long /livez ignores unfinished startup steps; Wherry serves nothing before they are done",
    }),
    {
      problems: (period) =>
        period < 0 ? ["--livez-grace-period can not be a negative value"] : [],
    },
  ),
  "storage-initialization-timeout": optionFlag(
    durationFlag({
      usage: "how long to wait for the store at start; Wherry serves nothing before it is open",
      default: minute,
    }),
    { problems: notNegative },
  ),
  "shutdown-delay-duration": coreFlag(
    "shutdownDelayMs",
    durationFlag({
      usage: "how long to keep serving after a signal to stop, while /readyz fails",
    }),
    notNegative,
  ),
  "shutdown-send-retry-after": coreFlag(
    "shutdownSendRetryAfter",
    boolFlag({
      usage:
        "whether requests that arrive while the server stops get a response with Retry-After, until no request is running",
    }),
  ),
  "shutdown-watch-termination-grace-period": coreFlag(
    "shutdownWatchMs",
    durationFlag({
      usage:
        "over which time watches end, one after the other, when the server stops; 0 ends all at once",
    }),
    (period) =>
      period < 0
        ? ["shutdown-watch-termination-grace-period, if provided, can not be a negative value"]
        : [],
  ),
  ...versionFlags,
  "emulation-forward-compatible": optionFlag(
    boolFlag({
      usage: "whether newer APIs than those of the emulated version are served",
    }),
    { problems: sameVersion("EmulationForwardCompatible") },
  ),
  "runtime-config-emulation-forward-compatible": optionFlag(
    boolFlag({
      usage: "whether --runtime-config may name newer APIs than those of the emulated version",
    }),
    { problems: sameVersion("RuntimeConfigEmulationForwardCompatible") },
  ),
});

/** The server does not emulate older versions, so that there are no newer APIs to add. */
function sameVersion(option: string): (isSet: boolean) => string[] {
  const problem = `ServerRunOptions.${option} cannot be set to true if the emulation version is the same as the binary version`;
  return (isSet) => (isSet ? [problem] : []);
}

function directiveProblem(directive: string): string[] {
  if (directive.trim() === "") return ["empty value in strict-transport-security-directives"];
  if (directive === "includeSubDomains" || directive === "preload") return [];
  const [name, ...values] = directive.split("=");
  if (name === "max-age" && values.length === 1) return [];
  return [
    "--strict-transport-security-directives invalid, allowed values: max-age=expireTime, includeSubDomains, preload. see https://tools.ietf.org/html/rfc6797#section-6.1 for more information",
  ];
}

/** Upstream's error ends with the flag's help text. */
const originHelp =
  "List of allowed origins for CORS, comma separated. An allowed origin can be a regular expression to support subdomain matching. If this list is empty CORS will not be enabled. Please ensure each expression matches the entire hostname by anchoring to the start with '^' or including the '//' prefix, and by anchoring to the end with '$' or including the ':' port separator suffix. Examples of valid expressions are '//example\\.com(:|$)' and '^https://example\\.com(:|$)'";

function originProblem(origin: string): string[] {
  if (origin === "") return [`empty value in --cors-allowed-origins, help: ${originHelp}`];
  const isPinned = /\^|\/\//.test(origin) && /\$|:/.test(origin);
  const fault =
    regexpFault(origin) ??
    (isPinned
      ? undefined
      : "regular expression does not pin to start/end of host in the origin header");
  if (fault === undefined) return [];
  return [
    `--cors-allowed-origins has an invalid regular expression: ${fault}, help: ${originHelp}`,
  ];
}
