import type { ControllerModule } from "./controller-module.ts";

/** The modules that a list such as `*,-deployment,token-cleaner-controller` chooses. */
export function chooseControllers(
  modules: readonly ControllerModule[],
  words: readonly string[],
): readonly ControllerModule[] {
  return modules.filter(({ name, aliases = [], isOffByDefault = false }) => {
    const names = [name, ...aliases];
    // The first that names it decides.
    for (const word of words) {
      if (names.includes(word)) return true;
      if (word.startsWith("-") && names.includes(word.slice(1))) return false;
    }
    return words.includes("*") && !isOffByDefault;
  });
}
