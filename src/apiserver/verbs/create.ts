import { validateObjectMeta } from "../../api/meta/v1/object-meta-validation.ts";
import {
  alreadyExists,
  badRequest,
  forbidden,
  invalid,
  StatusError,
} from "../../api/meta/v1/status-error.ts";
import { copyJson } from "../../schema/json/json-value.ts";
import { At } from "../../schema/language/report.ts";
import { pathSegmentName } from "../../schema/values/names.ts";
import { type Attributes, committedBy } from "../admission/admission.ts";
import { resourceAttributes } from "../authorization/attributes.ts";
import { authorize } from "../authorization/authorize.ts";
import type { AnyKind, ApiObject, ObjectDraft } from "../objects/object.ts";
import {
  type Address,
  find,
  kindName,
  now,
  put,
  type Registry,
  type RequestContext,
  resourceName,
  sealed,
} from "../objects/registry.ts";
import type { Stored } from "../objects/stored.ts";
import { dropRepeatedOwners } from "./owner-references.ts";
import { trackFields } from "./patch/field-management.ts";

/** How often a generated name that is taken is tried anew. */
const nameAttempts = 8;
const maxGeneratedName = 63;
const suffixLength = 5;

/** Creates an object; it is defaulted, admitted, prepared and validated here. */
export async function create(
  registry: Registry,
  at: Omit<Address, "name">,
  { draft, context }: { readonly draft: ObjectDraft; readonly context: RequestContext },
): Promise<Stored | ApiObject> {
  const { kind, namespace } = at;
  const { metadata } = draft;
  const generated = !metadata.name && !!metadata.generateName;
  const version = metadata.resourceVersion;
  clearStamps(draft);
  // A dry run writes nothing, so upstream's response keeps the version that the client sent.
  if (!context.dryRun) delete metadata.resourceVersion;
  checkNamespace(kind, namespace, draft);
  for (let attempt = 1; ; attempt++) {
    const name = generated ? generateName(registry, metadata.generateName ?? "") : metadata.name;
    const address = { kind, namespace, name: name ?? "" };
    const copy = generated ? copyJson(draft) : draft;
    const creation = { draft: copy, context, version };
    const outcome = await createPrepared(registry, address, creation);
    if (outcome !== "conflict") return outcome;
    if (!generated) throw await exists(registry, address);
    if (attempt === nameAttempts) throw generatedNameTaken(address);
  }
}

/** Makes what the client sent into what is stored, and stores it. */
export async function createPrepared(
  registry: Registry,
  address: Address,
  creation: Creation,
): Promise<Stored | ApiObject | "conflict"> {
  const { kind } = address;
  const { draft, context, byUpdate = false } = creation;
  const refusal = kind.strategy.createRefusal?.();
  if (refusal !== undefined) throw forbidden(resourceName(address), refusal);
  await takeIn(registry, address, creation);
  context.checkpoint?.();
  const { dryRun, warnings } = context;
  const told = warnings.length;
  return registry.allocator.write(
    { kind, draft, old: undefined, dryRun },
    async (whole, commit) => {
      warnings.length = told;
      const object = await finish(registry, address, { draft: whole, context, byUpdate });
      // A kind may name an object that has no name.
      const placed = { ...address, name: object.metadata.name ?? "" };
      if (!dryRun) checkNoVersion(creation.version ?? "");
      context.checkpoint?.();
      if (!dryRun) {
        const by = committedBy(registry, creationOf(placed, object, context), commit);
        return put(registry, placed, { object, ifRevision: 0, commit: by });
      }
      return (await find(registry, placed)) ? "conflict" : object;
    },
  );
}

interface Creation {
  readonly draft: ObjectDraft;
  readonly context: RequestContext;
  /** Whether the object knows already who owns its fields. */
  readonly isOwned?: boolean;
  /** Whether nobody has allowed its creation yet. */
  readonly byUpdate?: boolean;
  /** The resourceVersion that the client sent. */
  readonly version?: string | undefined;
}

/** The object that is stored for what a client, or the server itself, wants to create. */
export async function objectToCreate(
  registry: Registry,
  address: Address,
  creation: Creation,
): Promise<ApiObject> {
  await takeIn(registry, address, creation);
  return finish(registry, address, creation);
}

async function takeIn(registry: Registry, address: Address, creation: Creation): Promise<void> {
  const { kind } = address;
  const { draft, context, isOwned = false } = creation;
  kind.form.complete(draft);
  if (!isOwned) {
    dropRepeatedOwners(draft, context.warnings);
    trackFields(registry, { kind, subresource: "" }, { draft, old: undefined, context });
  }
  await admit(registry, address, creation);
  dropRepeatedOwners(draft, context.warnings, " after mutating admission happens");
}

