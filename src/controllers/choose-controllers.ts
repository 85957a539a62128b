import type { ControllerModule } from "./controller-module.ts";

/** The controllers that a list such as `*,-deployment,token-cleaner-controller` chooses. */
export function chooseControllers<
  C extends Pick<ControllerModule, "name" | "aliases" | "isOffByDefault">,
>(controllers: readonly C[], words: readonly string[]): readonly C[] {
  return controllers.filter(({ name, aliases = [], isOffByDefault = false }) => {
    const names = [name, ...aliases];
    // The first word that names a controller decides.
    for (const word of words) {
      if (names.includes(word)) return true;
      if (word.startsWith("-") && names.includes(word.slice(1))) return false;
    }
    return words.includes("*") && !isOffByDefault;
  });
}
