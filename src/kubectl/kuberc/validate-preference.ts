import { normalize } from "node:path";
import { quote } from "../../schema/values/quote.ts";
import type { CommandOption, Preference } from "./preference.ts";

/** Throws the first error of preferences. */
export function validatePreference(preference: Preference): void {
  const names = new Set<string>();
  for (const { name = "", options } of preference.aliases ?? []) {
    if (!/^[a-zA-Z]+$/.test(name))
      throw new Error("invalid alias name, can only include alphabetical characters");
    checkOptions(options ?? []);
    if (names.has(name)) throw new Error(`duplicate alias name ${name}`);
    names.add(name);
  }
  for (const { options } of preference.defaults ?? []) checkOptions(options ?? []);
  checkPolicy(preference);
}

function checkOptions(options: readonly CommandOption[]): void {
  for (const { name = "" } of options)
    if (name.startsWith("-"))
      throw new Error(`flag name ${name} should be in long form without dashes`);
}

function checkPolicy({
  credentialPluginPolicy: policy = "",
  credentialPluginAllowlist: allowed,
}: Preference): void {
  if (["", "AllowAll", "DenyAll"].includes(policy)) {
    if (allowed)
      throw new Error(
        `misconfigured credential plugin allowlist: plugin policy is ${quote(policy)} but allowlist is non-nil`,
      );
    return;
  }
  if (policy !== "Allowlist") throw new Error(`unknown plugin policy: ${quote(policy)}`);
  if (!allowed)
    throw new Error('credential plugin policy set to "Allowlist", but allowlist is unspecified');
  if (allowed.length === 0)
    throw new Error(
      'credential plugin policy set to "Allowlist", but allowlist is empty; use "DenyAll" policy instead',
    );
  for (const [i, { name = "", command = "" }] of allowed.entries()) {
    if (name === "" && command === "")
      throw new Error(`misconfigured credential plugin allowlist: empty allowlist entry #${i + 1}`);
    // Older files say name where newer ones say command.
    const path = command || name;
    const clean = normalize(path).replace(/(?<=.)\/$/, "");
    if (clean !== path)
      throw new Error(`non-normalized file path: ${quote(path)} vs ${quote(clean)}`);
  }
}
