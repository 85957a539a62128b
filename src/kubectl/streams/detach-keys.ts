/** Reads the names of keys, such as `ctrl-p,ctrl-q`, as the bytes that a terminal sends for them. */
export function detachKeyBytes(names: string): Uint8Array {
  return Uint8Array.from(names.split(","), (name) => {
    if ([...name].length === 1 && name.length === 1) return name.charCodeAt(0);
    const control = controlKeys.indexOf(name);
    if (control >= 0) return control;
    if (name === "DEL") return 127;
    throw new Error(`could not bind detach keys: Unknown character: '${name}'`);
  });
}

const controlKeys = Array.from(
  { length: 32 },
  (_, code) => `ctrl-${String.fromCharCode(code + 64).toLowerCase()}`,
);

/** Passes input on until these keys are typed one after another; the input ends there. */
export async function* untilDetached(
  input: AsyncIterable<Uint8Array>,
  keys: Uint8Array,
): AsyncGenerator<Uint8Array> {
  // How many of the keys were typed last: they are held back until the next one shows what they mean.
  let matched = 0;
  for await (const bytes of input) {
    const passed: number[] = [];
    for (const byte of bytes) {
      if (byte === keys[matched]) {
        matched++;
        if (matched < keys.length) continue;
        if (passed.length > 0) yield Uint8Array.from(passed);
        return;
      }
      passed.push(...keys.subarray(0, matched), byte);
      matched = 0;
    }
    if (passed.length > 0) yield Uint8Array.from(passed);
  }
}
