import { list, string, strings } from "../../schema/language/field.ts";
import { type Infer, struct } from "../../schema/language/struct.ts";

const named = (name: string): string => `io.k8s.kubectl.config.v1beta1.${name}`;

const CommandOption = struct(named("CommandOptionDefault"), {
  name: string(1).doc("The long name of a flag, without dashes."),
  default: string(2).doc("Its value."),
}).doc("The value of a flag.");
export interface CommandOption extends Infer<typeof CommandOption> {}

const CommandDefaults = struct(named("CommandDefaults"), {
  command: string(1).doc("The command, without kubectl: `set env`."),
  options: list(2, CommandOption).doc("The values of flags that are not given."),
}).doc("The defaults of a command.");

const Alias = struct(named("AliasOverride"), {
  name: string(1).doc("The new name."),
  command: string(2).doc("The command that it stands for."),
  prependArgs: strings(3).doc("Arguments before those that are given."),
  appendArgs: strings(4).doc("Arguments after those that are given."),
  options: list(5, CommandOption).doc("The values of flags that are not given."),
}).doc("Another name for a command.");
export interface Alias extends Infer<typeof Alias> {}

const AllowlistEntry = struct(named("AllowlistEntry"), {
  name: string(1).doc("The same as the command; no longer used."),
  command: string(2).doc("The program."),
}).doc("A program that may provide credentials.");

/** The user's preferences for kubectl. */
export const Preference = struct(named("Preference"), {
  kind: string(1).doc("Preference."),
  apiVersion: string(2).doc("kubectl.config.k8s.io/v1beta1."),
  defaults: list(3, CommandDefaults).doc("The defaults of commands."),
  aliases: list(4, Alias).doc("Other names for commands."),
  credentialPluginPolicy: string(5).doc("Which programs may provide credentials."),
  credentialPluginAllowlist: list(6, AllowlistEntry).doc("The programs that may."),
}).doc("The user's preferences for kubectl.");
export interface Preference extends Infer<typeof Preference> {}

const oldNamed = (name: string): string => `io.k8s.kubectl.config.v1alpha1.${name}`;

const OldDefaults = struct(oldNamed("CommandDefaults"), {
  command: string(1).doc("The command."),
  flags: list(2, CommandOption).doc("The values of flags that are not given."),
}).doc("The defaults of a command.");

const OldAlias = struct(oldNamed("AliasOverride"), {
  name: string(1).doc("The new name."),
  command: string(2).doc("The command that it stands for."),
  prependArgs: strings(3).doc("Arguments before those that are given."),
  appendArgs: strings(4).doc("Arguments after those that are given."),
  flags: list(5, CommandOption).doc("The values of flags that are not given."),
}).doc("Another name for a command.");

/** The preferences in the version before. */
export const OldPreference = struct(oldNamed("Preference"), {
  kind: string(1).doc("Preference."),
  apiVersion: string(2).doc("kubectl.config.k8s.io/v1alpha1."),
  overrides: list(3, OldDefaults).doc("The defaults of commands."),
  aliases: list(4, OldAlias).doc("Other names for commands."),
}).doc("The user's preferences for kubectl, in an older version.");
export interface OldPreference extends Infer<typeof OldPreference> {}

/** Preferences of the version before, in the names of this one. */
export function upgraded({ overrides, aliases }: OldPreference): Preference {
  return {
    defaults: (overrides ?? []).map(({ flags, ...rest }) => ({ ...rest, options: flags ?? [] })),
    aliases: (aliases ?? []).map(({ flags, ...rest }) => ({ ...rest, options: flags ?? [] })),
  };
}
