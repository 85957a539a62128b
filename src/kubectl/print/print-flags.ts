import { errorMessage } from "../../base/error-message.ts";
import { boolFlag, stringFlag, stringsFlag } from "../../cli/flag.ts";
import { quote } from "../../schema/values/quote.ts";
import {
  CustomColumnsPrinter,
  columnsFromFile,
  columnsFromSpec,
} from "./custom-columns-printer.ts";
import { JsonPathPrinter } from "./json-path-printer.ts";
import { JsonPrinter } from "./json-printer.ts";
import { KyamlPrinter } from "./kyaml-printer.ts";
import { NamePrinter } from "./name-printer.ts";
import { omittingManagedFields } from "./omit-managed-fields.ts";
import type { Printer } from "./printer.ts";
import { type TableOptions, TablePrinter } from "./table-printer.ts";
import { TemplatePrinter } from "./template-printer.ts";
import { YamlPrinter } from "./yaml-printer.ts";

/** What a printer is chosen by, mostly flags of the same names. */
export interface PrintOptions {
  /** `json`, `jsonpath={.items}`; empty for the default of the command. */
  readonly output: string;
  readonly template?: string;
  readonly allowMissingTemplateKeys?: boolean;
  readonly showManagedFields?: boolean;
  /** Whether the format kyaml exists: upstream has it unless KUBECTL_KYAML is false. */
  readonly kyaml?: boolean;
  /** Whether JSON keeps the order of members, for objects that upstream knows as structs. */
  readonly keepsOrder?: boolean;
  /** Reads a file of a template; throws an Error in Go's words. */
  readFile(path: string): string;
}

/** What a command that prints what it has done needs to know besides. */
export interface ActionPrintOptions extends PrintOptions {
  /** What was done, `created`, for the output that names objects. */
  readonly operation?: string;
  /** Whether the flag was given; otherwise a template alone chooses go-template. */
  readonly outputGiven?: boolean;
}

/** What a command that prints tables needs to know besides. */
export interface TablePrintOptions extends PrintOptions, Omit<TableOptions, "wide"> {}

/** No format of this name; the message lists those that exist. */
class UnknownFormatError extends Error {
  override readonly name = "UnknownFormatError";

  constructor(format: string, allowed: readonly string[]) {
    super(
      `unable to match a printer suitable for the output format ${quote(format)}, allowed formats are: ${allowed.toSorted().join(",")}`,
    );
  }
}

/** The formats of commands that print what they have done. */
function actionFormats(kyaml = true): readonly string[] {
  return [...objectFormats(kyaml), "name", ...templateFormats, ...pathFormats];
}

/** The formats of commands that print tables. */
export function tableFormats(kyaml = true): readonly string[] {
  return [...actionFormats(kyaml), ...columnFormats, "wide"];
}

/** The flags of commands that print what they have done; `output` is the default format. */
export const actionPrintFlags = (output = "") => ({
  ...commonFlags,
  output: outputFlag(actionFormats(), output),
});

/** The printer of a command that prints what it has done: names, unless a format is given. */
export function actionPrinter(options: ActionPrintOptions): Printer {
  const { operation = "", template = "", outputGiven = false } = options;
  const output = template !== "" && !outputGiven ? "go-template" : options.output;
  const format = output.toLowerCase();
  const printer = objectPrinter(format, options);
  if (printer) return printer;
  if (format === "" || format === "name") return new NamePrinter(format === "" ? operation : "");
  const byTemplate = templatePrinter(output, options);
  if (byTemplate) return byTemplate;
  throw new UnknownFormatError(options.output, actionFormats(options.kyaml));
}

/** The printer of a command that prints tables, unless a format is given. */
export function tablePrinter(options: TablePrintOptions): Printer {
  const { template = "", noHeaders = false } = options;
  const output = template !== "" && options.output === "" ? "go-template" : options.output;
  const byTemplate = templatePrinter(output, options);
  if (byTemplate) return byTemplate;
  const printer = objectPrinter(output.toLowerCase(), options);
  if (printer) return printer;
  if (output === "" || output === "wide")
    return new TablePrinter({ ...options, wide: output === "wide" });
  const byColumns = columnsPrinter(output, { ...options, noHeaders });
  if (byColumns) return byColumns;
  if (output.toLowerCase() === "name") return new NamePrinter();
  throw new UnknownFormatError(output, tableFormats(options.kyaml));
}

const objectFormats = (kyaml: boolean): readonly string[] =>
  kyaml ? ["json", "yaml", "kyaml"] : ["json", "yaml"];
const templateFormats = ["go-template", "go-template-file", "template", "templatefile"];
const pathFormats = ["jsonpath", "jsonpath-as-json", "jsonpath-file"];
const columnFormats = ["custom-columns", "custom-columns-file"];

