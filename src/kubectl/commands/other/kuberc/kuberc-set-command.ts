import {
  boolFlag,
  type Flags,
  stringArrayFlag,
  stringFlag,
  type Values,
} from "../../../../cli/flag.ts";
import { quote } from "../../../../schema/values/quote.ts";
import type { CommandOption, Preference } from "../../../kuberc/preference.ts";
import { savePreference } from "../../../kuberc/save-preference.ts";
import { ErrorList } from "../../../program/command-error.ts";
import { kubectlCommand } from "../../../program/kubectl-command.ts";
import { requireKuberc } from "./kuberc-path.ts";
import { readPreference } from "./read-preference.ts";

const setFlags = {
  section: stringFlag({
    usage: "Section to modify: 'defaults', 'aliases', or 'credentialplugin'",
  }),
  command: stringFlag({ usage: "Command to configure (e.g., 'get', 'create', 'set env')" }),
  name: stringFlag({ usage: "Alias name (required for --section=aliases)" }),
  policy: stringFlag({
    usage:
      "Plugin policy to use for exec credential plugins, must be one of 'AllowAll', 'DenyAll' or 'Allowlist'",
  }),
  option: stringArrayFlag({
    usage: "Flag option in the form flag=value (can be specified multiple times)",
  }),
  prependarg: stringArrayFlag({
    usage: "Argument to prepend to the command (can be specified multiple times, for aliases only)",
  }),
  appendarg: stringArrayFlag({
    usage: "Argument to append to the command (can be specified multiple times, for aliases only)",
  }),
  "allowlist-entry": stringArrayFlag({
    usage: "Allowlist entry the form field=value (can be specified multiple times)",
  }),
  overwrite: boolFlag({ usage: "Allow overwriting existing entries" }),
} satisfies Flags;

type SetFlags = Values<typeof setFlags>;

export const kubercSetCommand = kubectlCommand({
  name: "set",
  usage: "--section (defaults|aliases) --command COMMAND",
  short: "Set values in the kuberc configuration",
  long: `Set values in the kuberc configuration file.

In the section defaults, --option gives values to flags of a command; --command names the command without its arguments.

In the section aliases, --name is another name for a command, with flags by --option, and arguments by --prependarg and --appendarg.`,
  examples: `# Set default output format for 'get' command
kubectl kuberc set --section defaults --command get --option output=wide

# Set default output format for a subcommand
kubectl kuberc set --section defaults --command "set env" --option output=yaml

# Create an alias 'getn' for 'get' command with prepended 'nodes' resource
kubectl kuberc set --section aliases --name getn --command get --prependarg nodes --option output=wide

# Overwrite an existing default
kubectl kuberc set --section defaults --command get --option output=json --overwrite

# Set the credential plugin policy and allowlist
kubectl kuberc set --section credentialplugin --policy Allowlist --allowlist-entry command=cloud-credential-helper`,
  flags: setFlags,
  requiredFlags: ["section"],
  async run(context) {
    const { flags, cwd } = context;
    const { path } = requireKuberc(context);
    check(flags);
    const preference = readPreference(path, cwd) ?? {};
    const options = flags.option.map(parsedOption);
    savePreference(context, path, changed(preference, flags, options));
    return undefined;
  },
});

const sections = ["defaults", "aliases", "credentialplugin"];

function check(flags: SetFlags): void {
  const { section, name, command } = flags;
  if (!sections.includes(section))
    throw new Error(
      `--section must be "defaults", "aliases", or "credentialplugin", got: ${section}`,
    );
  if (section === "aliases" && name === "")
    throw new Error("--name is required when --section=aliases");
  if (section === "defaults" && name !== "")
    throw new Error("--name should not be specified when --section=defaults");
  if (section === "defaults" && flags.prependarg.length + flags.appendarg.length > 0)
    throw new Error("--prependarg and --appendarg are only valid for --section=aliases");
  if (section === "credentialplugin") checkPolicy(flags);
  else if (command === "")
    throw new Error("--command is required when --section=aliases or --section=defaults");
}

