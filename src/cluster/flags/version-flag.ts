import type { VersionInfo } from "../../apiserver/documents/documents.ts";
import { boolFlag, type Flag, valueFlag } from "../../cli/flag.ts";
import { quote } from "../../schema/values/quote.ts";
import { kubernetesVersion, version, versionInfo } from "../version.ts";

/** The value of `--version`. */
export interface VersionChoice {
  /** The value that was given last: `true`, `false`, `raw`, or a version. */
  readonly given: string;
  /** The version to report instead of our own. */
  readonly reported?: string | undefined;
}

/** The flag `--version` of component-base: it prints the version, or sets the one that is reported. */
export const versionFlag: Flag<VersionChoice> = {
  ...valueFlag<VersionChoice>({
    usage:
      "`VERSION`: without a value, print the version and exit; raw prints all fields; vX.Y.Z-… makes the server report that version",
    type: "version",
    default: { given: "false" },
    read(text, before) {
      const reported = before?.reported;
      if (text === "raw") return { given: text, reported };
      if (!text.startsWith("v")) return { given: String(yesOrNo.read(text, undefined)), reported };
      checkReportedVersion(text);
      return { given: text, reported: text };
    },
    show: ({ given }) => given,
  }),
  implied: "true",
};

const yesOrNo = boolFlag({ usage: "" });

/** Prints the version if the flag asks for it, and returns whether it did. */
export function printVersion(
  { given, reported }: VersionChoice,
  stdout: { write(text: string): unknown },
): boolean {
  if (given === "raw") stdout.write(`${goText(reportedInfo({ given, reported }))}\n`);
  else if (given === "true")
    stdout.write(`Kubernetes ${reported ?? kubernetesVersion} (wherry ${version})\n`);
  else return false;
  return true;
}

/** The response of `/version`. */
export const reportedInfo = ({ reported }: VersionChoice): VersionInfo =>
  reported === undefined ? versionInfo : { ...versionInfo, gitVersion: reported };

/** The version that a component names in its user agent and its log. */
export const reportedVersion = ({ reported }: VersionChoice): string =>
  reported ?? kubernetesVersion;

/** A version as Go prints a struct of it. */
function goText(info: VersionInfo): string {
  const fields = Object.entries(info).map(([name, value]) => {
    // Upstream knows the emulated version only after parsing its flags.
    const known = /^(emulation|minCompatibility)/.test(name) ? "" : value;
    return `${name.charAt(0).toUpperCase()}${name.slice(1)}:${quote(known)}`;
  });
  return `version.Info{${fields.join(", ")}}`;
}

/** Throws unless a version differs from our own in nothing but its suffix; the messages are upstream's. */
function checkReportedVersion(text: string): void {
  const own = versionInfo.gitVersion;
  if (text === own) return;
  if (semanticVersion(text) !== semanticVersion(own))
    throw new Error(
      `version ${quote(text)} must match major/minor/patch of default version ${quote(own)}`,
    );
}

const uint = 2n ** 64n;

/** Major, minor and patch of a semantic version; throws if the text is none. */
function semanticVersion(text: string): string {
  const [, numbers, rest = ""] = /^\s*v?([0-9]+(?:\.[0-9]+)*)(.*)$/.exec(text) ?? [];
  if (numbers === undefined) throw new Error(`could not parse ${quote(text)} as version`);
  const components = numbers.split(".");
  if (components.length !== 3) throw new Error(`illegal version string ${quote(text)}`);
  for (const component of components) {
    checkZero(component, text);
    if (BigInt(component) >= uint)
      throw new Error(
        `illegal non-numeric version component ${quote(component)} in ${quote(text)}: strconv.ParseUint: parsing ${quote(component)}: value out of range`,
      );
  }
  const extra = suffix.exec(rest);
  if (!extra)
    throw new Error(`could not parse pre-release/metadata (${rest}) in version ${quote(text)}`);
  for (const component of (extra[1] ?? "").split("."))
    if (/^\d+$/.test(component) && BigInt(component) < uint) checkZero(component, text);
  return numbers;
}

const suffix =
  /^(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?\s*$/;

function checkZero(component: string, text: string): void {
  if (component.startsWith("0") && component !== "0")
    throw new Error(
      `illegal zero-prefixed version component ${quote(component)} in ${quote(text)}`,
    );
}
