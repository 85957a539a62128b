import {
  type Flags,
  stringArrayFlag,
  stringFlag,
  stringsFlag,
  type Values,
} from "../../../../cli/flag.ts";
import { setEntry } from "../../../../kubeconfig/edit-kubeconfig.ts";
import { type AuthInfo, entriesOf } from "../../../../kubeconfig/kubeconfig.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { type CommandContext, kubectlCommand } from "../../../program/kubectl-command.ts";
import { configAccess } from "./config-access.ts";
import { fileMembers, requireFile } from "./embedded-files.ts";
import { tristateFlag } from "./tristate-flag.ts";

const credentialFlags = {
  "client-certificate": stringFlag({
    usage: "Path to client-certificate file for the user entry in kubeconfig",
  }),
  "client-key": stringFlag({ usage: "Path to client-key file for the user entry in kubeconfig" }),
  token: stringFlag({ usage: "token for the user entry in kubeconfig" }),
  username: stringFlag({ usage: "username for the user entry in kubeconfig" }),
  password: stringFlag({ usage: "password for the user entry in kubeconfig" }),
  "auth-provider": stringFlag({ usage: "Auth provider for the user entry in kubeconfig" }),
  "auth-provider-arg": stringsFlag({ usage: "'key=value' arguments for the auth provider" }),
  "exec-command": stringFlag({
    usage: "Command for the exec credential plugin for the user entry in kubeconfig",
  }),
  "exec-api-version": stringFlag({
    usage: "API version of the exec credential plugin for the user entry in kubeconfig",
  }),
  "exec-interactive-mode": stringFlag({
    usage: "InteractiveMode of the exec credentials plugin for the user entry in kubeconfig",
  }),
  "exec-provide-cluster-info": tristateFlag(
    "ProvideClusterInfo of the exec credentials plugin for the user entry in kubeconfig",
  ),
  "exec-arg": stringsFlag({
    usage: "New arguments for the exec credential plugin command for the user entry in kubeconfig",
  }),
  "exec-env": stringArrayFlag({
    usage: "'key=value' environment values for the exec credential plugin",
  }),
  "embed-certs": tristateFlag("Embed client cert/key for the user entry in kubeconfig"),
} satisfies Flags;

type CredentialFlags = Values<typeof credentialFlags>;

export const setCredentialsCommand = kubectlCommand({
  name: "set-credentials",
  usage:
    "NAME [--client-certificate=path/to/certfile] [--client-key=path/to/keyfile] [--token=bearer_token] [--username=basic_user] [--password=basic_password] [--auth-provider=provider_name] [--auth-provider-arg=key=value] [--exec-command=exec_command] [--exec-api-version=exec_api_version] [--exec-arg=arg] [--exec-env=key=value]",
  short: "Set a user entry in kubeconfig",
  long: `Set a user entry in kubeconfig.

If the user exists, only the given fields are changed.

A user has a client certificate (--client-certificate and --client-key), a bearer token (--token), or a name and a password (--username and --password). A token and a password exclude each other.`,
  examples: `# Set only the "client-key" field on the "cluster-admin"
# entry, without touching other values
kubectl config set-credentials cluster-admin --client-key=~/.kube/admin.key

# Set basic auth for the "cluster-admin" entry
kubectl config set-credentials cluster-admin --username=admin --password=uXFGweU9l35qcif

# Embed client certificate data in the "cluster-admin" entry
kubectl config set-credentials cluster-admin --client-certificate=~/.kube/admin.crt --embed-certs=true

# Let a program provide the credentials of the "cluster-admin" entry
kubectl config set-credentials cluster-admin --exec-command=/path/to/the/executable --exec-api-version=client.authentication.k8s.io/v1beta1 --exec-interactive-mode=Never

# Define new exec auth plugin arguments for the "cluster-admin" entry
kubectl config set-credentials cluster-admin --exec-arg=arg1 --exec-arg=arg2

# Create or update exec auth plugin environment variables for the "cluster-admin" entry
kubectl config set-credentials cluster-admin --exec-env=key1=val1 --exec-env=key2=val2

# Remove exec auth plugin environment variables for the "cluster-admin" entry
kubectl config set-credentials cluster-admin --exec-env=var-to-remove-`,
  flags: credentialFlags,
  async run(context) {
    const { flags, args, io, help } = context;
    const [name] = args;
    let changes: Changes;
    try {
      if (name === undefined || args.length !== 1)
        throw new Error(`unexpected args: [${args.join(" ")}]`);
      changes = {
        provider: parsePairs(flags["auth-provider-arg"], "auth-provider-arg"),
        env: parsePairs(flags["exec-env"], "exec-env"),
      };
    } catch (error) {
      help("stdout");
      throw error;
    }
    await check(context, name);
    const files = await fileChanges(context);
    await configAccess(context).modify((config) => {
      const user = entriesOf(config, "users").get(name) ?? {};
      const changed = { ...user, ...files, ...loginChanges(context) };
      return setEntry(config, "users", {
        name,
        ...changed,
        "auth-provider": changedProvider(user, context, changes.provider),
        exec: changedExec(user, context, changes.env),
      });
    });
    io.stdout.write(`User ${quote(name)} set.\n`);
    return undefined;
  },
});

