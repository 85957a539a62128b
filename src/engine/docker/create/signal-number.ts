import { constants } from "node:os";

/** The number of a signal by its name, with or without `SIG`, or its number as text. */
export function signalNumber(text: string): number | undefined {
  if (/^[0-9]+$/.test(text)) {
    const number = Number(text);
    return number >= 1 && number <= mostSignal ? number : undefined;
  }
  const name = text.toUpperCase().replace(/^SIG/, "");
  const realTime = /^RT(MIN|MAX)(?:([+-])([0-9]+))?$/.exec(name);
  if (realTime) {
    const from = realTime[1] === "MIN" ? leastRealTime : mostSignal;
    const number = from + Number(`${realTime[2] ?? "+"}${realTime[3] ?? 0}`);
    return number >= leastRealTime && number <= mostSignal ? number : undefined;
  }
  return (constants.signals as Readonly<Record<string, number>>)[`SIG${name}`];
}

/** The name of a signal, or its number as text if it has none. */
export function signalName(text: string): string | undefined {
  const number = signalNumber(text);
  if (number === undefined) return undefined;
  const named = Object.entries(constants.signals).find(([, value]) => value === number);
  return named?.[0] ?? String(number);
}

const leastRealTime = 34;
const mostSignal = 64;
