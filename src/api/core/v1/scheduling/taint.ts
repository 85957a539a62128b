import { named, string, time } from "../../../../schema/language/field.ts";
import type { At } from "../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { isQualifiedName, isValidLabelValue } from "../../../../schema/values/names.ts";

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export const Taint = struct("io.k8s.api.core.v1.Taint", {
  key: string(1).always().expected().doc("What the taint is about."),
  value: string(2).doc("What more there is to say of it."),
  effect: named(3, "v1.TaintEffect")
    .always()
    .expected()
    .known("NoSchedule", "PreferNoSchedule", "NoExecute")
    .doc("What becomes of pods that do not tolerate it."),
  timeAdded: time(4).doc("When the taint was added."),
}).doc("Keeps pods away from a node, unless they tolerate it.");
export interface Taint extends Infer<typeof Taint> {}

/** The rules of a node's taints: each is well formed, and no two have key and effect in common. */
export function validateTaints(taints: readonly Taint[], at: At): void {
  const seen = new Set<string>();
  for (const [i, taint] of taints.entries()) {
    const { key, value = "", effect } = taint;
    const here = at.index(i);
    here.invalidEach("key", key, isQualifiedName(key));
    const messages = isValidLabelValue(value);
    if (messages.length > 0) here.invalid("value", value, messages.join(";"));
    if (!effect) here.required("effect");
    else if (!effects.includes(effect)) here.notSupported("effect", effect, effects);
    const id = `${effect}/${key}`;
    if (seen.has(id)) duplicate(taint, here);
    seen.add(id);
  }
}

function duplicate({ key, value = "", effect, timeAdded }: Taint, at: At): void {
  const shown = { Key: key, Value: value, Effect: effect, TimeAdded: timeAdded ?? null };
  at.duplicate("", shown, "taints must be unique by key and effect pair");
}
