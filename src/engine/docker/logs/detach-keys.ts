import { badRequest } from "../http/docker-error.ts";

/** Parses keys such as `ctrl-p,ctrl-q`, which is the default, into the bytes that a terminal sends. */
export function parseDetachKeys(text: string): readonly number[] {
  const keys = text === "" ? ["ctrl-p", "ctrl-q"] : text.split(",");
  return keys.map((key) => {
    if (key.length === 1) return key.charCodeAt(0);
    const control = /^ctrl-([a-z@[\\\]^_])$/.exec(key)?.[1];
    if (control === undefined) throw badRequest(`Unknown character: '${key}'`);
    return control.toUpperCase().charCodeAt(0) - 64;
  });
}

/** Passes input on until the keys are pressed one after another, which are not passed on. */
export async function* untilDetached(
  input: AsyncIterable<Uint8Array>,
  keys: readonly number[],
  detach: () => void,
): AsyncGenerator<Uint8Array> {
  let pressed = 0;
  for await (const chunk of input) {
    const result = withoutKeys(chunk, keys, pressed);
    ({ pressed } = result);
    if (result.passed.length > 0) yield Uint8Array.from(result.passed);
    if (pressed < keys.length) continue;
    detach();
    return;
  }
}

/** The bytes of a chunk that are passed on, and how many of the keys are pressed at its end. */
function withoutKeys(
  chunk: Uint8Array,
  keys: readonly number[],
  before: number,
): { readonly passed: readonly number[]; readonly pressed: number } {
  const passed: number[] = [];
  let pressed = before;
  for (const byte of chunk) {
    if (pressed === keys.length) break;
    if (byte === keys[pressed]) {
      pressed++;
      continue;
    }
    passed.push(...keys.slice(0, pressed));
    pressed = byte === keys[0] ? 1 : 0;
    if (pressed === 0) passed.push(byte);
  }
  return { passed, pressed };
}
