/** A difference between two manifests of a kind, and what it means for clients and stored objects. */
export interface Change {
  /** `incompatible`: clients or objects that were right are so no longer; `note`: know of it. */
  readonly severity: "incompatible" | "note";
  /** Where: `v1 .spec.size`, or a field of the manifest. */
  readonly path: string;
  readonly what: string;
  /** What to do. */
  readonly advice: string;
}

/** Collects the changes of one place. */
export class Changes {
  readonly #all: Change[];
  readonly path: string;

  constructor(path = "", all: Change[] = []) {
    this.path = path;
    this.#all = all;
  }

  get all(): readonly Change[] {
    return this.#all;
  }

  /** The same report, of a place below this one. */
  below(segment: string): Changes {
    return new Changes(this.path + segment, this.#all);
  }
  incompatible(what: string, advice: string): void {
    this.#all.push({ severity: "incompatible", path: this.path, what, advice });
  }
  note(what: string, advice: string): void {
    this.#all.push({ severity: "note", path: this.path, what, advice });
  }
}

/** The path of a member, as JSONPath shows it. */
export const memberPath = (name: string): string =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;

/** A value as a message shows it. */
export const shown = (value: unknown): string => JSON.stringify(value) ?? "none";
