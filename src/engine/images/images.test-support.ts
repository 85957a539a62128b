import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { hashedLayers } from "./hashed-layers.test-support.ts";
import { type Images, openImages } from "./images.ts";
import type { ImagesOptions } from "./images-options.ts";

/** A folder that is removed when the test ends. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "wherry-images-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Images in a folder of their own, closed when the test ends. */
export async function testImages(options: Partial<ImagesOptions> = {}): Promise<Images> {
  const root = options.root ?? testFolder();
  const images = await openImages({ snapshots: hashedLayers(), ...options, root });
  onTestFinished(() => images.close());
  return images;
}
