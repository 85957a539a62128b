import { copyJson, type JsonMap, type ReadonlyJsonMap } from "../../../schema/json/json-value.ts";
import { setMember } from "../../../schema/json/strict-json.ts";
import type { AnyKind, ApiObject, ObjectDraft } from "../../objects/object.ts";
import type { Attributes } from "../admission.ts";
import { convertObject } from "../matching/convert-object.ts";
import { objectKindOf, type SeenRequest, seeRequest } from "../matching/seen-request.ts";

/** The object of a request while webhooks or policies change it, each in the version that it wants to see. */
export class MutatedObject {
  readonly #attributes: Attributes<ObjectDraft>;
  #seen: SeenRequest | undefined;
  #isChanged = false;
  /** The object of the request as it was first seen in the version of the request. */
  #first: ApiObject | undefined;

  constructor(attributes: Attributes<ObjectDraft>) {
    this.#attributes = attributes;
  }

  /** Whether it was changed in a version. */
  get isChanged(): boolean {
    return this.#isChanged;
  }

  /** The request with the object as it is now. */
  get attributes(): Attributes {
    const { object } = this.#seen ?? {};
    return { ...(this.#attributes as Attributes), ...(object && { object }) };
  }

  /** The request with the object as it is now, in a version; throws if it cannot be converted. */
  async seeAs(kind: AnyKind): Promise<SeenRequest> {
    if (this.#seen?.seenAs === kind) return this.#seen;
    const object = await this.#converted();
    this.#seen = await seeRequest({ ...(this.#attributes as Attributes), object }, kind);
    if (!this.#isChanged && kind === this.#attributes.address.kind) this.#first = this.#seen.object;
    return this.#seen;
  }

  /** Takes the request with an object that has been changed. */
  change(request: SeenRequest): void {
    this.#seen = request;
    this.#isChanged = true;
  }

  /** Changes the object of the request, if it was changed in a version. */
  async writeBack(): Promise<void> {
    if (!this.#isChanged) return;
    const changed = (await this.#converted()) as unknown as ReadonlyJsonMap;
    const first = this.#first as ReadonlyJsonMap | undefined;
    const object = this.#attributes.object as unknown as JsonMap;
    for (const name of Object.keys(object)) if (!Object.hasOwn(changed, name)) delete object[name];
    // Members that are what they were stay as they are in the draft.
    for (const name of Object.keys(changed))
      if (first?.[name] !== changed[name]) setMember(object, name, copyJson(changed[name]));
  }

  /** The object in the version of the request. */
  async #converted(): Promise<ApiObject> {
    const { address, object: original } = this.#attributes;
    const { object, seenAs } = this.#seen ?? {};
    if (!this.#seen || !object || !seenAs || !this.#isChanged) return original as ApiObject;
    if (objectKindOf(this.#seen) !== seenAs) return object;
    return convertObject(object, { from: seenAs, to: address.kind });
  }
}
