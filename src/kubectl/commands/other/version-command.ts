import { boolFlag, stringFlag } from "../../../cli/flag.ts";
import { toYaml } from "../../../schema/yaml/yaml.ts";
import { orderedJsonText } from "../../print/json-text.ts";
import { globalFlags } from "../../program/global-flags.ts";
import { type CommandContext, kubectlCommand } from "../../program/kubectl-command.ts";
import { clientVersion, kustomizeVersion } from "../../version.ts";
import { versionFields } from "../../version-text.ts";

export const versionCommand = kubectlCommand({
  name: "version",
  usage: "[flags]",
  short: "Print the client and server version information",
  long: "Print the client and server version information for the current context.",
  examples: `# Print the client and server versions for the current context
kubectl version`,
  flags: {
    client: boolFlag({ usage: "If true, shows client version only (no server required)." }),
    output: stringFlag({ short: "o", usage: "One of 'yaml' or 'json'." }),
  },
  async run(context) {
    const { flags, args, io, inherited } = context;
    if (!flags.client && args.length > 0) throw new Error(`extra arguments: [${args.join(" ")}]`);
    if (!["", "yaml", "json"].includes(flags.output))
      throw new Error("--output must be 'yaml' or 'json'");
    const { version: serverVersion, error } = flags.client ? {} : await serverVersionOf(context);
    const { gitCommit, ...client } = clientVersion;
    const versions = {
      clientVersion: { ...client, gitCommit },
      kustomizeVersion,
      ...(serverVersion && { serverVersion }),
    };
    if (flags.output === "json")
      io.stdout.write(`${orderedJsonText({ ...versions, clientVersion }, 2)}\n`);
    else if (flags.output === "yaml") io.stdout.write(`${toYaml(versions)}\n`);
    else {
      io.stdout.write(`Client Version: ${clientVersion.gitVersion}\n`);
      io.stdout.write(`Kustomize Version: ${kustomizeVersion}\n`);
      if (serverVersion) io.stdout.write(`Server Version: ${serverVersion.gitVersion ?? ""}\n`);
    }
    const warning = serverVersion && skewWarning(serverVersion.gitVersion ?? "");
    if (warning) {
      if (inherited(globalFlags)["warnings-as-errors"]) throw new Error(warning);
      io.stderr.write(`Warning: ${warning}\n`);
    }
    if (error) throw error;
    return undefined;
  },
});

type ServerVersion = Readonly<Record<string, string>>;

async function serverVersionOf({
  factory,
}: Pick<CommandContext, "factory">): Promise<{ version?: ServerVersion; error?: unknown }> {
  try {
    const version = await (await factory.discovery()).version();
    return {
      version: Object.fromEntries(
        versionFields.flatMap((field) => {
          const value = version[field] ?? "";
          return value === "" && /^(emulation|minCompat)/.test(field) ? [] : [[field, value]];
        }),
      ),
    };
  } catch (error) {
    return { error };
  }
}

/** A warning if client and server are more than one minor version apart. */
function skewWarning(gitVersion: string): string | undefined {
  const client = minorOf(clientVersion.gitVersion);
  const server = minorOf(gitVersion);
  if (!client) return undefined;
  if (!server) throw new Error(`server version error: could not parse "${gitVersion}" as version`);
  if (client.major === server.major && Math.abs(client.minor - server.minor) <= 1) return undefined;
  return `version difference between client (${client.major}.${client.minor}) and server (${server.major}.${server.minor}) exceeds the supported minor version skew of +/-1`;
}

function minorOf(version: string): { major: number; minor: number } | undefined {
  const [, major, minor] = /^\s*v?(\d+)\.(\d+)\.\d+/.exec(version) ?? [];
  return major === undefined ? undefined : { major: Number(major), minor: Number(minor) };
}
