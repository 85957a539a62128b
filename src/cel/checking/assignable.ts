import { type CelType, dynType, isDyn, isSameType } from "./cel-type.ts";

/** What the type parameters stand for, as far as that is known: by name. */
export type Substitution = ReadonlyMap<string, CelType>;

/** A substitution to which more becomes known. */
export interface Substitutions {
  readonly known: Substitution;
  /**
   * Whether values of the types `from` may be where `to` are expected, one by one; then what the
   * type parameters in them must stand for is known from now on, else all is as it was.
   */
  assign(from: readonly CelType[], to: readonly CelType[]): boolean;
}

export function createSubstitutions(): Substitutions {
  const known = new Map<string, CelType>();
  return {
    known,
    assign: (from, to) => {
      const before = new Map<string, CelType | undefined>();
      const trial: Known = {
        get: (name) => known.get(name),
        set: (name, type) => {
          if (!before.has(name)) before.set(name, known.get(name));
          known.set(name, type);
        },
      };
      if (areAssignable(trial, from, to)) return true;
      for (const [name, type] of before) {
        if (type === undefined) known.delete(name);
        else known.set(name, type);
      }
      return false;
    },
  };
}

/** A type with what its parameters stand for; with `unknownIsDyn` those of which nothing is known too. */
export function substitute(known: Substitution, type: CelType, unknownIsDyn: boolean): CelType {
  const replaced = type.kind === "parameter" ? known.get(type.name) : undefined;
  if (replaced !== undefined) return substitute(known, replaced, unknownIsDyn);
  if (type.kind === "parameter") return unknownIsDyn ? dynType : type;
  if (type.parameters.length === 0) return type;
  const parameters = type.parameters.map((inner) => substitute(known, inner, unknownIsDyn));
  return { ...type, parameters };
}

/** The type that says less, of two of which one says no more than the other. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return saysNoMore(a, b) ? a : b;
}

interface Known {
  get(name: string): CelType | undefined;
  set(name: string, type: CelType): void;
}

function areAssignable(known: Known, a: readonly CelType[], b: readonly CelType[]): boolean {
  if (a.length !== b.length) return false;
  return a.every((type, index) => {
    const other = b[index];
    return other !== undefined && isAssignable(known, type, other);
  });
}

function isAssignable(known: Known, a: CelType, b: CelType): boolean {
  if (b.kind === "parameter") {
    const { fits, isKnown } = fitsParameter(known, a, b);
    if (fits) return true;
    if (isKnown) return false;
  }
  if (a.kind === "parameter") return fitsParameter(known, b, a).fits;
  if ([a, b].some((type) => isDyn(type) || type.kind === "error")) return true;
  if (a.kind === "null") return takesNull(b);
  if (b.kind === "null") return takesNull(a);
  switch (a.kind) {
    case "type":
      return b.kind === "type";
    case "opaque":
    case "list":
    case "map":
      return (
        a.kind === b.kind && a.name === b.name && areAssignable(known, a.parameters, b.parameters)
      );
    default:
      return a.kind === b.kind && a.name === b.name;
  }
}

/** Whether a type may be what a type parameter stands for; if so, that is what it stands for. */
function fitsParameter(
  known: Known,
  type: CelType,
  parameter: CelType,
): { fits: boolean; isKnown: boolean } {
  if (isSameType(type, parameter)) return { fits: true, isKnown: true };
  const current = known.get(parameter.name);
  if (current !== undefined) {
    if (isSameType(type, current)) return { fits: true, isKnown: true };
    if (!isAssignable(known, type, current)) return { fits: false, isKnown: true };
    const general = mostGeneral(type, current);
    if (!mentions(known, parameter, general)) known.set(parameter.name, general);
    return { fits: true, isKnown: true };
  }
  if (mentions(known, parameter, type)) return { fits: false, isKnown: false };
  known.set(parameter.name, type);
  return { fits: true, isKnown: false };
}

function takesNull(type: CelType): boolean {
  return (
    type.nullable === true ||
    type.kind === "null" ||
    ["opaque", "struct", "any", "duration", "timestamp", "dyn"].includes(type.kind)
  );
}

/** Whether a type parameter occurs in a type: it cannot stand for something that contains it. */
function mentions(known: Known, parameter: CelType, within: CelType): boolean {
  if (isSameType(parameter, within)) return true;
  if (within.kind === "parameter") {
    const current = known.get(within.name);
    return current !== undefined && mentions(known, parameter, current);
  }
  if (!["opaque", "list", "map", "type"].includes(within.kind)) return false;
  return within.parameters.some((inner) => mentions(known, parameter, inner));
}

function saysNoMore(a: CelType, b: CelType): boolean {
  if (isDyn(a) || a.kind === "parameter") return true;
  if (isDyn(b) || b.kind === "parameter" || a.kind !== b.kind) return false;
  switch (a.kind) {
    case "type":
      return true;
    case "opaque":
    case "list":
    case "map":
      return (
        a.name === b.name &&
        a.parameters.length === b.parameters.length &&
        a.parameters.every((parameter, index) => {
          const other = b.parameters[index];
          return other !== undefined && saysNoMore(parameter, other);
        })
      );
    default:
      return isSameType(a, b);
  }
}
