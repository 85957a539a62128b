import { type Admission, admitsAll } from "../admission/admission.ts";
import type { Access } from "../authorization/access.ts";
import type { Allocator } from "../objects/allocator.ts";
import type { Committer } from "../objects/committer.ts";
import type { Environment } from "../objects/environment.ts";
import type { ObjectReader } from "../objects/reader.ts";
import type { Resources } from "../objects/resources.ts";
import type { ComputedKinds } from "../subresources/computed-objects.ts";

/** The parts of the server that the verbs of requests use. Code that needs less takes less. */
export interface VerbParts {
  readonly reader: ObjectReader;
  readonly committer: Committer;
  readonly admission: Admission;
  readonly allocator: Allocator;
  readonly resources: Resources;
  readonly access: Access;
  readonly environment: Environment;
  readonly computed: ComputedKinds;
}

/** The same parts without admission, for writes that nobody may reject. */
export const withoutAdmission = (parts: VerbParts): VerbParts => ({
  ...parts,
  admission: admitsAll,
});
