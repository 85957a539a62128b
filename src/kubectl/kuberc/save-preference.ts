import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileFault } from "../../kubeconfig/file-fault.ts";
import { toYaml } from "../../schema/yaml/yaml.ts";
import type { CommandContext } from "../program/kubectl-command.ts";
import type { CommandOption, Preference } from "./preference.ts";

/** Writes preferences to a file, and says so. */
export function savePreference(
  { io, cwd }: Pick<CommandContext, "io" | "cwd">,
  path: string,
  preference: Preference,
): void {
  const file = resolve(cwd, path);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
  } catch (cause) {
    const fault = fileFault("mkdir", dirname(path), cause);
    throw new Error(`failed to create directory ${dirname(path)}: ${fault}`, { cause });
  }
  try {
    writeFileSync(file, toYaml(preferenceObject(preference)), { mode: 0o644 });
  } catch (cause) {
    throw new Error(`failed to write kuberc file: ${fileFault("open", path, cause)}`, { cause });
  }
  io.stdout.write(`Updated ${path}\n`);
}

/** Preferences as Go writes them: its members in order, and lists that are not there as null. */
export function preferenceObject(preference: Preference): Readonly<Record<string, unknown>> {
  const { credentialPluginPolicy: policy, credentialPluginAllowlist: allowed } = preference;
  return {
    kind: preference.kind ?? "Preference",
    apiVersion: preference.apiVersion ?? "kubectl.config.k8s.io/v1beta1",
    defaults:
      preference.defaults?.map(({ command = "", options }) => ({
        command,
        options: optionObjects(options),
      })) ?? null,
    aliases:
      preference.aliases?.map(({ name = "", command = "", ...alias }) => ({
        name,
        command,
        ...(alias.prependArgs?.length && { prependArgs: alias.prependArgs }),
        ...(alias.appendArgs?.length && { appendArgs: alias.appendArgs }),
        ...(alias.options?.length && { options: optionObjects(alias.options) }),
      })) ?? null,
    ...(policy && { credentialPluginPolicy: policy }),
    ...(allowed?.length && {
      credentialPluginAllowlist: allowed.map(({ name, command }) => ({
        ...(name && { name }),
        ...(command && { command }),
      })),
    }),
  };
}

const optionObjects = (options: readonly CommandOption[] | undefined) =>
  options?.map(({ name = "", default: value = "" }) => ({ name, default: value })) ?? null;
