import { yamlToJson } from "../../../../schema/yaml/yaml.ts";
import { jsonText } from "../../../print/json-text.ts";

/** What is edited: objects, objects before they are created, or what was applied last. */
export type EditMode = "edit" | "create" | "apply";

/** Why a file must be edited again. */
export interface EditReason {
  readonly head: string;
  readonly others: readonly string[];
}

const intro = `# Please edit the object below. Lines beginning with a '#' will be ignored,
# and an empty file will abort the edit. If an error occurs while saving this file will be
# reopened with the relevant failures.
#
`;
const applyIntro = `# Please edit the 'last-applied-configuration' annotations below.
# Lines beginning with a '#' will be ignored, and an empty file will abort the edit.
#
`;

/** The comments at the top of a file: what to do, and why it is to be done again. */
export function headerText(mode: EditMode, reasons: readonly EditReason[]): string {
  const texts = reasons.map(({ head, others }) => {
    const colon = others.length > 0 ? ":" : "";
    const lines = [
      `# ${asComment(head)}${colon}`,
      ...others.map((text) => `# * ${asComment(text)}`),
      "#",
    ];
    return `${lines.join("\n")}\n`;
  });
  return `${mode === "apply" ? applyIntro : intro}${texts.join("")}`;
}

const asComment = (text: string): string => text.replaceAll(/\n(?=[^#])/g, "\n# ");

/** A file without its comments, as JSON so that only its content counts; as text if it cannot be read. */
export function contentOf(text: string): string {
  try {
    return jsonText(yamlToJson(text, { lenient: true }));
  } catch {
    return withoutComments(text);
  }
}

/** A text without the lines that are comments. */
export const withoutComments = (text: string): string =>
  text
    .split(/(?<=\n)/)
    .filter((line) => !/^\s*#(?!!)/.test(line))
    .join("");

/** Whether a text has any line that is neither empty nor a comment. */
export const hasContent = (text: string): boolean =>
  text.split("\n").some((line) => line.trim() !== "" && !line.trim().startsWith("#"));
