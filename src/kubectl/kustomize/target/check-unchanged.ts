import { KustomizeError } from "../kustomize-error.ts";
import { resIdText, sameId } from "../resources/res-id.ts";
import { resourceText } from "../resources/res-map.ts";
import type { Resource } from "../resources/resource.ts";

const mark = "validated-by";

/** Throws where a validator changed resources; it may only label those that have no label. */
export function checkUnchanged(before: readonly Resource[], after: readonly Resource[]): void {
  if (before.length !== after.length) throw complaint("lists have different number of entries");
  for (const old of before) {
    const { id } = old;
    const [now, ...more] = after.filter((resource) => sameId(resource.id, id));
    if (now === undefined) throw complaint(`id in self missing from other; id: ${resIdText(id)}`);
    if (more.length > 0) {
      throw complaint(`id in self matches ${more.length + 1} in other; id: ${resIdText(id)}`);
    }
    const copy = now.copy();
    const { labels } = copy;
    const isMarked = labels.delete(mark);
    if (isMarked) copy.setLabels(labels);
    const texts = [resourceText(old), resourceText(copy)];
    // Upstream compares how labels are written, too, which removing the mark changes.
    if (texts[0] !== texts[1] || (isMarked && old.labels.size > 0)) {
      throw complaint(`nodes unequal: \n -- ${texts[0]},\n -- ${texts[1]}`);
    }
  }
}

const complaint = (problem: string): KustomizeError =>
  new KustomizeError(`validator shouldn't modify the resource map: ${problem}`);