const commonFlags = {
  template: stringFlag({
    usage:
      "A template, or the file of one, for -o=go-template and -o=go-template-file, in the syntax of Go's package text/template.",
  }),
  "allow-missing-template-keys": boolFlag({
    default: true,
    usage:
      "Whether a field or key that is missing is no error in a template; for the formats go-template and jsonpath.",
  }),
  "show-managed-fields": boolFlag({
    usage: "Whether objects in JSON or YAML are printed with their managedFields.",
  }),
};

const outputFlag = (formats: readonly string[], format: string, more = "") =>
  stringFlag({
    short: "o",
    default: format,
    usage: `Output format. One of: (${formats.join(", ")}).${more}`,
  });

/** The flags of commands that print tables. */
export const tablePrintFlags = {
  ...commonFlags,
  output: outputFlag(
    tableFormats(),
    "",
    " Custom columns, templates in Go's syntax and JSON paths follow the format and an equals sign.",
  ),
  "no-headers": boolFlag({ usage: "Whether tables and custom columns come without headers." }),
  "show-labels": boolFlag({ usage: "Whether the last column shows all labels." }),
  "show-kind": boolFlag({ usage: "Whether the kind stands before each name." }),
  "label-columns": stringsFlag({
    short: "L",
    usage: "Labels that get columns of their own, separated by commas. Names are case-sensitive.",
  }),
  "sort-by": stringFlag({
    usage:
      "The path by which lists are sorted, such as '{.metadata.name}'; it leads to an integer or a string.",
  }),
};

function objectPrinter(
  format: string,
  { showManagedFields, kyaml = true, keepsOrder }: PrintOptions,
): Printer | undefined {
  if (!objectFormats(kyaml).includes(format)) return undefined;
  const printer = printerOf(format, keepsOrder);
  return showManagedFields ? printer : omittingManagedFields(printer);
}

function printerOf(format: string, keepsOrder: boolean | undefined): Printer {
  if (format === "json") return new JsonPrinter({ keepsOrder });
  return format === "yaml" ? new YamlPrinter() : new KyamlPrinter({ keepsOrder });
}

/** A format and the template that is given with it, by an equals sign or by the flag. */
function chosen(
  output: string,
  {
    formats,
    template = "",
  }: { readonly formats: readonly string[]; readonly template?: string | undefined },
): { readonly format: string; readonly value: string } | undefined {
  const equals = output.indexOf("=");
  const format = template === "" && equals >= 0 ? output.slice(0, equals) : output;
  if (!formats.includes(format)) return undefined;
  const given = equals >= 0 ? output.slice(equals + 1) : "";
  return { format, value: template === "" ? given : template };
}

function templatePrinter(output: string, options: PrintOptions): Printer | undefined {
  const { template, allowMissingTemplateKeys: allowMissingKeys = true, readFile } = options;
  const choice = chosen(output, { formats: [...pathFormats, ...templateFormats], template });
  if (!choice) return undefined;
  const { format, value } = choice;
  if (value === "") throw new Error("template format specified but no template given");
  const text = format.endsWith("file")
    ? read(readFile, value, (why) => `error reading --template ${value}, ${why}`)
    : value;
  const isPath = pathFormats.includes(format);
  try {
    return isPath
      ? new JsonPathPrinter(text, { allowMissingKeys, asJson: format === "jsonpath-as-json" })
      : new TemplatePrinter(text, { allowMissingKeys });
  } catch (error) {
    const what = isPath ? "jsonpath" : "template";
    throw new Error(`error parsing ${what} ${text}, ${errorMessage(error)}`);
  }
}

function columnsPrinter(output: string, options: TablePrintOptions): Printer | undefined {
  const { template, noHeaders = false, readFile } = options;
  const choice = chosen(output, { formats: columnFormats, template });
  if (!choice) return undefined;
  const { format, value } = choice;
  if (format === "custom-columns" || value === "")
    return new CustomColumnsPrinter(columnsFromSpec(value), { noHeaders });
  const text = read(readFile, value, (why) => `error reading template ${value}, ${why}\n`);
  return new CustomColumnsPrinter(columnsFromFile(text));
}

function read(
  readFile: (path: string) => string,
  path: string,
  message: (why: string) => string,
): string {
  try {
    return readFile(path);
  } catch (error) {
    // Its cause says the same in the words of Node.
    throw new Error(message((error as Error).message));
  }
}

/** The formats of commands that print their data as JSON or YAML, besides some of their own. */
export const dataFormats = objectFormats;

/** The printer of such a command; undefined for its own formats, among which `others` are. */
export function dataPrinter(
  format: string,
  {
    others,
    ...options
  }: Pick<PrintOptions, "kyaml" | "keepsOrder" | "showManagedFields"> & {
    readonly others: readonly string[];
  },
): Printer | undefined {
  const printer = objectPrinter(format.toLowerCase(), {
    output: format,
    readFile: String,
    ...options,
  });
  if (printer || format === "" || others.includes(format)) return printer;
  throw new UnknownFormatError(format, [...objectFormats(options.kyaml ?? true), ...others]);
}
