import { join } from "node:path";
import { openSnapshots } from "../snapshots/open-snapshots.ts";
import { openImages } from "./images.ts";
import { buildImage, ociArchive, tarOf } from "./oci-image.test-support.ts";

/**
 * A program that loads, names and removes images until it is killed: PROGRAM FOLDER FIRST-NUMBER. It prints what
 * it has done, one line each.
 */
const [folder = "", first = "0"] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const images = await openImages({
  root: join(folder, "images"),
  snapshots: () => openSnapshots({ root: join(folder, "snapshots") }),
});
say("open");
for (let number = Number(first); ; number++) {
  const shared = tarOf([{ name: "shared", content: `${Math.floor(number / 3)}`.repeat(20_000) }]);
  const own = tarOf([{ name: "own", content: `${number}` }]);
  const image = buildImage([shared, own], { Cmd: [`${number}`], compression: "none" });
  say(`loading ${number}`);
  await images.load(inPieces(ociArchive(image, `docker.io/library/image:${number}`)));
  say(`loaded ${number}`);
  if (number % 2 === 0) continue;
  say(`removing ${number - 1}`);
  await images.remove(`image:${number - 1}`);
  say(`removed ${number - 1}`);
}

async function* inPieces(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of source)
    for (let at = 0; at < chunk.length; at += 8192) {
      say("piece");
      yield chunk.subarray(at, at + 8192);
    }
}
