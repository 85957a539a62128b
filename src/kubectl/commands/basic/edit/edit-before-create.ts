import type { CommandContext } from "../../../program/kubectl-command.ts";
import { findResources, type ResourceQuery } from "../../../resource/find-resources.ts";
import type { FieldValidation } from "../../shared/field-validation.ts";
import { editObjects } from "./edit-objects.ts";

/** Has each object of files edited, and creates it; those that are not changed are not created. */
export async function editBeforeCreate(
  context: CommandContext,
  files: Pick<ResourceQuery, "filenames" | "kustomize" | "isRecursive">,
  validation: FieldValidation,
): Promise<undefined> {
  const flags = context.flags as { readonly output: string; readonly "save-config": boolean };
  const found = await findResources(context, {
    ...files,
    flattens: true,
    continuesOnError: true,
    skipsRequests: true,
  });
  await found.visit(async (info, error) => {
    if (error) throw error;
    await editObjects(context, [info], {
      mode: "create",
      output: flags.output,
      savesConfig: flags["save-config"],
      printsPatch: false,
      windowsLineEndings: process.platform === "win32",
      fieldManager: "kubectl-create",
      validation,
      subresource: "",
    });
  });
  return undefined;
}
