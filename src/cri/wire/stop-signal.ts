import { signal } from "./messages/signal.ts";

type SignalName = (typeof signal)["absent"];

/** A signal by its name, with or without `SIG`; unknown ones are the runtime's choice. */
export function signalToWire(name = ""): SignalName {
  const full = name.startsWith("SIG") || name === "" ? name : `SIG${name}`;
  return isSignal(full) ? full : "";
}

/** The name of a signal; undefined for the runtime's choice. */
export const signalFromWire = (wire: SignalName): string | undefined =>
  wire === "" ? undefined : wire;

const isSignal = (name: string): name is SignalName => Object.hasOwn(signal.numbers ?? {}, name);
