import type { Output } from "../../../cli/command.ts";
import { humanSize } from "./human-size.ts";

/** The progress of one layer. */
export interface LayerProgress {
  readonly id: string;
  readonly status: string;
  readonly current?: number | undefined;
  readonly total?: number | undefined;
}

/**
 * Shows the progress of layers: on a terminal one line each, which is rewritten; elsewhere one line for each
 * change of status.
 */
export function layerProgress(output: Output): (progress: LayerProgress) => void {
  return output.columns === undefined ? plainProgress(output) : terminalProgress(output);
}

function plainProgress(output: Output): (progress: LayerProgress) => void {
  return ({ id, status, current }) => {
    if (current === undefined) output.write(`${id}: ${status}\n`);
  };
}

function terminalProgress(output: Output): (progress: LayerProgress) => void {
  /** The layers in the order of their lines. */
  const lines: string[] = [];
  return (progress) => {
    if (!lines.includes(progress.id)) {
      lines.push(progress.id);
      output.write("\n");
    }
    const up = lines.length - lines.indexOf(progress.id);
    const text = lineOf(progress).slice(0, (output.columns ?? 80) - 1);
    output.write(`\u001b[${up}A\r\u001b[2K${text}\u001b[${up}B\r`);
  };
}

/** `a1b2c3: Downloading [=====>    ]  1.2MB/3.4MB` */
function lineOf({ id, status, current, total }: LayerProgress): string {
  if (current === undefined || total === undefined || total === 0) return `${id}: ${status}`;
  const filled = Math.min(barWidth, Math.floor((current / total) * barWidth));
  const bar = filled === barWidth ? "=".repeat(filled) : `${"=".repeat(filled)}>`;
  return `${id}: ${status} [${bar.padEnd(barWidth)}]  ${humanSize(current)}/${humanSize(total)}`;
}

const barWidth = 30;
