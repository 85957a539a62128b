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
import { only } from "../../../flags/server-flag.ts";
import { versionFlags } from "../../../flags/version-flags.ts";
import { coreFlag, flagGroup, optionFlag } from "./apiserver-flag.ts";

const minute = 60_000;

export const genericFlags = flagGroup("Generic flags", {
  "advertise-address": optionFlag(
    ipFlag({
      usage:
        "the `IP` under which members of the cluster reach this server (default: that of --bind-address, or of the machine's first interface)",
    }),
    {
      // An unspecified address is none that others could connect to.
      sets: (address) => ({ advertiseAddress: address.replace(/^(0\.0\.0\.0|::)$/, "") }),
    },
  ),
  "cors-allowed-origins": coreFlag(
    "corsAllowedOrigins",
    stringsFlag({
      usage:
        "regular expressions of the web origins whose pages may call this server; each is pinned to the whole host, as '//example\\.com(:|$)' is (default: none)",
    }),
    (origins) => origins.flatMap(originProblem),
  ),
  "strict-transport-security-directives": coreFlag(
    "strictTransportSecurity",
    stringsFlag({
      usage:
        "what the header Strict-Transport-Security says, like max-age=31536000,includeSubDomains,preload (default: no header)",
    }),
    (directives) => directives.flatMap(directiveProblem),
  ),
  "external-hostname": optionFlag(
    stringFlag({
      usage:
        "the `HOST` that clients outside find this server by, as /api and the metadata of tokens publish it",
    }),
    { sets: (externalHost) => ({ externalHost }) },
  ),
  "max-requests-inflight": optionFlag(
    intFlag({
      usage: "how many requests that read are served at a time; 0 for any number",
      default: 400,
    }),
    { sets: (reading) => ({ core: { maxInFlight: { reading } } }), problems: notNegative },
  ),
  "max-mutating-requests-inflight": optionFlag(
    intFlag({
      usage: "how many requests that write are served at a time; 0 for any number",
      default: 200,
    }),
    { sets: (writing) => ({ core: { maxInFlight: { writing } } }), problems: notNegative },
  ),
  "request-timeout": coreFlag(
    "requestTimeoutMs",
    durationFlag({
      usage: "how long a request may take that is not made to last, as a watch is",
      default: minute,
    }),
    notNegative,
  ),
  "min-request-timeout": optionFlag(
    intFlag({
      usage: "how many seconds a watch lasts at least, where the client does not say",
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
        "the chance that an HTTP/2 client has to connect anew after a request (GOAWAY), which spreads clients over several servers; at most 0.02",
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
        "how long /livez overlooks steps of the start that are under way; nothing here is served before they are done",
    }),
    {
      problems: (period) =>
        period < 0 ? ["--livez-grace-period can not be a negative value"] : [],
    },
  ),
  "storage-initialization-timeout": optionFlag(
    durationFlag({
      usage: "how long to wait for the store at start; nothing here is served before it is open",
      default: minute,
    }),
    { problems: notNegative },
  ),
  "shutdown-delay-duration": coreFlag(
    "shutdownDelayMs",
    durationFlag({
      usage: "how long to go on serving, but for /readyz, once asked to stop",
    }),
    notNegative,
  ),
  "shutdown-send-retry-after": coreFlag(
    "shutdownSendRetryAfter",
    boolFlag({
      usage:
        "whether requests that arrive while the server stops are answered with Retry-After, until none is running",
    }),
  ),
  "shutdown-watch-termination-grace-period": only(
    [0],
    { because: "watches end at once when the server stops, and clients resume them elsewhere" },
    durationFlag({ usage: "how long watches may take to end" }),
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

/** The server emulates no older version, so that there are no newer APIs to add to it. */
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

/** Upstream's error ends in the text of its help. */
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