type Context = Pick<CommandContext, "given" | "cwd"> & { readonly flags: CredentialFlags };

interface Pairs {
  readonly set: ReadonlyMap<string, string>;
  readonly removed: readonly string[];
}

interface Changes {
  readonly provider: Pairs;
  readonly env: Pairs;
}

/** Pairs `key=value`, and keys with a dash behind them that are removed. */
function parsePairs(pairs: readonly string[], flag: string): Pairs {
  const set = new Map<string, string>();
  const removed: string[] = [];
  const invalid: string[] = [];
  for (const pair of pairs) {
    const equals = pair.indexOf("=");
    if (equals > 0) set.set(pair.slice(0, equals), pair.slice(equals + 1));
    else if (pair.endsWith("-") && pair !== "-") removed.push(pair.slice(0, -1));
    else invalid.push(pair);
  }
  if (invalid.length > 0) throw new Error(`invalid ${flag} format: ${invalid.join(", ")}`);
  return { set, removed };
}

async function check({ flags, given, cwd }: Context, name: string): Promise<void> {
  if (name === "") throw new Error("you must specify a non-empty user name");
  const { token, username, password } = flags;
  if (token !== "" && (username !== "" || password !== ""))
    throw new Error(
      "you cannot specify more than one authentication method at the same time: --token, --username/--password",
    );
  if (flags["embed-certs"]) {
    const paths = (["client-certificate", "client-key"] as const).filter((flag) => flags[flag]);
    if (paths.length === 0)
      throw new Error("you must specify a --client-certificate or --client-key to embed");
    for (const flag of paths) await requireFile(flag, flags[flag], cwd);
  }
  const isMode = ["IfAvailable", "Never", "Always"].includes(flags["exec-interactive-mode"]);
  if (given.has("exec-interactive-mode") && !isMode)
    throw new Error("invalid interactive mode type, can be only IfAvailable, Never, Always");
}

async function fileChanges({ flags, given, cwd }: Context): Promise<Partial<AuthInfo>> {
  const options = { embeds: flags["embed-certs"] ?? false, cwd };
  let changes = {};
  for (const flag of ["client-certificate", "client-key"] as const)
    if (given.has(flag))
      changes = { ...changes, ...(await fileMembers(flag, flags[flag], options)) };
  return changes;
}

/** A new token replaces a password, and the other way round. */
function loginChanges({ flags, given }: Context): Partial<AuthInfo> {
  const { token, username, password } = flags;
  const setsToken = token !== "";
  const setsBasic = username !== "" || password !== "";
  return {
    ...(given.has("token") && { token }),
    ...(given.has("username") && { username }),
    ...(given.has("password") && { password }),
    ...(setsToken && { username: undefined, password: undefined }),
    ...(setsBasic && { token: undefined }),
  };
}

function changedProvider(
  { "auth-provider": before }: AuthInfo,
  { flags, given }: Context,
  { set, removed }: Pairs,
): AuthInfo["auth-provider"] {
  const name = flags["auth-provider"];
  const provider = given.has("auth-provider") && before?.name !== name ? { name } : before;
  if (!provider) return undefined;
  const config = new Map(Object.entries(provider.config ?? {}));
  for (const key of removed) config.delete(key);
  for (const [key, value] of set) config.set(key, value);
  return { ...provider, config: Object.fromEntries(config) };
}

function changedExec(
  { exec: before }: AuthInfo,
  { flags, given }: Context,
  env: Pairs,
): AuthInfo["exec"] {
  const command = flags["exec-command"];
  let exec = before;
  if (given.has("exec-command"))
    exec = before ? { ...before, command, args: undefined } : { command };
  if (!exec) return undefined;
  const mode = flags["exec-interactive-mode"];
  const info = flags["exec-provide-cluster-info"];
  return {
    ...exec,
    ...(given.has("exec-api-version") && { apiVersion: flags["exec-api-version"] }),
    ...(flags["exec-arg"].length > 0 && { args: [...flags["exec-arg"]] }),
    ...(given.has("exec-interactive-mode") && { interactiveMode: mode }),
    ...(info !== undefined && { provideClusterInfo: info }),
    ...(given.has("exec-env") && { env: changedEnv(exec, env) }),
  };
}

function changedEnv(
  { env = [] }: NonNullable<AuthInfo["exec"]>,
  { set, removed }: Pairs,
): NonNullable<NonNullable<AuthInfo["exec"]>["env"]> {
  const kept = (env ?? []).filter(({ name = "" }) => !removed.includes(name));
  const names = new Set(kept.map(({ name }) => name));
  return [
    ...kept.map(({ name = "", value = "" }) => ({ name, value: set.get(name) ?? value })),
    ...[...set].filter(([name]) => !names.has(name)).map(([name, value]) => ({ name, value })),
  ];
}
