import { type KubercFile, kubercFile } from "../../../kuberc/kuberc-file.ts";
import { globalFlags } from "../../../program/global-flags.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";

/** The file with the preferences. */
export function requireKuberc({
  inherited,
  env,
}: Pick<CommandContext, "inherited" | "env">): KubercFile {
  const { kuberc } = inherited({ kuberc: globalFlags.kuberc });
  const file = kubercFile(kuberc, env);
  if (!file) throw new Error("KUBERC is disabled via KUBERC=off environment variable");
  return file;
}
