import { readdirSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { fileFault } from "../../kubeconfig/file-fault.ts";
import { quote } from "../../schema/values/quote.ts";
import { compareUtf8 } from "../../schema/values/utf8-order.ts";
import type { CommandContext } from "../program/kubectl-command.ts";

/** The files in the folders of `PATH` that have the name of a plugin. */
export function listPlugins(
  { env, cwd }: Pick<CommandContext, "env" | "cwd">,
  onProblem: (text: string) => void = () => {},
): readonly string[] {
  const folders = [...new Set((env.PATH ?? "").split(delimiter))];
  return folders
    .filter((folder) => folder.trim() !== "")
    .flatMap((folder) => {
      try {
        return readdirSync(resolve(cwd, folder), { withFileTypes: true })
          .filter((entry) => !entry.isDirectory() && entry.name.startsWith("kubectl-"))
          .map(({ name }) => join(folder, name))
          .sort(compareUtf8);
      } catch (error) {
        const why = fileFault("open", folder, error);
        onProblem(
          `Unable to read directory ${quote(folder)} from your PATH: ${why}. Skipping...\n`,
        );
        return [];
      }
    });
}
