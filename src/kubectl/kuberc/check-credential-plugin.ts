import { quote } from "../../schema/values/quote.ts";
import { findExecutable } from "../plugins/find-executable.ts";
import type { Environment } from "../program/kubectl-command.ts";
import type { Preference } from "./preference.ts";

/** Throws if the user's preferences do not let a program provide credentials. */
export function checkCredentialPlugin(
  { credentialPluginPolicy: policy, credentialPluginAllowlist: allowed }: Preference,
  program: string,
  around: { readonly env: Environment; readonly cwd: string },
): void {
  if (policy === "DenyAll")
    throw new Error(`plugin ${quote(program)} not allowed: policy set to "DenyAll"`);
  if (policy !== "Allowlist") return;
  const pathOf = (name: string): string | undefined =>
    name.includes("/") ? name : findExecutable(name, around);
  const path = pathOf(program);
  if (path === undefined)
    throw new Error(
      `plugin path ${quote(program)} cannot be resolved for credential plugin allowlist check: exec: ${quote(program)}: executable file not found in $PATH`,
    );
  const names = (allowed ?? []).map(({ name, command }) => command || name || "");
  if (names.some((name) => name === program || name === path || pathOf(name) === path)) return;
  throw new Error(`plugin path ${quote(path)} is not permitted by the credential plugin allowlist`);
}
