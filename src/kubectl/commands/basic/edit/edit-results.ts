import { StatusError } from "../../../../api/meta/v1/status-error.ts";
import { type Info, kindOf, resourceName } from "../../../resource/info.ts";
import type { EditReason } from "./edited-text.ts";

/** What became of the edits of one pass. */
export class EditResults {
  readonly reasons: EditReason[] = [];
  /** How many objects could not be changed, and might be with the same file. */
  retryable = 0;
  /** How many objects do not exist any more. */
  missing = 0;
  /** How many objects are not valid, and have to be edited again. */
  invalid = 0;
  /** The file with the edits; empty before there is one. */
  readonly file: string;

  constructor(file = "") {
    this.file = file;
  }

  /** Counts an error of an object, and returns the message about it. */
  add(error: Error, info: Info): string {
    const { name } = info;
    const subject = `${resourceName(kindOf(info))} ${JSON.stringify(name)}`;
    if (StatusError.is(error, "Invalid")) {
      this.invalid++;
      const causes = error.details?.causes ?? [];
      this.reasons.push({
        head: `${subject} was not valid`,
        others: causes.map(({ field = "", message = "" }) => `${field}: ${message}`),
      });
      return `error: ${subject} is invalid`;
    }
    if (StatusError.is(error, "NotFound")) {
      this.missing++;
      return `error: ${subject} could not be found on the server`;
    }
    this.retryable++;
    return `error: ${subject} could not be patched: ${error.message}`;
  }
}
