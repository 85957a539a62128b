import type { Admission } from "../admission/admission.ts";
import type { Access } from "../authorization/access.ts";
import type { Allocator } from "../objects/allocator.ts";
import type { Committer } from "../objects/committer.ts";
import type { Environment } from "../objects/environment.ts";
import type { ObjectReader } from "../objects/reader.ts";
import type { Resources } from "../objects/resources.ts";

/** What the verbs work with. Most code needs less, and asks for the parts that it uses. */
export interface VerbParts {
  readonly reader: ObjectReader;
  readonly committer: Committer;
  readonly admission: Admission;
  readonly allocator: Allocator;
  readonly resources: Resources;
  readonly access: Access;
  readonly environment: Environment;
}
