import { command } from "../../../cli/command.ts";
import { counted } from "../../store/counted.ts";
import { humanSize } from "./human-size.ts";
import { withImages } from "./image-store-flags.ts";

/** Checks the stored images for damage. */
export const verifyCommand = command({
  name: "verify",
  short: "Check the stored images for damage",
  long: `Hash every stored blob again, and check that every image has all its blobs and layers. Nothing is
changed. A damaged image is repaired by removing it and pulling it again.

Exit codes: 0 when everything is sound, 1 when there are problems, 2 when the command line is
invalid.`,
  examples: `  # Check all images
  wherry image verify`,
  run: (context) =>
    withImages(context, async (images) => {
      const { streams, signal } = context;
      const isTerminal = streams.stderr.columns !== undefined;
      const onBlob = (done: number, total: number): void =>
        streams.stderr.write(`\r\u001b[2K${done === total ? "" : `${done}/${total} blobs`}`);
      const found = await images.verify({ signal, ...(isTerminal ? { onBlob } : {}) });
      for (const { subject, problem } of found.problems)
        streams.stdout.write(`${subject}: ${problem}\n`);
      const checked = `${counted(found.images, "image")}, ${counted(found.blobs, "blob")}, ${humanSize(found.bytes)}`;
      streams.stdout.write(`${checked}: ${counted(found.problems.length, "problem")}\n`);
      return found.problems.length === 0 ? 0 : 1;
    }),
});