function checkPolicy({ policy, "allowlist-entry": entries }: SetFlags): void {
  if (policy === "") throw new Error("--policy is required when --section=credentialplugin");
  if (policy === "Allowlist") {
    if (entries.length === 0)
      throw new Error(
        "--allowlist-entry is required when --section=credentialplugin and --policy=Allowlist",
      );
    return;
  }
  if (policy !== "AllowAll" && policy !== "DenyAll")
    throw new Error(` --policy must be  "AllowAll", "DenyAll", or "Allowlist", got: ${policy}`);
  if (entries.length > 0)
    throw new Error(
      "--allowlist-entry may only be used when --section=credentialplugin and --policy=Allowlist",
    );
}

function parsedOption(option: string): CommandOption {
  const equals = option.indexOf("=");
  if (equals < 0) throw new Error(`invalid option format ${quote(option)}, expected flag=value`);
  return {
    name: option.slice(0, equals).replace(/^-+/, ""),
    default: option.slice(equals + 1),
  };
}

function changed(
  preference: Preference,
  flags: SetFlags,
  options: readonly CommandOption[],
): Preference {
  if (flags.section === "defaults") return withDefaults(preference, flags, options);
  if (flags.section === "aliases") return withAlias(preference, flags, options);
  return {
    ...preference,
    credentialPluginPolicy: flags.policy,
    ...(flags.policy === "Allowlist" && {
      credentialPluginAllowlist: allowedCommands(flags["allowlist-entry"]),
    }),
  };
}

function withDefaults(
  preference: Preference,
  { command, overwrite }: SetFlags,
  options: readonly CommandOption[],
): Preference {
  const defaults = [...(preference.defaults ?? [])];
  const at = defaults.findIndex((one) => one.command === command);
  const old = defaults[at];
  if (old && !overwrite)
    throw new Error(
      `defaults for command ${quote(command)} already exist, use --overwrite to replace`,
    );
  const given = options.length > 0 ? [...options] : old?.options;
  const entry = { command, ...(given && { options: given }) };
  if (old) defaults[at] = entry;
  else defaults.push(entry);
  return { ...preference, defaults };
}

function withAlias(
  preference: Preference,
  { name, command, overwrite, prependarg, appendarg }: SetFlags,
  options: readonly CommandOption[],
): Preference {
  const aliases = [...(preference.aliases ?? [])];
  const at = aliases.findIndex((one) => one.name === name);
  const old = aliases[at];
  if (old && !overwrite)
    throw new Error(`alias ${quote(name)} already exists, use --overwrite to replace`);
  const entry = {
    name,
    command,
    prependArgs: prependarg.length > 0 ? [...prependarg] : (old?.prependArgs ?? []),
    appendArgs: appendarg.length > 0 ? [...appendarg] : (old?.appendArgs ?? []),
    options: options.length > 0 ? [...options] : (old?.options ?? []),
  };
  if (old) aliases[at] = entry;
  else aliases.push(entry);
  return { ...preference, aliases };
}

function allowedCommands(entries: readonly string[]): { command: string }[] {
  const errors: Error[] = [];
  const commands: { command: string }[] = [];
  for (const pair of entries.flatMap((entry) => entry.split(","))) {
    const [field = "", ...rest] = pair.split("=");
    const value = rest.join("=");
    let problem: string | undefined;
    if (rest.length === 0) problem = `improperly formatted allowlist entry: ${quote(pair)}`;
    else if (field === "name")
      problem = 'allowlist entry field "name" is deprecated, use "command" instead';
    else if (field !== "command") problem = `unrecognized allowlist entry field: ${quote(field)}`;
    else if (value.trim() === "")
      problem = `empty value in allowlist entry for field ${quote(field)}`;
    if (problem === undefined) commands.push({ command: value });
    else errors.push(new Error(problem));
  }
  if (errors.length > 0) throw new ErrorList(errors);
  return commands;
}
