import type { Definition } from "../language/kind-definition.ts";

/** A value that a module exports, and the manifest that it is or has. */
export interface ExportedDefinition {
  readonly name: string;
  readonly definition: Definition;
}

/**
 * Returns the manifests of a module by their names. A kind that another one has as an older version is part
 * of that one's manifest; kinds that do not know each other are one too many.
 */
export function definitionsOfExports(
  exported: readonly ExportedDefinition[],
): ReadonlyMap<string, Definition> {
  const found = new Map<string, ExportedDefinition>();
  for (const one of exported) {
    const name = one.definition.metadata?.name ?? "";
    const other = found.get(name);
    if (!other || includes(one, other)) found.set(name, one);
    else if (!includes(other, one))
      throw new TypeError(
        `${name} is declared twice, as ${other.name} and as ${one.name}: name one in otherVersions of the other`,
      );
  }
  return new Map([...found].map(([name, { definition }]) => [name, definition]));
}

/** Whether the manifest of one has all versions of another. */
function includes(one: ExportedDefinition, other: ExportedDefinition): boolean {
  const versions = one.definition.spec.versions.map(({ name }) => name);
  return other.definition.spec.versions.every(({ name }) => versions.includes(name));
}
