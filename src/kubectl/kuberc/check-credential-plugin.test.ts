import { expect, test } from "vitest";
import { checkCredentialPlugin } from "./check-credential-plugin.ts";
import type { Preference } from "./preference.ts";

const around = { env: { PATH: "/nowhere:/bin" }, cwd: "/" };
const allowing = (...commands: string[]): Preference => ({
  credentialPluginPolicy: "Allowlist",
  credentialPluginAllowlist: commands.map((command) => ({ command })),
});

const rows: [preference: Preference, program: string, error: string | undefined][] = [
  [{}, "sh", undefined],
  [{ credentialPluginPolicy: "AllowAll" }, "sh", undefined],
  [{ credentialPluginPolicy: "DenyAll" }, "sh", 'plugin "sh" not allowed: policy set to "DenyAll"'],
  [allowing("sh"), "sh", undefined],
  [allowing("/bin/sh"), "sh", undefined],
  [allowing("sh"), "/bin/sh", undefined],
  [
    allowing("cat"),
    "sh",
    'plugin path "/bin/sh" is not permitted by the credential plugin allowlist',
  ],
  [
    allowing("/opt/sh"),
    "/bin/sh",
    'plugin path "/bin/sh" is not permitted by the credential plugin allowlist',
  ],
  [
    allowing("sh"),
    "not-there",
    'plugin path "not-there" cannot be resolved for credential plugin allowlist check: exec: "not-there": executable file not found in $PATH',
  ],
];

test.each(rows)("checkCredentialPlugin: %j and %s", (preference, program, error) => {
  const check = () => checkCredentialPlugin(preference, program, around);
  if (error === undefined) expect(check).not.toThrow();
  else expect(check).toThrow(new Error(error));
});
