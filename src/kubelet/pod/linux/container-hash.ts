import type { Container } from "../../../api/core/v1/container/container.ts";
import type { EphemeralContainer } from "../../../api/core/v1/container/ephemeral-container.ts";
import { fnv32a } from "../../../base/fnv32a.ts";

/** The hash of what makes a container another one, equal to upstream's: its name and its image. */
export function containerHash({ name, image = "" }: Container | EphemeralContainer): string {
  const bytes = new TextEncoder().encode(JSON.stringify({ image, name }));
  // Upstream hashes the text in which Go prints these bytes.
  const text = `([]uint8)[${bytes.join(" ")}]`;
  return fnv32a(new TextEncoder().encode(text)).toString(16);
}
