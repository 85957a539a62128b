import { addressFunctions } from "./addresses.ts";
import { authorizerFunctions } from "./authorizers.ts";
import { conversionFunctions } from "./conversions.ts";
import { formatFunctions } from "./formats.ts";
import type { Implementations } from "./implementation.ts";
import { listFunctions, listSingletons } from "./lists.ts";
import { operators } from "./operators.ts";
import { optionalFunctions } from "./optionals.ts";
import { otherFunctions } from "./other-functions.ts";
import { quantityFunctions } from "./quantities.ts";
import { searchFunctions } from "./searches.ts";
import { stringFunctions } from "./strings.ts";
import { timeFunctions } from "./times.ts";
import { urlFunctions } from "./urls.ts";
import { versionFunctions } from "./versions.ts";

let table: Implementations | undefined;

/** What each way to call a function does, by its id. */
export function overloadTable(): Implementations {
  table ??= {
    ...conversionFunctions,
    ...stringFunctions,
    ...timeFunctions,
    ...listFunctions,
    ...optionalFunctions,
    ...addressFunctions,
    ...authorizerFunctions,
    ...formatFunctions,
    ...quantityFunctions,
    ...searchFunctions,
    ...urlFunctions,
    ...versionFunctions,
    ...otherFunctions,
  };
  return table;
}

/** What functions do that are the same for all operands, by their names. */
export function singletons(): Implementations {
  return all;
}

const all: Implementations = { ...operators, ...listSingletons };
