import { bool, string } from "../../../../schema/language/field.ts";
import type { At } from "../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { isDns1123Subdomain } from "../../../../schema/values/names.ts";

export const WindowsSecurityContextOptions = struct(
  "io.k8s.api.core.v1.WindowsSecurityContextOptions",
  {
    gmsaCredentialSpecName: string(1).pointer().doc("Name of the GMSA credential spec to use."),
    gmsaCredentialSpec: string(2).pointer().doc("The GMSA credential spec itself."),
    runAsUserName: string(3).pointer().doc("The user, as USER or DOMAIN\\USER."),
    hostProcess: bool(4).pointer().doc("Whether containers run as processes of the node."),
  },
).doc("Security settings that Windows alone knows.");
export interface WindowsSecurityContextOptions
  extends Infer<typeof WindowsSecurityContextOptions> {}

/** The rules of a pod's or container's Windows settings. */
export function validateWindowsOptions(options: WindowsSecurityContextOptions, at: At): void {
  const { gmsaCredentialSpecName: name, gmsaCredentialSpec: spec, runAsUserName } = options;
  if (name !== undefined) at.invalidEach("gmsaCredentialSpecName", name, isDns1123Subdomain(name));
  if (spec === "")
    at.invalid("gmsaCredentialSpec", spec, "gmsaCredentialSpec cannot be an empty string");
  else if (spec !== undefined && byteLength(spec) > 64 * 1024)
    at.invalid("gmsaCredentialSpec", spec, "gmsaCredentialSpec size must be under 64 KiB");
  if (runAsUserName !== undefined)
    at.invalidEach("runAsUserName", runAsUserName, userNameFaults(runAsUserName));
}

function userNameFaults(name: string): readonly string[] {
  if (name === "") return ["runAsUserName cannot be an empty string"];
  if ([...name].some((char) => char < " " || char === "\x7f"))
    return ["runAsUserName cannot contain control characters"];
  const parts = name.split("\\");
  if (parts.length > 2) return ["runAsUserName cannot contain more than one backslash"];
  const user = parts.at(-1) ?? "";
  return [...(parts.length === 2 ? domainFaults(parts[0] ?? "") : []), ...userFaults(user)];
}

const netBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/u;
const dnsLabel = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const dnsName = new RegExp(`^${dnsLabel}(?:\\.${dnsLabel})*$`);

function domainFaults(domain: string): readonly string[] {
  const faults: string[] = [];
  if (byteLength(domain) >= 256)
    faults.push("runAsUserName's Domain length must be under 256 characters");
  if (!netBios.test(domain) && !dnsName.test(domain))
    faults.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  return faults;
}

function userFaults(user: string): readonly string[] {
  const faults: string[] = [];
  if (user === "") faults.push("runAsUserName's User cannot be empty");
  else if (byteLength(user) > 104)
    faults.push("runAsUserName's User length must not be longer than 104 characters");
  if (/^[. ]+$/.test(user))
    faults.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user))
    faults.push(`runAsUserName's User cannot contain the following characters: "/\\:;|=,+*?<>@[]`);
  return faults;
}

const encoder = new TextEncoder();
const byteLength = (text: string): number => encoder.encode(text).length;