/** A name that is generated is not known yet to whoever may change the object. */
async function admit(
  registry: Registry,
  address: Address,
  { draft, context }: Creation,
): Promise<void> {
  await registry.admission.admit({
    operation: "CREATE",
    address: { ...address, name: draft.metadata.name ?? "" },
    subresource: "",
    object: draft,
    old: undefined,
    context,
  });
}

async function finish(
  registry: Registry,
  address: Address,
  { draft, context, byUpdate = false }: Creation,
): Promise<ApiObject> {
  const { kind } = address;
  const { metadata } = draft;
  if (address.name !== "") metadata.name ||= address.name;
  metadata.uid = registry.entropy.uuid();
  metadata.creationTimestamp = now(registry);
  const write = { now: metadata.creationTimestamp, user: context.user };
  kind.strategy.prepareCreate?.(draft as never, write);
  const object = draft as ApiObject;
  const report = At.root({ ...registry.ruling, write });
  kind.validateCreate(object, report);
  if (report.errors.length === 0) validateCommon(kind, object, report.child("metadata"));
  if (report.errors.length > 0) {
    // A kind may have named it by now.
    const { name = "" } = metadata;
    throw invalid(kindName({ ...address, name }), report.errors);
  }
  context.warnings.push(...(kind.strategy.warnings?.(object as never, undefined) ?? []));
  if (byUpdate) await authorizeCreation(registry, address, context);
  await registry.admission.validate(creationOf(address, object, context));
  return sealed(kind, draft);
}

const creationOf = (address: Address, object: ApiObject, context: RequestContext): Attributes => ({
  operation: "CREATE",
  address,
  subresource: "",
  object,
  old: undefined,
  context,
});

/** Who may change an object need not be one who may create it. */
async function authorizeCreation(
  { authorizer }: Registry,
  { kind, namespace, name }: Address,
  { user }: RequestContext,
): Promise<void> {
  const { group, version, plural: resource } = kind;
  const place = { group, version, resource, namespace, name };
  await authorize(authorizer, resourceAttributes(user, "create", place));
}

/** What is asked of every kind; of one that has looked at its metadata, only the name is left to check. */
function validateCommon(kind: AnyKind, { metadata }: ApiObject, at: At): void {
  if (!kind.validatesMetadata) {
    const namespaced = kind.scope === "Namespaced";
    validateObjectMeta(metadata, at, { namespaced, name: pathSegmentName });
    return;
  }
  const { name = "", generateName = "" } = metadata;
  if (generateName !== "")
    at.invalidEach("generateName", generateName, pathSegmentName(generateName, true));
  at.invalidEach("name", name, pathSegmentName(name));
}

/** What only the server sets, when an object comes or goes. */
export function clearStamps({ metadata }: ObjectDraft): void {
  delete metadata.uid;
  delete metadata.creationTimestamp;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
}

/** What is no version at all is passed over, as upstream does. */
function checkNoVersion(version: string): void {
  if (!/^0*[1-9]\d{0,18}$/.test(version)) return;
  const message = "resourceVersion should not be set on objects to be created";
  throw new StatusError("", message, { code: 500 });
}

/** The namespace is that of the request; an object may leave it out, but not name another. */
export function checkNamespace(kind: AnyKind, namespace: string, { metadata }: ObjectDraft): void {
  if (kind.scope === "Cluster") {
    if (metadata.namespace) delete metadata.namespace;
    return;
  }
  if (!metadata.namespace) metadata.namespace = namespace;
  else if (metadata.namespace !== namespace)
    throw badRequest(
      "the namespace of the provided object does not match the namespace sent on the request",
    );
}

const generateName = ({ entropy }: Registry, base: string): string =>
  base.slice(0, maxGeneratedName - suffixLength) + entropy.suffix(suffixLength);

async function exists(registry: Registry, address: Address): Promise<Error> {
  const existing = await find(registry, address);
  const terminating = existing?.object.metadata.deletionTimestamp !== undefined;
  return alreadyExists(resourceName(address), terminating ? "object is being deleted: " : "");
}

function generatedNameTaken(address: Address): Error {
  const { message, details } = alreadyExists(resourceName(address));
  return new StatusError(
    "AlreadyExists",
    `${message}, the server was not able to generate a unique name for the object`,
    { details: { ...details, retryAfterSeconds: 1 } },
  );
}
