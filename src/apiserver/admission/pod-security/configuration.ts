import { At } from "../../../schema/language/report.ts";
import { isDns1123Label, isDns1123Subdomain, type Messages } from "../../../schema/values/names.ts";
import { type Level, levels, type Policy, versionFault } from "./policy.ts";

/** The policy of namespaces without labels, and the exemptions. */
export interface PodSecurityConfiguration {
  readonly defaults?: {
    readonly enforce?: string;
    readonly "enforce-version"?: string;
    readonly audit?: string;
    readonly "audit-version"?: string;
    readonly warn?: string;
    readonly "warn-version"?: string;
  };
  readonly exemptions?: {
    readonly usernames?: readonly string[];
    readonly namespaces?: readonly string[];
    readonly runtimeClasses?: readonly string[];
  };
}

/** The policy of a configuration; throws if it is invalid. */
export function defaultPolicy({
  defaults = {},
  exemptions = {},
}: PodSecurityConfiguration): Policy {
  const at = At.root();
  const read = (mode: "enforce" | "warn" | "audit") => {
    const level = defaults[mode] || "privileged";
    const version = defaults[`${mode}-version`] || "latest";
    const here = at.child("defaults");
    if (!(levels as readonly string[]).includes(level))
      here.invalid(mode, level, `must be one of ${levels.join(", ")}`);
    const fault = versionFault(version);
    if (fault !== undefined) here.invalid(`${mode}-version`, version, fault);
    return { level: level as Level, version };
  };
  const policy = { enforce: read("enforce"), warn: read("warn"), audit: read("audit") };
  const here = at.child("exemptions");
  checkEach(exemptions.namespaces, here.child("namespaces"), isDns1123Label);
  checkEach(exemptions.runtimeClasses, here.child("runtimeClasses"), isDns1123Subdomain);
  checkEach(exemptions.usernames, here.child("usernames"), (name) =>
    name === "" ? ["username must not be empty"] : [],
  );
  if (at.errors.length === 0) return policy;
  const all = at.errors.map(({ field, message }) => `${field}: ${message}`);
  throw new Error(all.length === 1 ? all[0] : `[${all.join(", ")}]`);
}

function checkEach(
  names: readonly string[] = [],
  at: At,
  faultsOf: (name: string) => Messages,
): void {
  const seen = new Set<string>();
  for (const [i, name] of names.entries()) {
    const faults = faultsOf(name);
    if (faults.length > 0) at.index(i).invalid("", name, faults.join(", "));
    else if (seen.has(name)) at.index(i).duplicate("", name);
    else seen.add(name);
  }
}
