import {
  boolFlag,
  durationFlag,
  floatFlag,
  intFlag,
  ipFlag,
  stringFlag,
  stringsFlag,
  type Values,
} from "../../../../cli/flag.ts";
import { regexpFault } from "../../../../schema/regexp/go-regexp.ts";
import { only, section } from "../../../flags/server-flag.ts";
import { versionFlags } from "../../../flags/version-flags.ts";

const minute = 60_000;

export const genericFlags = section("Generic flags", {
  "advertise-address": ipFlag({
    usage:
      "the `IP` under which members of the cluster reach this server (default: that of --bind-address, or of the machine's first interface)",
  }),
  "cors-allowed-origins": stringsFlag({
    usage:
      "regular expressions of the web origins whose pages may call this server; each is pinned to the whole host, as '//example\\.com(:|$)' is (default: none)",
  }),
  "strict-transport-security-directives": stringsFlag({
    usage:
      "what the header Strict-Transport-Security says, like max-age=31536000,includeSubDomains,preload (default: no header)",
  }),
  "external-hostname": stringFlag({
    usage:
      "the `HOST` that clients outside find this server by, as /api and the metadata of tokens tell it",
  }),
  "max-requests-inflight": intFlag({
    usage: "how many requests that read are served at a time; 0 for any number",
    default: 400,
  }),
  "max-mutating-requests-inflight": intFlag({
    usage: "how many requests that write are served at a time; 0 for any number",
    default: 200,
  }),
  "request-timeout": durationFlag({
    usage: "how long a request may take that is not made to last, as a watch is",
    default: minute,
  }),
  "min-request-timeout": intFlag({
    usage: "how many seconds a watch lasts at least, where the client does not say",
    default: 1800,
  }),
  "goaway-chance": floatFlag({
    usage:
      "how likely an HTTP/2 client is told, with each request, to connect anew, which spreads clients over several servers; at most 0.02",
  }),
  "livez-grace-period": durationFlag({
    usage:
      "how long /livez overlooks steps of the start that are under way; nothing here is served before they are done",
  }),
  "storage-initialization-timeout": durationFlag({
    usage: "how long to wait for the store at start; nothing here is served before it is open",
    default: minute,
  }),
  "shutdown-delay-duration": durationFlag({
    usage: "how long to go on serving, but for /readyz, once asked to stop",
  }),
  "shutdown-send-retry-after": boolFlag({
    usage:
      "whether requests that arrive while the server ends are told to come again, until none is running",
  }),
  "shutdown-watch-termination-grace-period": only(
    [0],
    { because: "watches end at once when the server stops, and clients resume them elsewhere" },
    durationFlag({ usage: "how long watches may take to end" }),
  ),
  ...versionFlags,
  "emulation-forward-compatible": boolFlag({
    usage: "whether newer APIs than those of the emulated version are served",
  }),
  "runtime-config-emulation-forward-compatible": boolFlag({
    usage: "whether --runtime-config may name newer APIs than those of the emulated version",
  }),
});

/** What is wrong with the values, in upstream's words. */
export function genericProblems(flags: Values<typeof genericFlags>): string[] {
  const problems: string[] = [];
  const negative = (name: keyof typeof flags, words = "can not be negative value") => {
    if ((flags[name] as number) < 0) problems.push(`--${name} ${words}`);
  };
  negative("livez-grace-period", "can not be a negative value");
  negative("max-requests-inflight");
  negative("max-mutating-requests-inflight");
  negative("request-timeout");
  if (flags["goaway-chance"] < 0 || flags["goaway-chance"] > 0.02)
    problems.push("--goaway-chance can not be less than 0 or greater than 0.02");
  negative("min-request-timeout");
  negative("storage-initialization-timeout");
  negative("shutdown-delay-duration");
  problems.push(...flags["strict-transport-security-directives"].flatMap(directiveProblem));
  problems.push(...flags["cors-allowed-origins"].flatMap(originProblem));
  const forward = ["EmulationForwardCompatible", "RuntimeConfigEmulationForwardCompatible"];
  const given = [
    flags["emulation-forward-compatible"],
    flags["runtime-config-emulation-forward-compatible"],
  ];
  for (const [index, name] of forward.entries())
    if (given[index])
      problems.push(
        `ServerRunOptions.${name} cannot be set to true if the emulation version is the same as the binary version`,
      );
  return problems;
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
