import { extensionFunctions } from "../libraries/extension-libraries.ts";
import { kubernetesFunctions } from "../libraries/kubernetes-libraries.ts";
import { standardFunctions } from "../libraries/standard-library.ts";
import {
  bindingMacros,
  listMacros,
  type Macro,
  optionalMacros,
  standardMacros,
  twoVariableMacros,
} from "../syntax/macro.ts";
import { type CelType, structType, typeOf } from "./cel-type.ts";
import type { DeclType } from "./decl-type.ts";
import { declTypesByName, findDeclField, findScalar } from "./decl-type.ts";
import { type Functions, mergeFunctions } from "./declaration.ts";
import { findMessage, findMessageField, isMessage } from "./messages.ts";

/** What an expression may name: variables, functions, macros and types. */
export interface Environment {
  readonly variables: ReadonlyMap<string, CelType>;
  readonly functions: Functions;
  readonly macros: readonly Macro[];
  /** The type of a name that is a type; that type is the parameter of it. */
  findType(name: string): CelType | undefined;
  /** The type of a field of a type with fields. */
  findField(typeName: string, field: string): CelType | undefined;
  /** Whether a type with fields has this name. */
  hasStruct(name: string): boolean;
}

/** What an environment has besides that of the one it extends. */
export interface Extension {
  readonly variables?: Readonly<Record<string, CelType>>;
  readonly functions?: Functions;
  readonly macros?: readonly Macro[];
  /** Types with fields, and those of their fields. */
  readonly types?: readonly DeclType[];
  /** Types that are told by their names: of each name that is one, the types of its fields. */
  readonly structOf?: (name: string) => ((field: string) => CelType | undefined) | undefined;
}

let base: Environment | undefined;

/** The environment that all of Kubernetes' have in common; made when first asked for. */
export function baseEnvironment(): Environment {
  base ??= {
    variables: new Map(),
    functions: mergeFunctions(standardFunctions(), extensionFunctions(), kubernetesFunctions()),
    macros: [...standardMacros(), ...optionalMacros(), ...twoVariableMacros(), ...listMacros()],
    findType: findMessage,
    findField: findMessageField,
    hasStruct: isMessage,
  };
  return base;
}

/** `cel.bind`, which few environments have. */
export const bindings: Extension = { macros: bindingMacros() };

/** An environment with more in it. */
export function extendEnvironment(environment: Environment, extension: Extension): Environment {
  const { variables = {}, functions, macros = [], types = [], structOf } = extension;
  const named = declTypesByName(types);
  const declType = (name: string): DeclType | undefined =>
    types.length === 0 ? undefined : (named.get(name) ?? findScalar(name));
  return {
    variables: new Map([...environment.variables, ...Object.entries(variables)]),
    functions:
      functions === undefined
        ? environment.functions
        : mergeFunctions(environment.functions, functions),
    macros: [...environment.macros, ...macros],
    findType: (name) => {
      if (structOf?.(name) !== undefined) return typeOf(structType(name));
      const found = declType(name);
      return found === undefined ? environment.findType(name) : typeOf(found.type);
    },
    findField: (typeName, field) => {
      const struct = structOf?.(typeName);
      if (struct !== undefined) return struct(field);
      const found = declType(typeName);
      return found === undefined
        ? environment.findField(typeName, field)
        : findDeclField(found, field)?.type;
    },
    hasStruct: (name) =>
      structOf?.(name) !== undefined || declType(name) !== undefined || environment.hasStruct(name),
  };
}
