/** The progress of a layer. */
export interface LayerProgress {
  readonly id: string;
  readonly status: string;
  readonly current?: number | undefined;
  readonly total?: number | undefined;
}

/** A line of a stream of progress, which the client draws. */
export function progressMessage({ id, status, current, total }: LayerProgress): string {
  const isCounted = current !== undefined && total !== undefined && total > 0;
  return message({
    status,
    progressDetail: isCounted ? { current, total } : {},
    ...(isCounted && { progress: progressBar(current, total) }),
    id,
  });
}

export const message = (value: object): string => `${JSON.stringify(value)}\r\n`;

/** A bar of fifty characters with both numbers: `[=====>    ]  1.5MB/3MB`. */
function progressBar(current: number, total: number): string {
  const done = Math.min(width, Math.floor((current / total) * width));
  const bar = "=".repeat(done) + (done < width ? ">" : "");
  return `[${bar.padEnd(width)}]  ${humanSize(current)}/${humanSize(total)}`;
}

const width = 50;

/** A number of bytes in steps of a thousand, with four digits: `1.982MB`. */
function humanSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${Number(value.toPrecision(4))}${units[unit]}`;
}

const units = ["B", "kB", "MB", "GB", "TB"];
