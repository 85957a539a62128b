import { badRequest } from "../http/docker-error.ts";

/** What the security options of a container say. */
export interface SecurityOptions {
  readonly noNewPrivileges: boolean;
  readonly apparmor?: string | undefined;
  /** `unconfined`, `builtin` or a profile as JSON; absent for the default. */
  readonly seccomp?: string | undefined;
}

/** Parses options such as `seccomp=unconfined` and `no-new-privileges`. */
export function parseSecurityOptions(options: readonly string[]): SecurityOptions {
  let result: SecurityOptions = { noNewPrivileges: false };
  for (const option of options) result = { ...result, ...parseOption(option) };
  return result;
}

function parseOption(option: string): Partial<SecurityOptions> {
  if (option === "no-new-privileges") return { noNewPrivileges: true };
  // SELinux labels are not applied: there is nothing to disable.
  if (option === "disable") return {};
  const at = option.includes("=") ? option.indexOf("=") : option.indexOf(":");
  if (at < 0) throw badRequest(`invalid --security-opt 1: "${option}"`);
  const value = option.slice(at + 1);
  switch (option.slice(0, at)) {
    case "label":
      return {};
    case "apparmor":
      return { apparmor: value };
    case "seccomp":
      return { seccomp: value };
    case "no-new-privileges":
      if (/^(?:true|false|1|0)$/i.test(value))
        return { noNewPrivileges: /^(?:true|1)$/i.test(value) };
  }
  throw badRequest(`invalid --security-opt 2: "${option}"`);
}
