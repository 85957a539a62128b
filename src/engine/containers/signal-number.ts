import { constants } from "node:os";

/** The number of a signal by its name, with or without `SIG`, or by its number as text; undefined for others. */
export function signalNumber(text: string): number | undefined {
  if (/^\d+$/.test(text)) return inRange(Number(text), 1);
  const name = text.toUpperCase().replace(/^SIG/, "");
  return named[`SIG${name}`] ?? realTime(name);
}

/** The name of a signal, or its number as text if it has none; undefined for others. */
export function signalName(text: string): string | undefined {
  const number = signalNumber(text);
  if (number === undefined) return undefined;
  const entry = Object.entries(named).find(([, value]) => value === number);
  return entry?.[0] ?? String(number);
}

/** The signal of an image, unless there is none of this name: its containers could never be stopped. */
export const knownSignal = (signal = ""): string | undefined =>
  signalNumber(signal) === undefined ? undefined : signal;

const named: Readonly<Record<string, number>> = constants.signals;

/** Real-time signals are named by their distance from the first or the last of them. */
function realTime(name: string): number | undefined {
  const [, end, distance = "0"] = /^RT(MIN|MAX)([+-]\d+)?$/.exec(name) ?? [];
  if (end === undefined) return undefined;
  return inRange((end === "MIN" ? firstRealTime : last) + Number(distance), firstRealTime);
}

const inRange = (number: number, first: number): number | undefined =>
  number >= first && number <= last ? number : undefined;

/** As the C library has them: it keeps the first two for itself. */
const firstRealTime = 34;
const last = 64;
