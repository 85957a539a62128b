import { TabWriter, type TabWriterOptions } from "../print/tab-writer.ts";
import { terminalText } from "../print/terminal-text.ts";

const fieldsOptions: TabWriterOptions = { minWidth: 0, padding: 2, remembersWidths: false };

/**
 * A description in the making. Cells that end with tabs are aligned; levels are indentations of two
 * spaces, each time that something is written.
 */
export class Description {
  readonly #write: (text: string) => void;
  readonly #flush: () => void;
  readonly #level: number;

  constructor(write: (text: string) => void, flush: () => void, level = 0) {
    this.#write = write;
    this.#flush = flush;
    this.#level = level;
  }

  /** Writes a part of a line, or several lines of which only the first is indented. */
  write(text: string, level = 0): void {
    this.#write("  ".repeat(this.#level + level) + terminalText(text));
  }

  line(text: string, level = 0): void {
    this.write(`${text}\n`, level);
  }

  /** A line `NAME:  VALUE`. */
  field(name: string, value: Text, level = 0): void {
    this.write(`${name}:\t${value}\n`, level);
  }

  /** The same, if there is a value. */
  optionalField(name: string, value: Text | null | undefined, level = 0): void {
    if (value !== undefined && value !== null) this.field(name, value, level);
  }

  /** The cells of a line. */
  row(cells: readonly Text[], level = 0): void {
    this.write(`${cells.join("\t")}\n`, level);
  }

  /** The names of columns, above as many dashes. */
  columns(names: readonly string[], level = 0): void {
    this.row(names, level);
    this.row(
      names.map((name) => "-".repeat(name.length)),
      level,
    );
  }

  /** Ends the alignment with what was written so far. */
  flush(): void {
    this.#flush();
  }

  /** The same description, with deeper indentation. */
  nested(levels: number): Description {
    return new Description(this.#write, this.#flush, this.#level + levels);
  }
}

export type Text = string | number | bigint | boolean;

/** The text of a description, in aligned columns. */
export async function describedText(
  write: (description: Description) => Promise<void> | void,
): Promise<string> {
  let text = "";
  const tabs = new TabWriter(
    {
      write: (part) => {
        text += part as string;
      },
    },
    fieldsOptions,
  );
  await write(
    new Description(
      (part) => tabs.write(part),
      () => tabs.flush(),
    ),
  );
  tabs.flush();
  return text;
}

/** The text of a description with its tabs. */
export function unalignedText(write: (description: Description) => void): string {
  let text = "";
  write(
    new Description(
      (part) => {
        text += part;
      },
      () => {},
    ),
  );
  return text;
}
