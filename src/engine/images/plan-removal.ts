import { chainIds, shortId } from "./digest.ts";
import { familiarName, parseReference, repositoryOf } from "./reference.ts";
import type { StoredImage } from "./stored-image.ts";

/** One line of the result of a removal, as docker's API has it. */
export type RemovalResult = { readonly Untagged: string } | { readonly Deleted: string };

/** A container that was made from an image. */
export interface ImageUser {
  readonly imageId: string;
  readonly containerId: string;
  readonly isRunning: boolean;
}

/** A removal that docker refuses with "409 Conflict". */
export class ImageConflict extends Error {
  override readonly name = "ImageConflict";
}

export interface RemovalRequest {
  /** What the user named: a name, an ID, or the beginning of an ID. */
  readonly given: string;
  readonly image: StoredImage;
  /** The name that was found, if it was not an ID. */
  readonly name?: string | undefined;
  readonly force?: boolean | undefined;
  readonly others: readonly StoredImage[];
  readonly users: readonly ImageUser[];
}

export interface RemovalPlan {
  /** The full names to remove. */
  readonly names: readonly string[];
  readonly isDeleted: boolean;
  readonly results: readonly RemovalResult[];
}

/**
 * Decides what `docker rmi` removes. A name is untagged; with the last tag of a repository go its digests,
 * and with the last name goes the image. An ID deletes an image that has names in one repository only.
 * Throws an ImageConflict where docker refuses.
 */
export function planRemoval(request: RemovalRequest): RemovalPlan {
  const { image, name, force = false, given } = request;
  const all = [...image.tags, ...image.digests];
  if (name === undefined) {
    const problem = useProblem(request, { alsoStopped: false });
    if (problem !== undefined) throw problem;
    if (!force && !isSingle(all))
      throw conflict(image, "must be forced", "image is referenced in multiple repositories");
    const softProblem = useProblem(request, { alsoStopped: !force });
    if (softProblem !== undefined) throw softProblem;
    return deletion(request, all);
  }
  const user = usersOf(request)[0];
  if (!force && isSingle(all) && user !== undefined)
    throw new ImageConflict(
      `conflict: unable to remove repository reference ${JSON.stringify(given)} (must force) - container ${shortId(user.containerId)} is using its referenced image ${shortId(image.id)}`,
    );
  const names = namesRemovedWith(image, name);
  // With force, an image that a running container uses loses its last name and stays.
  const staysFor = useProblem(request, { alsoStopped: !force });
  if (names.length < all.length || staysFor !== undefined)
    return { names, isDeleted: false, results: untagged(names) };
  return deletion(request, names);
}

function deletion(request: RemovalRequest, names: readonly string[]): RemovalPlan {
  const results = [
    ...untagged(names),
    { Deleted: request.image.id },
    ...ownChain(request).map((Deleted) => ({ Deleted })),
  ];
  return { names, isDeleted: true, results };
}

/** The chain IDs that go with the image, the top first: those that no other image or container has. */
function ownChain(request: RemovalRequest): string[] {
  const { image, others } = request;
  if (usersOf(request).length > 0) return [];
  const shared = new Set(others.flatMap(({ layers }) => chainIds(layers)));
  return chainIds(image.layers)
    .reverse()
    .filter((chainId) => !shared.has(chainId));
}

function namesRemovedWith(image: StoredImage, name: string): string[] {
  const reference = parseReference(name);
  if (reference.digest !== undefined) return [name];
  const repository = repositoryOf(reference);
  const hasOtherTag = image.tags.some((tag) => tag !== name && repositoryName(tag) === repository);
  if (hasOtherTag) return [name];
  return [name, ...image.digests.filter((digest) => repositoryName(digest) === repository)];
}

/** Whether there is at most one tag, and all names are in one repository. */
function isSingle(names: readonly string[]): boolean {
  if (names.length <= 1) return true;
  const references = names.map((name) => parseReference(name));
  const tags = references.filter(({ digest }) => digest === undefined);
  return tags.length <= 1 && new Set(references.map(repositoryOf)).size === 1;
}

/** Why an image cannot be deleted: the containers that use it. */
function useProblem(
  request: RemovalRequest,
  { alsoStopped }: { alsoStopped: boolean },
): ImageConflict | undefined {
  const users = usersOf(request);
  const running = users.find(({ isRunning }) => isRunning);
  if (running !== undefined)
    return conflict(
      request.image,
      "cannot be forced",
      `image is being used by running container ${shortId(running.containerId)}`,
    );
  const [stopped] = users;
  if (stopped === undefined || !alsoStopped) return undefined;
  return conflict(
    request.image,
    "must be forced",
    `image is being used by stopped container ${shortId(stopped.containerId)}`,
  );
}

const usersOf = ({ users, image }: RemovalRequest): ImageUser[] =>
  users.filter(({ imageId }) => imageId === image.id);

const conflict = ({ id }: StoredImage, force: string, reason: string): ImageConflict =>
  new ImageConflict(`conflict: unable to delete ${shortId(id)} (${force}) - ${reason}`);

const repositoryName = (name: string): string => repositoryOf(parseReference(name));

const untagged = (names: readonly string[]): RemovalResult[] =>
  names.map((name) => ({ Untagged: familiarName(parseReference(name)) }));
