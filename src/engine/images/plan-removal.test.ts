import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { chainIds, digestOf } from "./digest.ts";
import { type ImageUser, planRemoval, type RemovalRequest } from "./plan-removal.ts";
import type { StoredImage } from "./stored-image.ts";

const [id, other, a, b, c] = ["id", "other", "a", "b", "c"].map((text) => digestOf(text)) as [
  string,
  string,
  string,
  string,
  string,
];
const digest = digestOf("manifest");
const library = "docker.io/library";

function image(
  names: readonly string[],
  layers: readonly string[] = [a, b],
  imageId = id,
): StoredImage {
  return {
    id: imageId,
    tags: names.filter((name) => !name.includes("@")),
    digests: names.filter((name) => name.includes("@")),
    layers,
    sizeBytes: 0,
    config: { architecture: "amd64", os: "linux", rootfs: { type: "layers", diff_ids: layers } },
    manifest: digest,
    lastTaggedAt: 0,
  };
}

const containerId = "c".repeat(64);
const running: ImageUser = { imageId: id, containerId, isRunning: true };
const stopped: ImageUser = { ...running, isRunning: false };
const [, top] = chainIds([a, b]) as [string, string];
const deleted = [{ Deleted: id }, { Deleted: top }, { Deleted: a }];

/** The results as JSON, followed by whether the image is deleted. */
function removal(request: Partial<RemovalRequest> & Pick<RemovalRequest, "image">): unknown {
  try {
    const plan = planRemoval({ given: request.name ?? id, others: [], users: [], ...request });
    return { results: plan.results, isDeleted: plan.isDeleted };
  } catch (error) {
    return (error as Error).message;
  }
}

each<[string, Partial<RemovalRequest> & Pick<RemovalRequest, "image">, unknown]>([
  [
    "the last tag takes the digests of its repository and the image with it",
    { image: image([`${library}/x:1`, `${library}/x@${digest}`]), name: `${library}/x:1` },
    { results: [{ Untagged: "x:1" }, { Untagged: `x@${digest}` }, ...deleted], isDeleted: true },
  ],
  [
    "another tag keeps the image and the digest",
    {
      image: image([`${library}/x:1`, `${library}/x:2`, `${library}/x@${digest}`]),
      name: `${library}/x:1`,
    },
    { results: [{ Untagged: "x:1" }], isDeleted: false },
  ],
  [
    "a tag of another repository keeps the image, but not the digest",
    {
      image: image([`${library}/x:1`, "quay.io/y:1", `${library}/x@${digest}`]),
      name: `${library}/x:1`,
    },
    { results: [{ Untagged: "x:1" }, { Untagged: `x@${digest}` }], isDeleted: false },
  ],
  [
    "a digest can be removed alone",
    { image: image([`${library}/x:1`, `${library}/x@${digest}`]), name: `${library}/x@${digest}` },
    { results: [{ Untagged: `x@${digest}` }], isDeleted: false },
  ],
  [
    "layers that others share stay",
    {
      image: image([`${library}/x:1`]),
      name: `${library}/x:1`,
      others: [image([], [a, c], other)],
    },
    { results: [{ Untagged: "x:1" }, { Deleted: id }, { Deleted: top }], isDeleted: true },
  ],
  ["a dangling image goes by its ID", { image: image([]) }, { results: deleted, isDeleted: true }],
  [
    "an ID deletes an image with one tag",
    { image: image([`${library}/x:1`]) },
    { results: [{ Untagged: "x:1" }, ...deleted], isDeleted: true },
  ],
  [
    "an ID does not delete an image with names in several repositories",
    { image: image([`${library}/x:1`, "quay.io/y:1"]) },
    `conflict: unable to delete ${id.slice(7, 19)} (must be forced) - image is referenced in multiple repositories`,
  ],
  [
    "unless it is forced",
    { image: image([`${library}/x:1`, "quay.io/y:1"]), force: true },
    { results: [{ Untagged: "x:1" }, { Untagged: "quay.io/y:1" }, ...deleted], isDeleted: true },
  ],
  [
    "a used image keeps its last name",
    { image: image([`${library}/x:1`]), name: `${library}/x:1`, given: "x:1", users: [stopped] },
    `conflict: unable to remove repository reference "x:1" (must force) - container cccccccccccc is using its referenced image ${id.slice(7, 19)}`,
  ],
  [
    "force deletes the image of a stopped container, which keeps the layers",
    { image: image([`${library}/x:1`]), name: `${library}/x:1`, force: true, users: [stopped] },
    { results: [{ Untagged: "x:1" }, { Deleted: id }], isDeleted: true },
  ],
  [
    "force only untags the image of a running container",
    { image: image([`${library}/x:1`]), name: `${library}/x:1`, force: true, users: [running] },
    { results: [{ Untagged: "x:1" }], isDeleted: false },
  ],
  [
    "the image of a running container cannot be deleted by its ID",
    { image: image([`${library}/x:1`]), force: true, users: [running] },
    `conflict: unable to delete ${id.slice(7, 19)} (cannot be forced) - image is being used by running container cccccccccccc`,
  ],
  [
    "nor that of a stopped one, unless it is forced",
    { image: image([`${library}/x:1`]), users: [stopped] },
    `conflict: unable to delete ${id.slice(7, 19)} (must be forced) - image is being used by stopped container cccccccccccc`,
  ],
])("planRemoval: %s", (_, request, expected) => {
  expect(removal(request)).toEqual(expected);
});
