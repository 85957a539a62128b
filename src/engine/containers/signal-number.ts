import { constants } from "node:os";
import { RuntimeError } from "../../cri/runtime-service.ts";

/** The number of a signal that is given by its number or its name, with or without `SIG`. */
export function signalNumber(signal: string): number {
  const name = signal.toUpperCase().replace(/^SIG/, "");
  const number = /^\d+$/.test(name) ? Number(name) : (named(name) ?? realtime(name));
  if (number !== undefined && number > 0 && number <= last) return number;
  throw new RuntimeError("InvalidArgument", `Invalid signal: ${signal}`);
}

/** The signal of an image, unless there is none of this name: its containers could never be stopped. */
export function knownSignal(signal = ""): string | undefined {
  try {
    signalNumber(signal);
    return signal;
  } catch {
    return undefined;
  }
}

const named = (name: string): number | undefined =>
  (constants.signals as Readonly<Record<string, number>>)[`SIG${name}`];

/** Real-time signals are named by their distance from the first or the last of them. */
function realtime(name: string): number | undefined {
  const [, end, distance = "0"] = /^RT(MIN|MAX)([+-]\d+)?$/.exec(name) ?? [];
  if (end === undefined) return undefined;
  return (end === "MIN" ? first : last) + Number(distance);
}

/** As the C library has them: it keeps the first two for itself. */
const first = 34;
const last = 64;
