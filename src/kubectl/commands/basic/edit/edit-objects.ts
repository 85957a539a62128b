import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { StatusError } from "../../../../api/meta/v1/status-error.ts";
import type { DynamicObject } from "../../../../client/resource-kind.ts";
import { yamlToJson } from "../../../../schema/yaml/yaml.ts";
import { actionPrinter } from "../../../print/print-flags.ts";
import { ExitError } from "../../../program/command-error.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import { fieldCheck } from "../../../resource/document-validator.ts";
import { findResources, onlyNamespace } from "../../../resource/find-resources.ts";
import type { Info } from "../../../resource/info.ts";
import { InfosError } from "../../../resource/result.ts";
import type { FieldValidation } from "../../shared/field-validation.ts";
import { recorded } from "../../shared/record.ts";
import { withSavedConfiguration } from "../../shared/saved-configuration.ts";
import { EditResults } from "./edit-results.ts";
import {
  contentOf,
  type EditMode,
  hasContent,
  headerText,
  withoutComments,
} from "./edited-text.ts";
import { editText } from "./launch-editor.ts";
import { annotateEdited, createEdited, patchEdited, type WriteOptions } from "./write-edited.ts";

/** How objects are edited. */
export interface EditOptions {
  readonly mode: EditMode;
  /** `json`, `yaml` or `kyaml`; empty for YAML. */
  readonly output: string;
  readonly savesConfig: boolean;
  readonly printsPatch: boolean;
  readonly windowsLineEndings: boolean;
  readonly fieldManager: string;
  readonly validation: FieldValidation;
  readonly subresource: string;
}

/** Opens an editor with objects, and sends what was changed; again until all of it is valid. */
export async function editObjects(
  context: CommandContext,
  infos: readonly Info[],
  options: EditOptions,
): Promise<void> {
  const session = new EditSession(context, infos, options);
  while (!(await session.pass()));
}

/** The infos of a text with objects. */
export async function infosOfText(
  context: CommandContext,
  text: string,
  subresource: string,
): Promise<readonly Info[]> {
  const found = await findResources(context, {
    texts: [{ source: "edited-file", text }],
    subresource,
    continuesOnError: true,
    flattens: true,
    skipsRequests: true,
    defaultsNamespace: false,
    enforcesNamespace: false,
  });
  return found.infos().catch((error: Error) => {
    throw error instanceof InfosError ? error.reason : error;
  });
}

class EditSession {
  readonly #context: CommandContext;
  readonly #infos: readonly Info[];
  readonly #options: EditOptions;
  #results = new EditResults();
  #original = "";
  #edited = "";
  /** Whether the file is to be edited again as it is. */
  #hasErrors = false;

  constructor(context: CommandContext, infos: readonly Info[], options: EditOptions) {
    this.#context = context;
    this.#infos = infos;
    this.#options = options;
  }

