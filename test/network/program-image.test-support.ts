import { execFileSync } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import {
  type BuildOptions,
  type BuiltImage,
  buildImage,
  busyboxLayer,
  type ImageFile,
  tarOf,
} from "../../src/engine/images/oci-image.test-support.ts";

/** An image with busybox, programs of this machine with the libraries that they need, and further files. */
export function programImage(
  programs: readonly string[],
  { files = [], ...options }: BuildOptions = {},
): BuiltImage {
  const paths = new Set(programs.flatMap((program) => [program, ...librariesOf(program)]));
  const copied = [...paths].map(
    (path): ImageFile => ({
      name: path.slice(1),
      mode: 0o755,
      content: readFileSync(realpathSync(path)),
    }),
  );
  return buildImage([busyboxLayer(), tarOf([...copied, ...files])], {
    Env: ["PATH=/bin:/usr/bin"],
    compression: "none",
    ...options,
  });
}

/** The shared libraries of a program, the dynamic linker among them. */
const librariesOf = (program: string): readonly string[] =>
  execFileSync("ldd", [program], { encoding: "utf8" })
    .split("\n")
    .flatMap((line) => /(\/\S+) \(0x/.exec(line)?.[1] ?? []);