  /** Has the objects edited once, and sends them; resolves with whether that is all. */
  async pass(): Promise<boolean> {
    const { stderr } = this.#context.io;
    const before = this.#edited;
    const opened = this.#results.file;
    const extension = this.#options.output === "json" ? ".json" : ".yaml";
    const { path, text } = await this.#keeping(opened, async () =>
      editText(this.#context, this.#fileText(), extension),
    );
    this.#edited = text;
    if (this.#hasErrors && contentOf(before) === contentOf(text))
      return this.#keeping(path, () => {
        throw new Error("Edit cancelled, no valid changes were saved.");
      });
    if (opened !== "") await rm(opened, { force: true });
    if (!(await this.#isValid(path))) return false;
    const cancelled = this.#cancellation();
    if (cancelled !== undefined) {
      await rm(path, { force: true });
      stderr.write(`Edit cancelled, ${cancelled}\n`);
      return true;
    }
    this.#results = new EditResults(path);
    const updated = await this.#parsed();
    if (!updated) return false;
    await this.#keeping(path, () => this.#send(updated));
    return this.#finish();
  }

  /** What the editor is opened with. */
  #fileText(): string {
    const { mode, output, windowsLineEndings } = this.#options;
    const withLineEnds = (text: string): string =>
      windowsLineEndings ? text.replaceAll(/(?<!\r)\n/g, "\r\n") : text;
    const header = output === "json" ? "" : headerText(mode, this.#results.reasons);
    if (this.#hasErrors) return `${withLineEnds(header)}${withoutComments(this.#edited)}`;
    this.#original = withLineEnds(`${header}${this.#printed()}`);
    return this.#original;
  }

  #printed(): string {
    const objects = this.#infos.map(({ object }) => object as DynamicObject);
    const [only, ...others] = objects;
    const list = { apiVersion: "v1", items: objects, kind: "List", metadata: {} };
    const object = only && others.length === 0 ? only : list;
    return printedObject(object as unknown as DynamicObject, this.#options.output, this.#context);
  }

  async #isValid(path: string): Promise<boolean> {
    const [first] = this.#infos;
    const { validation } = this.#options;
    try {
      await fieldCheck(this.#context.factory, validation)?.(parsedYaml(this.#edited));
      return true;
    } catch (error) {
      if (!first) throw error;
      this.#results = new EditResults(path);
      this.#hasErrors = true;
      const message = `Invalid value: "The edited file failed validation": ${(error as Error).message}`;
      const causes = [{ reason: "FieldValueInvalid", message, field: "<nil>" }];
      const invalid = new StatusError("Invalid", message, { details: { causes } });
      this.#context.io.stderr.write(`${this.#results.add(invalid, first)}\n`);
      return false;
    }
  }

  /** Why nothing is sent; undefined if something is. */
  #cancellation(): string | undefined {
    if (contentOf(this.#original) === contentOf(this.#edited)) return "no changes made.";
    return hasContent(this.#edited) ? undefined : "saved file was empty.";
  }

  /** The edited objects; undefined if they cannot be read. */
  async #parsed(): Promise<readonly Info[] | undefined> {
    try {
      const infos = await infosOfText(this.#context, this.#edited, this.#options.subresource);
      this.#hasErrors = false;
      return infos;
    } catch (error) {
      this.#hasErrors = true;
      const head = `The edited file had a syntax error: ${(error as Error).message}`;
      this.#results.reasons.push({ head, others: [] });
      return undefined;
    }
  }

  async #send(updated: readonly Info[]): Promise<void> {
    const { mode, savesConfig } = this.#options;
    const context = this.#context;
    const { namespace } = await context.factory.namespace();
    for (const info of updated) this.#restoreManagers(info);
    for (const info of updated) await onlyNamespace(namespace)(info);
    for (const info of updated) {
      if (!info.object) continue;
      const saved = savesConfig ? withSavedConfiguration(info.object) : info.object;
      info.object = recorded(context, saved);
    }
    const write = { edit: patchEdited, create: createEdited, apply: annotateEdited }[mode];
    const options: WriteOptions = {
      ...this.#options,
      context,
      originals: this.#infos,
      results: this.#results,
    };
    // As in the original, only the error of the last object counts.
    let failure: Error | undefined;
    for (const info of updated) {
      failure = undefined;
      await write(info, options).catch((error: Error) => {
        failure = error;
      });
    }
    if (failure) throw failure;
  }

  /** Gives an edited object the field managers that were not shown. */
  #restoreManagers(info: Info): void {
    const { object } = info;
    if (!object) return;
    const uid = object.metadata?.uid ?? "";
    const original = this.#infos.find((one) => (one.object?.metadata?.uid ?? "") === uid);
    const managedFields = original?.object?.metadata?.managedFields;
    const { managedFields: _, ...metadata } = object.metadata ?? {};
    info.object = {
      ...object,
      metadata: { ...metadata, ...(managedFields && { managedFields }) },
    };
  }

  async #finish(): Promise<boolean> {
    const { retryable, missing, invalid, reasons, file } = this.#results;
    const { stderr } = this.#context.io;
    if (retryable > 0) {
      stderr.write(`You can run \`kubectl replace -f ${file}\` to try this update again.\n`);
      throw new ExitError(1);
    }
    if (missing > 0) {
      stderr.write(`The edits you made on deleted resources have been saved to "${file}"\n`);
      throw new ExitError(1);
    }
    if (invalid === 0) {
      await rm(file, { force: true });
      return true;
    }
    this.#hasErrors = reasons.length > 0;
    return false;
  }

  /** Does something; if it fails, says where the edits are. */
  async #keeping<T>(file: string, act: () => T | Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      if (file !== "" && existsSync(file))
        this.#context.io.stderr.write(`A copy of your changes has been stored to "${file}"\n`);
      throw error;
    }
  }
}

function printedObject(
  object: DynamicObject,
  output: string,
  { env }: Pick<CommandContext, "env">,
): string {
  const kyaml = env.KUBECTL_KYAML?.toLowerCase() !== "false";
  const formats = kyaml ? ["json", "kyaml", "yaml"] : ["json", "yaml"];
  const format = output === "" ? "yaml" : output;
  if (!formats.includes(format.toLowerCase()))
    throw new Error(
      `unable to match a printer suitable for the output format "${format}", allowed formats are: ${formats.join(",")}`,
    );
  const texts: string[] = [];
  const write = (text: string | Uint8Array): void => void texts.push(String(text));
  const readFile = (): never => {
    throw new Error("objects are edited without templates");
  };
  actionPrinter({ output: format, kyaml, readFile }).print(object, { write });
  return texts.join("");
}

function parsedYaml(text: string): unknown {
  return yamlToJson(text, { lenient: true });
}
